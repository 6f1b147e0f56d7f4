"""`echo-sweep doctor` on installations that lack something, each made up for the test.   usage: doctor_test.py ECHO_SWEEP"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve()


class Doctor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()

    def install(self, name, *lines):
        path = self.bin / name
        path.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
        path.chmod(0o755)

    def doctor(self, *words, code=0, **environment):
        """Findings by subject; PATH holds only what the test installed."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "ECHO_", "HDF5_"))}
        done = subprocess.run([PROGRAM, "doctor", *words, "--json"], cwd=self.folder, capture_output=True, text=True,
                              timeout=60, env={**kept, "PATH": str(self.bin), **environment})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["can_run_sweeps"], code == 0)
        for finding in report["findings"]:
            self.assertIn(finding["state"], ("ok", "warning", "missing", "broken"))
            self.assertTrue(finding["found"])
            self.assertEqual(finding["state"] == "ok", not finding["remedy"], finding)
        return {finding["subject"]: finding for finding in report["findings"]}

    def library_version(self):
        return self.doctor()["MPI"]["found"].split(",")[0].split("v")[-1]

    def test_a_bare_machine_can_run_sweeps(self):
        found = self.doctor()
        self.assertEqual({subject for subject, finding in found.items() if finding["state"] == "missing"} - {"GPU"},
                         {"MPI", "Slurm", "Python"})
        self.assertRegex(found["catalog"]["found"], r"^/.*/catalog, beside the program$")
        self.assertRegex(found["echo-sweep"]["found"], r"^\d+\.\d+\.\d+, commit \S+, ")
        self.assertRegex(found["presets"]["found"], r"^\d+ models, \d+ GPUs, \d+ clusters")
        self.assertRegex(found["HDF5"]["found"], r"^\d+\.\d+\.\d+")
        self.assertEqual(found["output folder"]["state"], "ok")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["bin"])  # its trial file is gone

    def test_the_launcher_has_to_be_that_of_the_library(self):
        allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        version = self.library_version()
        self.install("mpirun", f"echo 'mpirun (Open MPI) {version}'")
        self.assertEqual(self.doctor(**allowed)["MPI"]["state"], "ok")
        self.install("mpirun", "echo 'mpirun (Open MPI) 1.2.3'")
        finding = self.doctor(**allowed)["MPI"]
        self.assertEqual(finding["state"], "warning")
        self.assertIn("mpirun 1.2.3", finding["found"])
        self.install("mpirun", "exit 1")
        self.assertEqual(self.doctor(**allowed)["MPI"]["state"], "missing")

    @unittest.skipUnless(os.geteuid() == 0, "only root is refused by mpirun")
    def test_root_is_told_that_mpirun_refuses_it(self):
        self.install("mpirun", f"echo 'mpirun (Open MPI) {self.library_version()}'")
        finding = self.doctor(OMPI_ALLOW_RUN_AS_ROOT="", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="")["MPI"]
        self.assertIn("refuses root", finding["found"])

    def test_a_folder_that_cannot_be_written_is_broken(self):
        for folder in ("/proc", "no/such/folder"):
            finding = self.doctor(folder, code=5)["output folder"]
            self.assertEqual(finding["state"], "broken")
            self.assertIn(folder, finding["found"])

    def test_a_catalog_that_is_not_there_is_broken(self):
        found = self.doctor(code=5, ECHO_CATALOG_DIR=str(self.folder / "nowhere"))
        self.assertEqual(found["catalog"]["state"], "broken")
        self.assertIn(str(self.folder / "nowhere"), found["catalog"]["found"])
        self.assertIn("ECHO_CATALOG_DIR", found["catalog"]["remedy"])
        self.assertNotIn("presets", found)

    def test_a_catalog_that_cannot_be_read_is_broken(self):
        for kind in ("gpus", "models", "clusters"):
            (self.folder / "mine" / kind).mkdir(parents=True)
        (self.folder / "mine/gpus/odd.toml").write_text("name = ")
        found = self.doctor(code=5, ECHO_CATALOG_DIR="mine")
        self.assertEqual(found["catalog"]["found"], "mine, as ECHO_CATALOG_DIR says")
        self.assertEqual(found["presets"]["state"], "broken")

    def test_slurm_and_the_job_it_is_in(self):
        self.install("sbatch", "exit 1")
        self.assertIn("no cluster", self.doctor()["Slurm"]["found"])
        self.install("sbatch", "echo slurm-wlm 22.05.8")
        self.assertEqual(self.doctor()["Slurm"]["found"], "slurm-wlm 22.05.8, outside of a job")
        found = self.doctor(SLURM_JOB_ID="17", SLURM_NTASKS="8", SLURM_JOB_NUM_NODES="2")["Slurm"]["found"]
        self.assertEqual(found, "slurm-wlm 22.05.8, in job 17 of 8 tasks on 2 nodes")

    def test_python(self):
        done = subprocess.run([PROGRAM, "version", "--json"], capture_output=True, text=True, check=True)
        version = json.loads(done.stdout)["version"]
        self.install("python3", f"echo {version} 3.7.0 1.24.2")
        self.assertEqual(self.doctor()["Python"]["found"],
                         f"echo_sweep {version} can be imported, with h5py 3.7.0 and numpy 1.24.2")
        self.install("python3", "echo 0.0.1 3.7.0 1.24.2")
        self.assertEqual(self.doctor()["Python"]["state"], "warning")

    def test_file_locking_may_be_off(self):
        self.assertIn("does not lock", self.doctor(HDF5_USE_FILE_LOCKING="FALSE")["file locking"]["found"])

    def test_the_text_says_what_the_json_says(self):
        done = subprocess.run([PROGRAM, "doctor"], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PATH": str(self.bin)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("missing  Slurm", done.stdout)
        self.assertTrue(done.stdout.endswith("sweeps can run here\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)  # says why a test was skipped
