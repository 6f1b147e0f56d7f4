"""Sweeps whose collectives are simulated packet by packet (`[simulate] contention = "packet"`).

usage: packet_contention_test.py ECHO_SWEEP
"""

import functools
import pathlib
import subprocess
import sys
import unittest

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "tests/support")]
from program_case import ProgramCase  # noqa: E402

SWEEP = """
schema = 1
name = "packets"
[space]
model = "llama3-8b"
cluster = "dgx-h100-roce400"
gpus = 64
tp = [1, 8]
micro_batch = 1
global_batch = 128
zero = [1, 3]
oversubscription = [1.0, 4.0]
routing = ["ecmp", "adaptive"]
{axis}
[derive]
dp = "gpus / tp"
[simulate]
contention = "{contention}"
{simulate}
"""
AXIS = 'congestion_control = ["dcqcn", "hpcc", "none"]'


class PacketContention(ProgramCase):
    def swept(self, contention, axis="", simulate="", workers=1, sweep=SWEEP):
        (self.folder / "sweep.toml").write_text(sweep.format(contention=contention, axis=axis, simulate=simulate))
        file = f"{contention}-{workers}.h5"
        words = ["sweep.toml", "-o", file, "--progress", "none", "-q", "--fresh"]
        if workers == 1:
            self.run_program(*words)
        else:
            subprocess.run(["mpirun", "-n", str(workers), self.program, *words], cwd=self.folder, check=True, timeout=240)
        with h5py.File(self.folder / file) as rows:
            return {name: rows[name][:] for name in ("step_time", "congestion_control", "status")}, rows.attrs["rows_digest"]

    @classmethod
    @functools.cache
    def by_packets(cls):
        """Along AXIS, on one worker, with nothing kept."""
        return cls().swept("packet", AXIS, simulate='packet_cache = "off"')

    def test_is_slower_than_flows_and_differs_by_congestion_control(self):
        flows, _ = self.swept("flow", AXIS)
        packets, _ = self.by_packets()
        feasible = packets["status"] == 0
        self.assertTrue(feasible.any())
        ratio = packets["step_time"][feasible] / flows["step_time"][feasible]
        self.assertGreater(ratio.min(), 0.99)
        self.assertGreater(ratio.max(), 1.0)
        by_control = [packets["step_time"][feasible & (packets["congestion_control"] == c)]
                      for c in np.unique(packets["congestion_control"])]
        self.assertEqual(len(by_control), 3)
        self.assertFalse(np.array_equal(by_control[0], by_control[1]))

    def test_is_the_same_for_any_number_of_workers(self):
        _, one = self.by_packets()
        _, three = self.swept("packet", AXIS, workers=3)
        self.assertEqual(one, three)

    def test_takes_its_congestion_control_from_simulate(self):
        by_axis, _ = self.swept("packet", 'congestion_control = "hpcc"')
        by_key, _ = self.swept("packet", simulate='congestion_control = "hpcc"')
        np.testing.assert_array_equal(by_axis["step_time"], by_key["step_time"])

    def test_keeps_answers_for_later_runs_and_works_out_damaged_ones_again(self):
        kept, folder = 'packet_cache = "kept"', self.folder / "kept"
        _, alone = self.by_packets()
        self.assertFalse((self.folder / "off").exists())
        _, first = self.swept("packet", AXIS, simulate=kept)
        files = sorted(folder.glob("*.answers"))
        self.assertEqual(len(files), 1)
        answers = files[0].read_bytes()
        _, second = self.swept("packet", AXIS, simulate=kept)
        self.assertEqual(sorted(folder.glob("*.answers")), files)
        files[0].write_bytes(answers[:len(answers) // 2] + b"damaged" + answers[len(answers) // 2 + 7:])
        _, third = self.swept("packet", AXIS, simulate=kept)
        self.assertEqual(len(list(folder.glob("*.answers"))), 2)
        self.assertEqual({alone, first, second, third}, {first})

    def test_shares_answers_among_workers(self):
        self.swept("packet", AXIS, simulate='packet_cache = "alone"')
        self.swept("packet", AXIS, simulate='packet_cache = "shared"', workers=3)
        alone, shared = ([sum(file.stat().st_size for file in (self.folder / name).glob("*.answers"))]
                         for name in ("alone", "shared"))
        self.assertEqual(alone, shared, "a question was worked out twice")

    def test_nics_and_switches_are_axes(self):
        one = SWEEP.replace("tp = [1, 8]", "tp = 8").replace("zero = [1, 3]", "zero = 1")
        one = one.replace("[1.0, 4.0]", "4.0").replace('["ecmp", "adaptive"]', '"ecmp"')
        own = """nic = ["cluster", "connectx-7", "slow"]
switch = ["cluster", "small"]
congestion_control = "dcqcn\""""
        presets = """
[nics.slow]
base = "connectx-7"
source = "a trial"
grade = "assumed"
[nics.slow.dcqcn]
RATE_DECREASE_INTERVAL = 1
[switches.small]
base = "spectrum-4"
source = "a trial"
grade = "assumed"
[switches.small.parameters]
"KMIN 400G" = 1
"KMAX 400G" = 4
"""
        self.swept("packet", own, simulate=presets, sweep=one)
        with h5py.File(self.folder / "packet-1.h5") as rows:
            names = {axis: [name for name in rows[axis].attrs["flag_meanings"].split()] for axis in ("nic", "switch")}
            feasible = rows["status"][:] == 0
            by_choice = {}
            for nic, switch, time in zip(rows["nic"][feasible], rows["switch"][feasible], rows["step_time"][feasible]):
                by_choice.setdefault((names["nic"][nic], names["switch"][switch]), []).append(time)
        self.assertEqual(len(by_choice), 6)
        self.assertEqual(by_choice["cluster", "cluster"], by_choice["connectx-7", "cluster"])
        self.assertEqual(len({tuple(times) for times in by_choice.values()}), 4)
        self.assertGreater(sum(by_choice["slow", "small"]), sum(by_choice["cluster", "cluster"]))
        shown = self.run_program("show", "packet-1.h5", "1").stdout
        self.assertNotIn("changed since", shown)

    def test_show_and_search_take_answers_that_are_kept(self):
        folder = self.folder / "kept"
        search = 'packet_cache = "kept"\n[search]\nstrategy = "best"\ntop = 3\n'
        _, first = self.swept("packet", simulate=search)
        size = sum(file.stat().st_size for file in folder.glob("*.answers"))
        self.assertGreater(size, 0)
        _, second = self.swept("packet", simulate=search)
        self.run_program("show", "packet-1.h5", "0")
        self.assertEqual(first, second)
        self.assertEqual(size, sum(file.stat().st_size for file in folder.glob("*.answers")), "a question was worked out again")
        for file in folder.glob("*.answers"):
            file.unlink()
        self.run_program("show", "packet-1.h5", "0")
        self.assertTrue(list(folder.glob("*.answers")), "show keeps no answers")

    def test_takes_its_budget_from_simulate(self):
        _, as_shipped = self.swept("packet", AXIS)
        _, said = self.swept("packet", AXIS, simulate="packet_budget = 5_000_000")
        _, less = self.swept("packet", AXIS, simulate="packet_budget = 3000")
        self.assertEqual(as_shipped, said)
        self.assertNotEqual(as_shipped, less)


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
