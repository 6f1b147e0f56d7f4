"""A whole launch over made-up rows, measured: what journal, blocks and file cost, and what a file of more rows takes at
these costs. Run by hand:     large_file.py FAKE_SWEEP FOLDER ROWS [PLANNED]

Rows have random times, the worst case for deflate; two thirds are feasible. The space has one point more than is asked for,
so that journals stay: the first launch does all, the second finds nothing to simulate and only assembles the file. CPU
seconds; memory is the peak of the process's resident set. The rows themselves cost 0.3 us each to make up."""

import os
import pathlib
import shutil
import subprocess
import sys


def run(command):
    """CPU seconds, and peak bytes of memory, of a command; its output."""
    done = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    output = done.stdout.read()
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output


def folder_bytes(folder):
    return sum(file.stat().st_size for file in folder.glob("*.rows"))


def main(program, folder, rows, planned):
    folder = pathlib.Path(folder) / "large_file"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    file = folder / "rows.h5"
    command = [program, file, str(rows + 1), "--limit", str(rows)]
    empty, _, _ = run([program, folder / "one.h5", "1"])  # the cost of a start
    whole, work_memory, _ = run(command)
    journal = folder_bytes(folder / "rows.h5.journal")
    size = file.stat().st_size
    file.unlink()
    assembly, memory, _ = run(command)
    work = whole - assembly + empty
    print(f"{rows} rows: {1e6 * (work - empty) / rows:.2f} us a row for journal and blocks ({work_memory >> 20} MiB), "
          f"{1e6 * (assembly - empty) / rows:.2f} us for the file ({rows / (assembly - empty):.0f} rows/s, {memory >> 20} MiB), "
          f"journal {journal / rows:.0f} bytes a row, "
          f"file {size / rows:.0f}")
    for count in planned:
        print(f"{count:.0e} rows at these costs: {(work - empty) * count / rows / 60:.0f} min of CPU over all workers for "
              f"journal and blocks, {(assembly - empty) * count / rows / 60:.1f} min for the file, "
              f"{journal * count / rows / 2**30:.0f} GiB of journals, a file of {size * count / rows / 2**30:.1f} GiB")
    shutil.rmtree(folder)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), [float(n) for n in sys.argv[4:]])
