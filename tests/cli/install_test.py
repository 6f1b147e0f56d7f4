"""The program as `cmake --install` and `cpack` put it elsewhere.   usage: install_test.py CMAKE BUILD_FOLDER"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE, BUILD = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
SWEEP = """
schema = 1
name = "small"
[space]
model = "gpt3-13b"
cluster = "h800-96"
framework = "megatron-core"
recipe = "nvidia-performance"
gpus = 16
tp = [2, 4]
pp = 2
micro_batch = 1
global_batch = 64
precision = "bf16"
[derive]
dp = "gpus / (tp * pp)"
microbatches = "global_batch / (dp * micro_batch)"
"""
# An ordinary user's environment: nothing in it knows of the source.
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith(("ECHO_", "PYTHON", "XDG_"))}


def run(*words, code=0, cwd=None, **environment):
    done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=300,
                          env={**PLAIN, **environment})
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def needs(*programs):
    """Leaves a test out where a program is missing, and says so where ctest's log is searched for it."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        print(f"SKIPPED: {', '.join(missing)} not installed")
    return unittest.skipIf(missing, f"{missing} not installed")


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name).resolve()
        (cls.root / "first").mkdir()
        run(CMAKE, "--install", BUILD, "--prefix", cls.root / "first/prefix")
        # Another user's copy: the whole prefix stands elsewhere.
        cls.prefix = (cls.root / "first").rename(cls.root / "copy") / "prefix"
        cls.program = cls.prefix / "bin/echo-sweep"
        cls.catalog = cls.prefix / "share/echo-sweep/catalog"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "small.toml").write_text(SWEEP)
        self.home = {"HOME": str(self.folder)}

    def run_program(self, *words, **settings):
        return run(self.program, *words, cwd=self.folder, **self.home, **settings)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_all_of_it_is_there(self):
        share = self.prefix / "share"
        for path in ("echo-sweep/schemas/results_v1.toml", "echo-sweep/schemas/sweep.schema.json",
                     "echo-sweep/sweeps/gpt3-175b-96xh800.toml", "echo-sweep/slurm/sweep.sbatch",
                     "doc/echo-sweep/README.md", "doc/echo-sweep/copyright"):
            self.assertTrue((share / path).is_file(), path)
        for path, words in (("man/man1/echo-sweep.1", ["man"]),
                            ("bash-completion/completions/echo-sweep", ["completion", "bash"]),
                            ("zsh/site-functions/_echo-sweep", ["completion", "zsh"]),
                            ("echo-sweep/schemas/sweep.schema.json", ["schema"])):
            self.assertEqual((share / path).read_text(), self.run_program(*words).stdout)
        here = {path.relative_to(self.catalog): path.read_bytes() for path in self.catalog.rglob("*.toml")}
        there = SOURCE / "sweeps/catalog"
        self.assertEqual(here, {path.relative_to(there): path.read_bytes() for path in there.rglob("*.toml")})
        self.assertEqual([path for path in self.prefix.rglob("*") if path.is_symlink() or path.name == "__pycache__"], [])

    def test_the_catalog_is_the_one_beside_it(self):
        self.assertIn(f"from {self.catalog}/models/gpt3-13b.toml", self.run_program("presets", "show", "gpt3-13b").stdout)
        self.assertEqual(json.loads(self.run_program("presets", "list", "--json").stdout)["search_path"], [str(self.catalog)])
        findings = {one["subject"]: one for one in json.loads(self.run_program("doctor", "--json").stdout)["findings"]}
        self.assertEqual(findings["catalog"]["found"], f"{self.catalog}, beside the program")
        (self.folder / "link").symlink_to(self.program)
        self.assertIn(str(self.catalog), run("./link", "doctor", cwd=self.folder, **self.home).stdout)

    def test_a_sweep_gives_the_rows_of_the_build_tree_and_reads_no_file_of_it(self):
        import h5py
        told = self.run_program("small.toml", "-o", "installed.h5").stdout
        run(BUILD / "bin/echo-sweep", "small.toml", "-o", "built.h5", cwd=self.folder, **self.home)
        with h5py.File(self.folder / "installed.h5") as installed, h5py.File(self.folder / "built.h5") as built:
            self.assertEqual(installed.attrs["rows_digest"], built.attrs["rows_digest"])
            paths = [path.decode() for path in installed["provenance/inputs/path"][:]]
        self.assertIn("rows_digest", told)
        self.assertIn(f"{self.catalog}/models/gpt3-13b.toml", paths)
        self.assertEqual([path for path in paths if not path.startswith(str(self.catalog)) and path != "small.toml"], [])

    def test_a_wrong_folder_is_an_error_and_writes_nothing(self):
        (self.folder / "empty").mkdir()
        for folder, flaw in (("nowhere", "no such folder"), ("empty", 'no folder "gpus"'), ("small.toml", "no such folder")):
            for words in (["small.toml"], ["check", "small.toml"], ["presets", "list"], ["schema"]):
                told = self.run_program(*words, code=2, ECHO_CATALOG_DIR=folder)
                self.assertIn(f"ECHO_CATALOG_DIR is {folder}, which is not a catalog", told.stderr + told.stdout)
                self.assertIn(flaw, told.stderr + told.stdout)
        self.assertEqual(self.files(), ["empty", "small.toml"])

    @needs("mpirun")
    def test_workers_find_it_and_refuse_a_wrong_folder_together(self):
        run("mpirun", "-n", "2", self.program, "small.toml", cwd=self.folder, **self.home)
        (self.folder / "small.h5").unlink()
        told = run("mpirun", "-n", "2", self.program, "small.toml", cwd=self.folder, code=2, ECHO_CATALOG_DIR="nowhere",
                   **self.home)
        self.assertEqual(told.stderr.count("ECHO_CATALOG_DIR is nowhere"), 1, told.stderr)
        self.assertEqual(self.files(), ["small.toml"])

    def test_the_variable_wins_and_without_either_the_folder_tried_is_named(self):
        shutil.copytree(self.catalog, self.folder / "mine")
        bare = self.folder / "prefix/bin"
        bare.mkdir(parents=True)
        shutil.copy(self.program, bare)
        told = run(bare / "echo-sweep", "small.toml", code=2, cwd=self.folder, **self.home).stderr
        self.assertIn(f"tried {bare.parent.resolve() / 'share/echo-sweep/catalog'}", told)
        for program in (bare / "echo-sweep", self.program):
            told = run(program, "presets", "list", "--json", cwd=self.folder, ECHO_CATALOG_DIR="mine", **self.home).stdout
            self.assertEqual(json.loads(told)["search_path"], ["mine"])

    def test_version_and_commit(self):
        self.assertEqual(self.run_program("--version").stdout, self.run_program("version").stdout)
        told = json.loads(self.run_program("version", "--json").stdout)
        self.assertRegex(told["git_commit"], r"^\S+$")
        self.assertIn(f"echo-sweep {told['version']} (commit {told['git_commit']};", self.run_program("--version").stdout)

    def test_the_python_package_is_of_the_same_version(self):
        packages = {path.parent.parent for path in self.prefix.rglob("echo_sweep/__init__.py")}
        self.assertEqual(len(packages), 1)
        ask = "import echo_sweep; print(echo_sweep.__version__, echo_sweep.__file__)"
        version, file = run(sys.executable, "-B", "-c", ask, PYTHONPATH=str(*packages), cwd=self.folder).stdout.split()
        self.assertEqual(version, json.loads(self.run_program("version", "--json").stdout)["version"])
        self.assertTrue(file.startswith(str(self.prefix)))
        self.run_program("small.toml")
        told = run(self.prefix / "bin/echo-sweep-results", "top", "small.h5", cwd=self.folder, PYTHONDONTWRITEBYTECODE="1")
        self.assertIn("step_time", told.stdout)
        self.assertIn("usage: echo-trace", run(self.prefix / "bin/echo-trace", "--help", PYTHONDONTWRITEBYTECODE="1").stdout)


class Commit(unittest.TestCase):
    def told(self, folder, *words):
        return run(CMAKE, *words, "-P", folder / "src/commit.cmake").stderr.strip()

    def test_an_archive_knows_it_and_a_bare_copy_says_unknown(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "copy"
            (copy / "src").mkdir(parents=True)
            for name in ("commit.cmake", "commit.txt"):
                shutil.copy(SOURCE / "src" / name, copy / "src")
            known = (SOURCE / "src/commit.txt").read_text().strip()
            self.assertEqual(self.told(copy), "unknown" if known.startswith("$") else known)
            self.assertEqual(self.told(copy, "-DECHO_COMMIT=v1"), "v1")
            if not (SOURCE / ".git").exists():
                self.skipTest("no git: this source is an archive itself")
            run("git", "-c", f"safe.directory={SOURCE}", "archive", "-o", copy / "archive.tar", "HEAD", "src/commit.txt",
                "src/commit.cmake", "src/.gitattributes", cwd=SOURCE)
            run("tar", "-xf", "archive.tar", cwd=copy)
            head = run("git", "-c", f"safe.directory={SOURCE}", "rev-parse", "HEAD", cwd=SOURCE).stdout
            self.assertTrue(head.startswith(self.told(copy)), self.told(copy))
            self.assertGreaterEqual(len(self.told(copy)), 7)


@needs("dpkg-shlibdeps", "file")
class Package(unittest.TestCase):
    """tests/package_test.sh installs it into a bare Debian."""

    def test_it_names_its_libraries_and_runs_where_it_is_unpacked(self):
        with tempfile.TemporaryDirectory() as folder:
            run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", folder)
            package, = pathlib.Path(folder).glob("*.deb")
            depends = run("dpkg-deb", "-f", package, "Depends").stdout
            for library in ("libopenmpi", "libhdf5", "libc6", "openmpi-bin"):
                self.assertIn(library, depends)
            run("dpkg-deb", "-x", package, f"{folder}/root")
            usr = pathlib.Path(folder).resolve() / "root/usr"
            self.assertTrue((usr / "lib/python3/dist-packages/echo_sweep/__init__.py").is_file())
            self.assertEqual([path.name for path in usr.parent.iterdir()], ["usr"])
            told = run(usr / "bin/echo-sweep", "presets", "list", "--json", HOME=folder).stdout
            self.assertEqual(json.loads(told)["search_path"], [str(usr / "share/echo-sweep/catalog")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
