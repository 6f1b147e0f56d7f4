"""Damaged result files, profiles and datasets of overlaps against every command that reads them: it prints what it prints
of the whole file, or refuses.     usage: mutation_test.py ECHO_SWEEP MUTATE_FILES WRITE_OVERLAPS COUNT [SEED [FIRST]]"""

import pathlib
import subprocess
import sys
import tempfile

PROGRAM, MUTATE, WRITE_OVERLAPS, *NUMBERS = sys.argv[1:]

SWEEP = """
schema = 1
name = "small"

[space]
model = "llama3-8b"
cluster = "dgx-h100-ndr400"
gpus = [16]
tp = [2, 4]
pp = [1, 2]
micro_batch = [1, 2]
global_batch = 64
"""

TABLE = """kind,m,n,k,duration_us
gemm,4096,4096,4096,220
gemm,8192,4096,4096,430
norm_forward,8192,4096,,60
"""

# The file that is damaged, the exit codes that refuse it, and the command. Tables of measurements are inputs of a sweep: exit
# code 2.
COMMANDS = """
result.h5 5: top result.h5 -n 3
result.h5 5: top result.h5 --json --per gpus
result.h5 5: export result.h5
result.h5 5: export result.h5 --format jsonl --columns config_id,step_time,tp --where status=='ok'
result.h5 5: show result.h5 3
result.h5 5: describe result.h5
result.h5 5: describe result.h5 --json
result.h5 5: status result.h5
result.h5 5: status result.h5 --json
result.h5 5: diff result.h5 whole.h5
result.h5 5: diff whole.h5 result.h5 --json
result.h5 5: merge result.h5 whole.h5 -o merged.h5
result.h5 5: plan small.toml -o result.h5 --json
result.h5 5: profile gaps result.h5 --json
result.h5 5: trace result.h5 3 -o step.json
result.h5 5: launch result.h5 3 --for megatron-lm
result.h5 5: verify result.h5
profile.h5 5: verify profile.h5
overlaps.h5 5: verify overlaps.h5
profile.h5 2: profile show profile.h5 --json
profile.h5 2: profile list profile.h5
profile.h5 2: plan small.toml -o none.h5 --profile profile.h5
overlaps.h5 2: slowdown import overlaps.h5 -o again.h5
"""


def run(*words, folder):
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "small.toml").write_text(SWEEP)
        (folder / "table.csv").write_text(TABLE)
        run(PROGRAM, "small.toml", "-q", "-o", "result.h5", folder=folder)
        (folder / "whole.h5").write_bytes((folder / "result.h5").read_bytes())
        run(PROGRAM, "profile", "import", "table.csv", "--gpu", "h100-sxm", "-o", "profile.h5", folder=folder)
        run(WRITE_OVERLAPS, "overlaps.h5", folder=folder)
        (folder / "commands").write_text(COMMANDS.strip() + "\n")
        return subprocess.run([MUTATE, name, folder / "commands", *NUMBERS]).returncode


sys.exit(main())
