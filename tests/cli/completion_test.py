"""The manual page and the shells' completion name what --help lists.   usage: completion_test.py ECHO_SWEEP"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()


def run(*words, **settings):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needs(program):
    """Leaves a test out where the program is missing, and says so where ctest's log is searched for it."""
    if not shutil.which(program):
        print(f"SKIPPED: {program} is not installed")
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


def commands():
    """Names as the program's own --help lists them."""
    listed = run("--help").split("Subcommands:")[1]
    return re.findall(r"(?m)^  ([a-z][\w-]*)  ", listed)


def options(command):
    """Every name of every option of a command, as its --help lists them."""
    listed = re.findall(r"(?m)^  (-\S*)", run(command, "--help"))
    return [name for names in listed for name in names.split(",")]


def choices(command):
    """{name of an option or argument: its values}, as --help lists them."""
    found = re.findall(r"(?m)^  (\S+).*?:{([^}]+)}", run(command, "--help"))
    return {names.split(",")[-1]: values.split(",") for names, values in found}


class Texts(unittest.TestCase):
    def test_there_are_commands_and_options(self):
        self.assertLess({"run", "top", "doctor", "man", "completion"}, set(commands()))
        self.assertLess({"-o", "--output", "--set", "--fsync", "-h", "--help"}, set(options("run")))
        self.assertEqual(choices("run")["--fsync"], ["never", "second", "batch"])

    def test_the_manual_page_has_every_command_and_option(self):
        page = run("man").replace("\\-", "-")
        for command in commands():
            section = re.search(rf"(?ms)^\.SS echo-sweep {command}( |$)(.*?)(?=^\.S[SH])", page)
            self.assertIsNotNone(section, command)
            for name in options(command):
                self.assertRegex(section[2], rf"\\fB{name}\\fR", command)
            for values in choices(command).values():
                self.assertIn(f"[{', '.join(values)}]", section[2])

    @needs("groff")
    def test_the_manual_page_is_sound_roff(self):
        done = subprocess.run(["groff", "-man", "-Tascii", "-ww"], input=run("man"), capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = re.sub(r"\x1b\[\d*m|.\x08", "", done.stdout)
        self.assertIn("echo-sweep run SWEEP [options]", text)

    def test_one_text_wherever_and_whenever_it_is_made(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in (["man"], ["completion", "bash"], ["completion", "zsh"]):
                elsewhere = run(*words, cwd=folder, env={"HOME": folder, "TZ": "Asia/Tokyo", "LANG": "de_DE", "COLUMNS": "20"})
                self.assertEqual(run(*words), elsewhere)
                self.assertNotIn(str(PROGRAM.parent), elsewhere)

    def test_a_shell_has_to_be_named(self):
        for words in (["completion"], ["completion", "fish"]):
            self.assertEqual(subprocess.run([PROGRAM, *words], capture_output=True).returncode, 2)


class Bash(unittest.TestCase):
    """Completion as bash carries it out."""

    @classmethod
    def setUpClass(cls):
        cls.script = run("completion", "bash")

    def complete(self, *words):
        """What is offered for the last word."""
        ask = f"{self.script}\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($#-1)); _echo_sweep; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-u", "-c", ask, "bash", "echo-sweep", *words], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout.split()

    def test_commands_and_their_options(self):
        self.assertEqual(set(self.complete("")), {*commands(), "--help", "--version"})
        self.assertEqual(self.complete("doc"), ["doctor"])
        for command in commands():
            self.assertEqual(sorted(self.complete(command, "-")), sorted(options(command)), command)

    def test_values_of_choices(self):
        for command in commands():
            for name, values in choices(command).items():
                before = [name] if name.startswith("-") else []
                self.assertEqual(self.complete(command, *before, ""), values, (command, name))
        self.assertEqual(self.complete("run", "a.toml", "--fsync", "=", "s"), ["second"])
        self.assertEqual(self.complete("run", "a.toml", "--fsync", "="), ["never", "second", "batch"])

    def test_a_sweep_without_a_command_is_run(self):
        self.assertEqual(self.complete("a.toml", "--fs"), ["--fsync"])

    def test_files_are_left_to_bash(self):
        self.assertEqual(self.complete("run", "a"), [])
        self.assertEqual(self.complete("run", "a.toml", "-o", "-"), [])


@needs("zsh")
class Zsh(unittest.TestCase):
    def arguments(self, *words):
        """What is handed to _arguments and _describe for the last word."""
        script = run("completion", "zsh").replace("#compdef echo-sweep", "")
        ask = f"""_arguments() {{ print -rl -- "$words[1]" "$CURRENT" "$@"; }}
_describe() {{ print -rl -- "${{(@P)4}}"; }}
_files() {{ }}
words=({' '.join(words)} ''); CURRENT=$#words
{script}"""
        done = subprocess.run(["zsh", "-f", "-c", ask], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "LC_ALL": "C"})
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout.splitlines()

    def test_commands_and_their_options(self):
        self.assertLess(set(commands()), {line.split(":")[0] for line in self.arguments("echo-sweep")})
        for command in commands():
            name, current, *specs = self.arguments("echo-sweep", command)
            self.assertEqual((name, current), (command, "2"))
            for option in options(command):
                self.assertTrue(any(re.match(rf"(\(.*\))?\*?{option}\[", spec) for spec in specs), (command, option))

    def test_a_sweep_without_a_command_is_run(self):
        name, current, *specs = self.arguments("echo-sweep", "a.toml")
        self.assertEqual((name, current), ("echo-sweep", "3"))
        self.assertTrue(any(spec.startswith("--fsync[") for spec in specs))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
