"""A test of a program in a folder of its own."""

import pathlib
import subprocess
import tempfile
import unittest


class ProgramCase(unittest.TestCase):
    program = ""  # its path, before the tests run

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        cls.folder = pathlib.Path(cls.shared.name)

    @classmethod
    def start(cls, *words):
        return subprocess.run([cls.program, *words], cwd=cls.folder, capture_output=True, text=True, timeout=120)

    @classmethod
    def told(cls, *words):
        """The output of a run that succeeds."""
        done = cls.start(*words)
        done.check_returncode()
        return done.stdout

    def run_program(self, *words, code=0):
        done = self.start(*words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done
