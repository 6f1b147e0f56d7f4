"""Rows of a result file, by echo-sweep export: the kit reads no HDF5 itself."""

import json
import subprocess


def rows_of(context, path):
    """The rows as dicts, in the order of the points; [] where the program cannot read the file."""
    words, env = context.sweeping("export", path, "--format", "jsonl")
    done = subprocess.run(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=60)
    return [json.loads(line) for line in done.stdout.decode().splitlines()] if done.returncode == 0 else []
