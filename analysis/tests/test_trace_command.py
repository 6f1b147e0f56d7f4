"""echo-trace as a user meets it where there is no PyTorch: what it refuses, in one line."""

import pytest

from echo_sweep.tracer.__main__ import main


def refused(capsys, *words):
    assert main(["-o", "never.jsonl", *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("echo-trace: ") and said.count("\n") == 1
    return said


@pytest.mark.parametrize("words, told", [
    (("--world", "0", "x.py"), "--world is 0"),
    (("--world", "8", "--backend", "nccl", "--ranks", "classes", "x.py"), "name ranks"),
    (("--world", "8", "--backend", "nccl", "--step", "1", "x.py"), "take 2 or more"),
    (("--world", "8", "--backend", "nccl", "--ranks", "0,8", "x.py"), "rank 8"),
    (("--world", "8", "--ranks", "some", "x.py"), "--ranks some"),
])
def test_what_cannot_be_traced_is_said_in_a_line(capsys, words, told):
    assert told in refused(capsys, *words)


def test_nccl_wants_its_library(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("ECHO_EXSITU_LIBRARIES", str(tmp_path))
    assert "libecho_nccl.so is not in" in refused(capsys, "--world", "8", "--backend", "nccl", "true")
