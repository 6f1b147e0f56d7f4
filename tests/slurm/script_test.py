"""What the batch scripts decide, for every way a launch can end: bash runs them for real, with a launcher, a Slurm and a
program that only note what they were asked. And: slurm/ holds what `echo-sweep slurm` prints.
usage: script_test.py ECHO_SWEEP SOURCE_DIR"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SWEEP = SOURCE / "tests/mpi/tiny.toml"

# Each double appends its command line to `calls` and answers as the environment says.
NOTE = '#!/bin/bash\nprintf "%s\\n" "$(basename "$0") $*" >>"$CALLS"\n'
LAUNCHER = NOTE + """trap 'echo told >>"$CALLS"; exit 75' USR1
[[ -z ${SLOW:-} ]] || { touch "$CALLS.up"; for ((i = 0; i < 500; ++i)); do sleep 0.02; done; }
exit "$LAUNCH_CODE"
"""
PROGRAM_DOUBLE = NOTE + """case $1 in
  status) for part in ${INCOMPLETE:-}; do [[ $2 == *"$part"* ]] && exit 75; done; exit "$STATE" ;;
  merge) touch "$3"; exit "${MERGE_CODE:-0}" ;;
esac
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("mpirun", LAUNCHER), ("srun", LAUNCHER), ("scontrol", NOTE), ("program", PROGRAM_DOUBLE)):
            self.double(name, text)

    def double(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def slurm(self, *words, code=0):
        done = subprocess.run([PROGRAM, "slurm", *words], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def environment(self, **more):
        return {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "CALLS": str(self.folder / "calls"),
                "ECHO_SWEEP": str(self.folder / "program"), "SLURM_JOB_ID": "17", "LAUNCH_CODE": "0", "STATE": "0",
                **{name: str(value) for name, value in more.items()}}

    def run_script(self, script, *arguments, **environment):
        """(exit code, what was called)"""
        (self.folder / "calls").write_text("")
        done = subprocess.run(["bash", "-c", script, "script", *arguments], cwd=self.folder, text=True, timeout=60,
                              capture_output=True, env=self.environment(**environment))
        return done.returncode, (self.folder / "calls").read_text().splitlines()

    def test_committed_scripts_are_what_the_program_prints(self):
        for name, words in (("sweep", []), ("sweep_array", ["--array", "8"]), ("profile", ["--profile"])):
            self.assertEqual((SOURCE / f"slurm/{name}.sbatch").read_text(), self.slurm(*words), name)

    def test_a_launch_that_ends_is_judged_by_file_and_journals(self):
        for launcher in ("mpirun", "srun"):
            script = self.slurm(SWEEP, "-o", "r.h5", "--launcher", launcher)
            for code, state, leaves_with, requeues in (
                    (0, 0, 0, False), (3, 0, 3, False), (4, 0, 4, False),  # complete
                    (1, 0, 0, False), (137, 0, 0, False),                  # complete, the launcher died afterwards
                    (75, 75, 75, True), (1, 75, 75, True), (137, 75, 75, True), (0, 75, 75, True),
                    (2, 75, 2, False), (4, 75, 4, False), (5, 75, 5, False),  # would only happen again
                    (2, 5, 2, False), (0, 5, 5, False), (1, 5, 1, False)):   # nothing there to go on from
                with self.subTest(launcher=launcher, code=code, state=state):
                    left, calls = self.run_script(script, LAUNCH_CODE=code, STATE=state)
                    self.assertEqual((left, "scontrol requeue 17" in calls), (leaves_with, requeues))
                    self.assertIn("program status r.h5 --exit-code", calls)

    def test_restarts_are_bounded(self):
        script = self.slurm(SWEEP, "--max-restarts", "3")
        for restarts, requeues in ((0, True), (2, True), (3, False), (4, False)):
            code, calls = self.run_script(script, LAUNCH_CODE=75, STATE=75, SLURM_RESTART_COUNT=restarts)
            self.assertEqual((code, "scontrol requeue 17" in calls), (75, requeues), restarts)

    def test_mpirun_is_told_of_the_time_limit(self):
        process = subprocess.Popen(["bash", "-c", self.slurm(SWEEP)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.environment(SLOW=1, STATE=75))
        try:
            while not (self.folder / "calls.up").exists():
                self.assertIsNone(process.poll(), "the script ended before it was told")
            process.send_signal(signal.SIGUSR1)
            self.assertEqual(process.wait(timeout=30), 75)
        finally:
            process.kill()
            process.wait()
        calls = (self.folder / "calls").read_text().splitlines()
        self.assertEqual([call.split()[0] for call in calls], ["mpirun", "told", "program", "scontrol"])

    def test_arguments_reach_the_run_whatever_they_hold(self):
        odd = "it's $HOME `x` \"y\" {z}"
        (self.folder / f"{odd}.toml").write_text(SWEEP.read_text())
        script = self.slurm(f"{odd}.toml", "-o", f"{odd}.h5", "--set", "title=a 'b'")
        _, calls = self.run_script(script, "--limit", "7")
        self.assertEqual(calls[0].split(" run ", 1)[1],
                         f"{odd}.toml -o {odd}.h5 --set title=a 'b' --progress line --limit 7")
        _, calls = self.run_script(self.slurm(), "a b.toml", "c.h5", "--fresh")
        self.assertEqual(calls[0].split(" run ", 1)[1], "a b.toml -o c.h5 --progress line --fresh")
        code, calls = self.run_script(self.slurm(), "a.toml")
        self.assertNotEqual(code, 0)
        self.assertEqual(calls, [])

    def test_without_a_build_folder_the_installed_program_runs(self):
        installed, script = self.folder / "echo-sweep", self.slurm()
        self.double(installed.name, PROGRAM_DOUBLE)
        _, calls = self.run_script(script, "a.toml", "b.h5", ECHO_SWEEP="", STATE=0)
        self.assertEqual(calls, ["mpirun echo-sweep run a.toml -o b.h5 --progress line", "echo-sweep status b.h5 --exit-code"])
        (self.folder / "build/release/bin").mkdir(parents=True)
        installed.rename(self.folder / "build/release/bin/echo-sweep")
        _, calls = self.run_script(script, "a.toml", "b.h5", ECHO_SWEEP="", STATE=0)
        self.assertIn("build/release/bin/echo-sweep run", calls[0])

    def test_the_last_shard_merges(self):
        script = self.slurm(SWEEP, "-o", "r.h5", "--array", "3")
        parts = [f"r.shard-{i}-of-3.h5" for i in (1, 2, 3)]
        code, calls = self.run_script(script, SLURM_ARRAY_TASK_ID=2, INCOMPLETE=parts[2])
        self.assertEqual(code, 0)
        self.assertFalse([call for call in calls if call.startswith("program merge")])
        code, calls = self.run_script(script, SLURM_ARRAY_TASK_ID=3)
        self.assertIn("-o r.shard-3-of-3.h5 --shard 3/3 ", calls[0])
        self.assertEqual((code, calls[-1]), (0, f"program merge -o r.merged-by-17.h5 {' '.join(parts)}"))
        self.assertTrue((self.folder / "r.h5").exists())
        self.assertEqual(self.run_script(script, SLURM_ARRAY_TASK_ID=1, LAUNCH_CODE=4)[0], 4)
        self.assertEqual(self.run_script(script, SLURM_ARRAY_TASK_ID=1, MERGE_CODE=5)[0], 5)
        for wrong in (0, 4):
            self.assertEqual(self.run_script(script, SLURM_ARRAY_TASK_ID=wrong), (2, []))
        generic = self.slurm("--array", "3")
        self.assertEqual(self.run_script(generic, "a.toml", "r.hdf", SLURM_ARRAY_TASK_ID=1), (2, []))

    def test_an_incomplete_shard_is_queued_again_and_not_merged(self):
        script = self.slurm(SWEEP, "-o", "r.h5", "--array", "2")
        code, calls = self.run_script(script, SLURM_ARRAY_TASK_ID=1, LAUNCH_CODE=75, INCOMPLETE="shard-1-of-2")
        self.assertEqual((code, calls[-1]), (75, "scontrol requeue 17"))

    def test_sbatch_lines(self):
        script = self.slurm(SWEEP, "--nodes", "3", "--tasks-per-node", "48", "--time", "1-12:00:00", "--partition", "a,b",
                            "--account", "lab-7", "--array", "12", "--launcher", "srun")
        lines = [line.removeprefix("#SBATCH ") for line in script.splitlines() if line.startswith("#SBATCH ")]
        self.assertEqual(lines, ["--job-name=echo-tiny", "--nodes=3", "--ntasks-per-node=48", "--time=1-12:00:00",
                                 "--partition=a,b", "--account=lab-7", "--array=1-12", "--signal=USR1@180", "--requeue",
                                 "--open-mode=append", "--output=echo-tiny-%A_%a.log"])
        self.assertIn("#SBATCH --signal=B:USR1@180\n", self.slurm(SWEEP))

    def test_times_are_those_of_slurm(self):
        for time in ("10", "90:30", "0:10:00", "100:00:00", "1-0", "1-2:30", "1-2:30:15"):
            self.assertIn(f"#SBATCH --time={time}\n", self.slurm("--time", time))
        for time in ("9", "9:59", "0:09:59", "0-0:9", "1-", ":5", "1:2:3:4", "1-2-3", "1:2-3", "5m", "1e3", "9999999"):
            self.slurm("--time", time, code=2)

    def test_nonsense_is_refused_before_it_is_submitted(self):
        for words, told in ((["--nodes", "0"], "--nodes 0"), (["--tasks-per-node", "0"], "--tasks-per-node 0"),
                            (["--array", "1"], "--array 1"), (["--time", "soon"], "soon"), (["--time", "5"], "too short"),
                            (["--time", "1:2:3:4"], "1:2:3:4"), (["--time", "-5"], "-5"), (["--nodes", "-1"], "nodes"),
                            (["--partition", "a b"], "a b"), (["--account", "x\n#SBATCH -n9"], "account"),
                            (["--launcher", "aprun"], "launcher"), (["--profile", str(SWEEP)], "--profile"),
                            (["--profile", "--array", "2"], "--profile"), (["-o", "r.h5"], "-o"),
                            ([str(SWEEP), "--array", "2", "-o", "r.nc"], "r.nc"), ([str(SWEEP), "-o", "a\nrm.h5"], "control character"), (["no_such.toml"], "no_such.toml"),
                            ([str(SWEEP), "--set", "space.tp=wide"], "wide")):
            with self.subTest(words=words):
                self.assertIn(told, self.slurm(*words, code=2))

    def test_profile_measures_and_says_what_it_could_not_do(self):
        script = self.slurm("--profile")
        self.double("srun", '#!/bin/bash\nexec "$@"\n')

        def run(folder):
            return self.run_script(script, folder, ECHO_PROFILERS=self.folder)[0]

        self.assertEqual(run("none"), 5)  # not built
        self.double("echo-gpu-info", "#!/bin/bash\necho 'GPUs          none usable here'\n")
        self.assertEqual(run("none"), 5)  # the others are not built
        for name in ("profile", "overlap"):
            self.double(f"echo-{name}", f'#!/bin/bash\necho {name} >"$1"; exit ${{{name.upper()}_CODE:-0}}\n')
        self.assertEqual(run("none"), 5)  # no GPU
        self.assertFalse((self.folder / "none/kernels.h5").exists())
        self.double("echo-gpu-info", "#!/bin/bash\necho 'GPUs          1'\n")
        self.assertEqual(run("out"), 0)
        self.assertEqual((self.folder / "out/kernels.h5").read_text(), "profile\n")
        self.assertEqual((self.folder / "out/overlaps.h5").read_text(), "overlap\n")
        for codes, left, measured in (({"PROFILE_CODE": 75}, 75, True), ({"PROFILE_CODE": 1}, 1, False),
                                      ({"OVERLAP_CODE": 69}, 69, True)):
            with self.subTest(**codes):
                folder = "-".join(f"{name}-{code}" for name, code in codes.items())
                code, _ = self.run_script(script, folder, ECHO_PROFILERS=self.folder, **codes)
                self.assertEqual((code, (self.folder / folder / "overlaps.h5").exists()), (left, measured))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
