"""Children: their time, their logs, and that none stays behind."""

import os
import subprocess
import sys
import time

from echo_bring_up import child


def alive(number):
    """Whether it goes on living: a killed process gives its memory back before it is a zombie, later on a busy machine."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            with open(f"/proc/{number}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] in "ZX":
                    return False
        except OSError:
            return False
        time.sleep(0.05)
    return True


def test_output_and_status_are_kept(tmp_path):
    ended = child.run(["sh", "-c", "echo one; echo two >&2; exit 3"], str(tmp_path / "log"), 20)
    assert (ended.status, ended.cut) == (3, False)
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines[0].startswith("$ sh -c") and lines[1:3] == ["one", "two"] and lines[3].startswith("[status 3 after")


def test_a_program_that_cannot_be_started_is_no_exception(tmp_path):
    ended = child.run([str(tmp_path / "absent")], str(tmp_path / "log"), 20)
    assert ended.status is None and "No such file" in ended.trouble


def test_what_takes_too_long_is_cut_off_and_keeps_its_output(tmp_path):
    ended = child.run(["sh", "-c", "echo begun; sleep 100"], str(tmp_path / "log"), 0.5, grace=5)
    assert ended.cut
    assert "begun" in ended.text() and "cut off" in ended.text()


def test_a_program_may_write_its_results_when_it_is_asked_to_stop(tmp_path):
    script = "import signal, sys, time\ndef stop(*_):\n    open('result', 'w').write('partial'); sys.exit(75)\n" \
             "signal.signal(signal.SIGTERM, stop)\nprint('ready', flush=True)\ntime.sleep(100)"
    ended = child.run([sys.executable, "-c", script], str(tmp_path / "log"), 3.0, folder=str(tmp_path), grace=10)
    assert ended.cut and (tmp_path / "result").read_text() == "partial"


def test_one_that_does_not_listen_is_ended_with_its_children_in_other_sessions(tmp_path):
    script = f"trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ > {tmp_path}/grandchild; while :; do sleep 1; done' & " \
             "while :; do sleep 1; done"
    ended = child.run(["sh", "-c", script], str(tmp_path / "log"), 1.5, grace=0.5)
    assert ended.cut
    assert not alive(int((tmp_path / "grandchild").read_text()))


def test_only_marked_processes_are_ended(tmp_path):
    other = subprocess.Popen(["sleep", "100"])
    try:
        child.run(["true"], str(tmp_path / "log"), 5)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_limits_fit_into_one_another():
    for limit in (10.0, 60.0, 480.0):
        limits = child.Limits(limit)
        assert 0 < limits.deadline < limits.deadline + limits.grace < limits.cut < limit
        assert limits.cut + limits.last <= limit
