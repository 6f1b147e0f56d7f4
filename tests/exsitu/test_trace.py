"""From a command to a trace: what `exsitu.run` makes of the caller's records."""

import os
import subprocess
import sys

import conftest  # noqa: F401  says where echo_sweep is
import pytest

from echo_sweep.tracer import exsitu, trace_file


@pytest.fixture(autouse=True)
def our_libraries(monkeypatch):
    monkeypatch.setenv("ECHO_EXSITU_LIBRARIES", os.path.dirname(os.environ["ECHO_NCCL"]))
    monkeypatch.setenv("ECHO_NCCL_COPY_BELOW", "0")


def test_a_command_becomes_a_trace(tmp_path):
    out = tmp_path / "rank37.jsonl"
    exsitu.run([os.environ["ECHO_CALLER"], "rank_37"], 37, 4096, out, stands_for=[37, 38], gpu=False)
    trace = trace_file.read(out)
    assert trace.world == 4096 and trace.ranks[0].rank == 37 and trace.ranks[0].represents() == [37, 38]
    told = [(node.kind, node.collective, node.bytes, node.peer, node.launch) for node in trace.ranks[0].nodes]
    assert told == [
        ("collective", "all_reduce", 2 * 1000, -1, -1), ("collective", "all_gather", 2 * 2000 * 4096, -1, -1),
        ("collective", "reduce_scatter", 4 * 3000 * 4096, -1, -1), ("collective", "broadcast", 8 * 4000, 3, -1),
        ("collective", "reduce", 8 * 5000, 2, -1), ("send", "", 2 * 6000, 38, 0), ("recv", "", 2 * 7000, 36, 0),
        ("send", "", 8, 36, -1), ("collective", "all_reduce", 4 * 9000, -1, -1)]
    # Nobody wrote who is in a split: everybody, it says.
    assert any("assumed" in note for note in trace.notes)


def test_a_program_that_fails_is_an_error(tmp_path):
    with pytest.raises(trace_file.TraceError, match="ended with 2 as rank 0 of 8"):
        exsitu.run([os.environ["ECHO_CALLER"], "nonsense"], 0, 8, gpu=False)


def test_a_program_without_nccl_is_an_error_that_says_why():
    with pytest.raises(trace_file.TraceError, match="no call of NCCL was recorded"):
        exsitu.run(["true"], 0, 8, gpu=False)


def test_libraries_that_are_not_there_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("ECHO_EXSITU_LIBRARIES", str(tmp_path))
    with pytest.raises(trace_file.TraceError, match="build target echo_nccl"):
        exsitu.environment(0, 8, tmp_path)


def test_the_environment_is_one_gpu_of_a_large_job(tmp_path):
    env = exsitu.environment(37, 4096, tmp_path, gpu="ECHO_INJECT" in os.environ,
                             inherited={"TORCHELASTIC_RUN_ID": "x", "CUDA_VISIBLE_DEVICES": "3,4", "LD_PRELOAD": "/x.so"})
    assert (env["RANK"], env["WORLD_SIZE"], env["LOCAL_RANK"], env["LOCAL_WORLD_SIZE"]) == ("37", "4096", "0", "8")
    assert env["CUDA_VISIBLE_DEVICES"] == "3" and "TORCHELASTIC_RUN_ID" not in env
    assert env["LD_PRELOAD"].endswith("libecho_nccl.so:/x.so")
    if "ECHO_INJECT" in os.environ:
        assert env["CUDA_INJECTION64_PATH"].endswith("libecho_inject.so") and "libcupti" in env["NVTX_INJECTION64_PATH"]


def test_another_sitecustomize_still_runs(tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "sitecustomize.py").write_text("print('theirs')")
    path = os.pathsep.join([exsitu.write_site(tmp_path / "ours"), str(tmp_path / "theirs")])
    done = subprocess.run([sys.executable, "-c", "import sys; print('torch' in sys.modules)"], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=path, RANK="1", WORLD_SIZE="2"))
    assert (done.stdout, done.stderr) == ("theirs\nFalse\n", "")
