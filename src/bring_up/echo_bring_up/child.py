"""Runs one command with a time limit; its output goes to a log from the first line on, and stays when it is cut off."""

import os
import signal
import subprocess
import time
import uuid

GRACE = 15.0  # seconds between asking a program to stop and ending it: echo-profile writes its file meanwhile


class Limits:
    """How the seconds of a stage are spent: until `deadline` its steps may begin and run; one that does not then end when
    asked is ended `grace` later; at `cut` the stage itself is stopped, and by `last` after that everything is gone."""

    def __init__(self, limit):
        reserve = min(2 * GRACE, 0.2 * limit)
        self.deadline, self.grace = limit - reserve, reserve / 2
        self.cut, self.last = limit - reserve / 4, reserve / 4


class Ended:
    """How a command ended. `status`: exit code, negative for a signal, None where it could not be started."""

    def __init__(self, status, seconds, cut, log, trouble=""):
        self.status, self.seconds, self.cut, self.log, self.trouble = status, seconds, cut, log, trouble

    def text(self):
        """The end of what it printed."""
        try:
            with open(self.log, errors="replace") as file:
                return file.read()[-20000:]
        except OSError:
            return ""


def end_marked(mark, grace=GRACE):
    """Ends every process that a mark's child left: asks first, then insists. True if all were gone when asked."""
    for sent, patience in ((signal.SIGTERM, grace), (signal.SIGKILL, 2.0)):
        until, asked = time.monotonic() + patience, set()
        while True:
            left = set(marked(mark))
            if not left:
                return sent == signal.SIGTERM
            for process in left - asked:  # those too that were born meanwhile
                try:
                    os.kill(process, sent)
                except OSError:
                    pass
            asked |= left
            if time.monotonic() > until:
                break
            time.sleep(0.05)
    return False


def marked(mark):
    """Numbers of the living processes whose environment holds `mark` ("NAME=value"): descendants that opened a session of
    their own, or lost their parent, are among them."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open("/proc/%s/environ" % name, "rb") as file:
                    if mark.encode() in file.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                continue  # it has ended, or is another user's
    return found


def with_mark(env, name):
    """An environment with a mark of its own, and the mark."""
    value = uuid.uuid4().hex
    return dict(os.environ if env is None else env, **{name: value}), "%s=%s" % (name, value)


def run(words, log, limit, env=None, folder=None, grace=GRACE):
    """Runs `words` for at most `limit` seconds. Never raises for what the command does; leaves no process behind."""
    env, mark = with_mark(env, "ECHO_BRING_UP_STEP")
    began = time.monotonic()
    with open(log, "ab", buffering=0) as out:
        out.write(("$ " + " ".join(map(quoted, words)) + "\n").encode())
        try:
            process = subprocess.Popen([str(word) for word in words], stdout=out, stderr=subprocess.STDOUT, cwd=folder, env=env,
                                       stdin=subprocess.DEVNULL, start_new_session=True)
        except OSError as error:
            out.write(("%s\n" % error).encode())
            return Ended(None, 0.0, False, log, str(error))
        cut = False
        try:
            process.wait(timeout=max(0.1, limit))
        except subprocess.TimeoutExpired:
            cut = True
        finally:  # also where this process is asked to stop
            end_marked(mark, grace)
            process.wait()
        out.write(("[%s after %.1f s]\n" % ("cut off" if cut else "status %d" % process.returncode,
                                            time.monotonic() - began)).encode())
    return Ended(process.returncode, time.monotonic() - began, cut, log)


def quoted(word):
    """A word as a shell reads it."""
    import shlex

    return shlex.quote(str(word))
