"""What `echo-sweep packets`, and sweeps with contention = "packet", cost as flows, bytes and GPUs grow, in Markdown.
docs/refresh runs it.

usage: python3 docs/packet_growth.py flows | gpus
"""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(os.environ["ECHO_SWEEP"]).resolve()
SWEEP = """
schema = 1
name = "growth"
[space]
model = "llama3-8b"
cluster = "dgx-h100-roce400"
gpus = {gpus}
tp = 2
micro_batch = 1
global_batch = 2048
recompute = "full"
zero = {zero}
oversubscription = 4.0
[simulate]
contention = "{contention}"
packet_cache = "off"
"""


def cost_of(folder, *words):
    """Processor time of one run of the program in seconds, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([PROGRAM, *words], cwd=folder, check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def incast(folder, senders, size):
    """N to 1 through one switch at 100 Gb/s, DCQCN: processor time, packets on links."""
    hosts = senders + 1
    links = [f"{host} {hosts} 100Gbps 1us 0" for host in range(hosts)]
    (folder / "star.txt").write_text("\n".join([f"{hosts + 1} 1 {hosts}", str(hosts), *links]) + "\n")
    flows = [f"{i} {i + 1} 0 3 100 {size} 0 -1" for i in range(senders)]
    (folder / "flows.txt").write_text("\n".join([str(senders), *flows]) + "\n")
    seconds, said = cost_of(folder, "packets", "--topology", "star.txt", "--flows", "flows.txt", "--cc", "dcqcn", "--csv", "out.csv")
    return seconds, int(re.search(r"(\d+) packet hops", said)[1])


def flows(folder):
    print("| senders | bytes of each | packets on links | processor time | for ten packets on a link |")
    print("|---|---|---|---|---|")
    start = min(incast(folder, 1, 1000)[0] for _ in range(5))  # of the program
    for senders, size in [(16, 1_000_000), (64, 1_000_000), (256, 1_000_000), (1024, 1_000_000), (64, 10_000_000)]:
        seconds, hops = min(incast(folder, senders, size) for _ in range(3))
        seconds -= start
        print(f"| {senders} | {size / 1e6:g} MB | {hops:,} | {seconds:.2f} s | {seconds / hops * 1e7:.2f} us |".replace(",", " "))


def gpus(folder):
    print("| GPUs | ZeRO 1, packets | ZeRO 3, packets | ZeRO 3, formulas |")
    print("|---|---|---|---|")
    for count in (64, 256, 1024):
        seconds = []
        for zero, contention in [(1, "packet"), (3, "packet"), (3, "analytical")]:
            (folder / "sweep.toml").write_text(SWEEP.format(gpus=count, zero=zero, contention=contention))
            seconds.append(cost_of(folder, "sweep.toml", "-o", "rows.h5", "--fresh", "-q")[0])
        print(f"| {count} | " + " | ".join(f"{one:.1f} s" for one in seconds) + " |")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        {"flows": flows, "gpus": gpus}[sys.argv[1]](pathlib.Path(scratch))
