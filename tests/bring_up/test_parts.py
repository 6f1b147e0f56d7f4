"""Parts of the kit by themselves."""

import gzip
import json
import os
import pathlib
import random
import shutil
import subprocess
import time
import types

import pytest
from echo_bring_up import bundle, fixes, machine, nvidia_libraries, record, run_stage, text
from echo_bring_up.step import Command, Failed, NotRun, Step
from echo_bring_up.training import as_sweep, busy_time, sizes


# --- records
def test_a_record_is_read_back_as_it_was(tmp_path):
    path = str(tmp_path / "steps.json")
    kept = record.StageRecord(path, False)
    numbers = [record.Number("step", 0.2, "s", record.MEASURED), record.Number("GPU", None, "", record.MEASURED, "why not")]
    kept.add(record.StepRecord("a", "title", record.DONE, seconds=1.5, files=["x"], numbers=numbers))
    again = record.StageRecord(path, False)
    assert again.is_done("a") and again.steps["a"].as_dict() == kept.steps["a"].as_dict()
    assert not record.StageRecord(path, True).steps  # a dry run's record is not a measured one's


@pytest.mark.parametrize("garbage", ["", "{", "[]", "null", '{"is_dry_run": false}', '{"is_dry_run": false, "ended": "", "steps": [{"x": 1}]}',
                                     '{"is_dry_run": false, "ended": "", "steps": 7}'])
def test_a_damaged_record_counts_as_none(tmp_path, garbage):
    (tmp_path / "steps.json").write_text(garbage)
    assert record.StageRecord(str(tmp_path / "steps.json"), False).steps == {}


# --- steps
class FewSeconds:
    """As much of a context as run_step asks for."""

    def __init__(self, folder, seconds=60.0):
        self.folder = self.out = str(folder)
        self.name, self.grace, self.until = "stage", 0.5, time.monotonic() + seconds

    def seconds_left(self):
        return self.until - time.monotonic()


def outcome_of(tmp_path, step, seconds=60.0):
    return run_stage.run_step(FewSeconds(tmp_path, seconds), step)


def test_a_mistake_of_the_kit_itself_ends_as_a_record(tmp_path):
    its = outcome_of(tmp_path, Step("x", "x", check=lambda context, ended: 1 // 0))
    assert its.outcome == record.FAILED and "ZeroDivisionError" in its.why and its.fix
    assert "ZeroDivisionError" in (tmp_path / "x.log").read_text()


def test_each_way_to_end_has_its_outcome(tmp_path):
    def refuse(error):
        def check(context, ended):
            raise error
        return check

    def shell(line, **how):
        return lambda context: Command(["sh", "-c", line], **how)

    assert outcome_of(tmp_path, Step("a", "a", shell("exit 0"))).outcome == record.DONE
    assert outcome_of(tmp_path, Step("b", "b", shell("exit 3"))).outcome == record.FAILED
    assert outcome_of(tmp_path, Step("c", "c", shell("exit 75", partial=(75,)))).outcome == record.CUT
    assert outcome_of(tmp_path, Step("d", "d", shell("sleep 50", limit=0.3))).outcome == record.CUT
    assert outcome_of(tmp_path, Step("e", "e", check=refuse(NotRun("no")))).outcome == record.NOT_RUN
    assert outcome_of(tmp_path, Step("f", "f", shell("exit 0"), refuse(Failed("bad", "do this")))).fix == "do this"
    late = outcome_of(tmp_path, Step("g", "g", shell("touch ran")), seconds=1.0)
    assert late.outcome == record.NOT_RUN and "no time" in late.why and not (tmp_path / "ran").exists()


def test_a_log_of_an_earlier_run_is_kept_beside_the_new_one(tmp_path):
    for word in ("first", "second"):
        outcome_of(tmp_path, Step("a", "a", lambda context, word=word: Command(["echo", word])))
    assert "first" in (tmp_path / "a.log.before").read_text() and "first" not in (tmp_path / "a.log").read_text()


@pytest.mark.parametrize("said, fix", [
    ("x: error while loading shared libraries: libcudnn.so.9: cannot open shared object file", "--libraries"),
    ("error: no GPU here: CUDA driver version is insufficient for CUDA runtime version", "580"),
    ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "1b-half"),
    ("counters of only 0 kernels: CUPTI says ERR_NVGPUCTRPERM", "SYS_ADMIN"),
    ("RuntimeError: CUDA error: operation not permitted when stream is capturing", "eager numbers stand"),
    ("ModuleNotFoundError: No module named 'torch'", "--python"),
    ("OSError: [Errno 28] No space left on device", "free space"),
    ("something nobody has seen", "send the log"),
])
def test_what_programs_print_leads_to_what_to_fix(said, fix):
    ended = types.SimpleNamespace(trouble="", status=1, text=lambda: f"$ program\nfine so far\n{said}\n[status 1 after 2.0 s]\n")
    why, remedy = fixes.of(ended)
    assert fix in remedy and said in why


# --- NVIDIA's libraries
@pytest.fixture
def program(tmp_path):
    """A program that needs libone.so, which needs libtwo.so; neither is where it was linked."""
    if shutil.which("cc") is None:
        pytest.skip("no cc")
    for name, line in (("two", "int two(void) { return 2; }"), ("one", "int two(void); int one(void) { return two() - 1; }"),
                       ("main", "int one(void); int main(void) { return one() - 1; }")):
        (tmp_path / f"{name}.c").write_text(line + "\n")
    for words in (["-shared", "-fPIC", "two.c", "-o", "libtwo.so"], ["-shared", "-fPIC", "one.c", "-L.", "-ltwo", "-o", "libone.so"],
                  ["main.c", "-L.", "-lone", "-Wl,--allow-shlib-undefined", "-o", "main"]):
        subprocess.run(["cc", *words], cwd=tmp_path, check=True)
    for name in ("one", "two"):
        (tmp_path / "site/nvidia" / name / "lib").mkdir(parents=True)
        shutil.move(tmp_path / f"lib{name}.so", tmp_path / "site/nvidia" / name / "lib")
    (tmp_path / "site/torch").mkdir()
    return tmp_path / "main"


def test_libraries_are_found_where_pytorch_keeps_them(program):
    assert nvidia_libraries.find(str(program)).absent == ["libone.so"]
    found = nvidia_libraries.find(str(program), str(program.parent / "site/torch"))
    assert found.absent == [] and [pathlib.Path(path).parts[-2] for path in found.path[:2]] == ["one", "two"]
    assert subprocess.run([program], env=found.environment({})).returncode == 0
    assert nvidia_libraries.find(str(program), chosen=[str(program.parent / "site")]).absent == []


def test_stand_ins_answer_only_where_they_may(program, tmp_path, monkeypatch):
    shutil.copytree(program.parent / "site/nvidia/two/lib", tmp_path / "stand-ins")
    shutil.rmtree(program.parent / "site/nvidia/two")
    site = str(program.parent / "site/torch")

    def find(*allowed):
        return nvidia_libraries.find(str(program), site, (), nvidia_libraries.StandIns(str(tmp_path / "stand-ins"), allowed,
                                                                                       str(tmp_path / "links")))

    assert find("libother").absent == ["libtwo.so"]
    found = find("libtwo")
    assert found.absent == [] and found.stood_in == ["libtwo.so"]
    # A library that the system finds by itself is not stood in for, though the folder has a stand-in for it, too.
    (tmp_path / "stand-ins/libone.so").write_text("no library")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(program.parent / "site/nvidia/one/lib"))
    site = ""
    found = find("libtwo", "libone")
    assert found.stood_in == ["libtwo.so"] and os.listdir(tmp_path / "links") == ["libtwo.so"]
    assert subprocess.run([program], env=found.environment(dict(os.environ))).returncode == 0


# --- the machine
def test_a_python_that_does_not_answer_is_passed_over(tmp_path):
    (tmp_path / "python").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "python").chmod(0o755)
    assert "ended with status 3" in machine.torch([str(tmp_path / "python")])["why"]
    assert "absent" in machine.torch([str(tmp_path / "absent")])["why"]


@pytest.mark.parametrize("device, name", [("NVIDIA L40S", "nvidia-l40s"), ("NVIDIA H20-3e ", "nvidia-h20-3e"), ("  ", "unknown"), ("NVIDIA L40S (rev. 2)", "nvidia-l40s-rev-2"),
                                          ("Tesla V100-SXM2-32GB", "tesla-v100-sxm2-32gb")])
def test_an_unknown_gpu_is_called_as_echo_profile_calls_it(device, name):
    assert bundle.slug(device) == name  # tests/unit/profilers holds the same of gpu_preset


# --- the training step
def test_busy_time_is_the_length_of_the_union():
    draw = random.Random(7)
    for _ in range(200):
        intervals = [(begin, begin + draw.randrange(0, 6)) for begin in (draw.randrange(40) for _ in range(draw.randrange(12)))]
        seconds = {second for begin, end in intervals for second in range(begin, end)}  # counted one by one
        assert busy_time.union_of(intervals) == len(seconds)


def test_a_profile_says_how_long_the_gpu_was_busy(tmp_path):
    events = [{"ph": "X", "cat": "kernel", "name": "k", "ts": 0, "dur": 100}, {"ph": "X", "cat": "kernel", "name": "k", "ts": 50, "dur": 100},
              {"ph": "X", "cat": "gpu_memcpy", "name": "c", "ts": 300, "dur": 50}, {"ph": "X", "cat": "cpu_op", "name": "o", "ts": 0, "dur": 900},
              {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#0", "ts": 0, "dur": 400}, {"ph": "M", "name": "process_name"}]
    path = tmp_path / "t.json.gz"
    with gzip.open(path, "wt") as file:
        json.dump({"traceEvents": events}, file)
    assert busy_time.summary_of(str(path), 2) == pytest.approx({"busy_s": 100e-6, "kernels": 1.0, "profiled_step_s": 400e-6})
    with gzip.open(path, "wt") as file:
        json.dump([events[3]], file)
    assert busy_time.summary_of(str(path), 2) == {"busy_s": None, "kernels": None, "profiled_step_s": None}


def test_the_step_fits_the_gpu_it_is_chosen_for():
    assert [sizes.largest_that_fits(gib) for gib in (80, 39.4, 23.6, 15)] == ["1b", "1b", "1b-half", None]
    for name in ("1b", "1b-half"):  # weight, gradient and two moments alone
        assert 16 * sizes.weights(name) / 2 ** 30 < sizes.NEEDS_GIB[name]
    assert 1.1e9 < sizes.weights("1b") < 1.3e9


def test_the_sweep_is_of_the_same_size():
    assert "hidden        = 2048" in as_sweep.presets("1b") and "seq_len      = 4096" in as_sweep.generated("1b", "generic-h100-sxm")


# --- text
def test_figures_say_what_they_are():
    def said(*words):
        return text.number_text(record.Number("x", *words))

    assert said(0.0123, "s", record.MEASURED) == "12.3 ms, measured"
    assert said(4.5e-6, "s", record.PREDICTED, "a note") == "4.5 us, predicted (a note)"
    assert said(None, "s", record.MEASURED, "no GPU") == "not run: no GPU"
    assert said(None, "s", record.MEASURED, "failed: x") == "failed: x"
    assert said("NVIDIA H200", "", record.COUNTED) == "NVIDIA H200"
