"""echo-sweep collective as a user meets it.   usage: collective_test.py ECHO_SWEEP"""

import json
import subprocess
import sys
import unittest

program = ""


class Collective(unittest.TestCase):
    def run_program(self, *words, code=0):
        done = subprocess.run([program, "collective", *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def machines(self, *words):
        return json.loads(self.run_program(*words, "--json").stdout)["machines"]

    def rows(self, *words):
        return self.machines(*words)[0]["rows"]

    def refused(self, *words):
        return self.run_program(*words, code=2).stderr

    # --- tables
    def test_a_table_has_the_columns_of_nccl_tests_and_the_shares(self):
        lines = self.run_program("all_reduce", "--cluster", "dgx-h100-ndr400", "--gpus", "64", "--bytes",
                                 "1M:4M").stdout.splitlines()
        self.assertIn("64 GPUs, 8 nodes", lines[0])
        self.assertIn("predicted", lines[1])
        for heading in ("size B", "algorithm", "protocol", "channels", "time us", "algbw", "busbw", "NIC %"):
            self.assertIn(heading, lines[2])
        self.assertEqual([line.split()[0] for line in lines[3:]], ["1048576", "2097152", "4194304"])

    def test_bandwidths_are_those_of_nccl_tests(self):
        for kind, factor in (("all_reduce", 2 * 31 / 32), ("all_gather", 31 / 32), ("all_to_all", 31 / 32),
                             ("broadcast", 1)):
            row = self.rows(kind, "--cluster", "dgx-h100-ndr400", "--gpus", "32", "--bytes", "1G")[0]
            self.assertAlmostEqual(row["algbw"], row["bytes"] / row["seconds"], delta=row["algbw"] * 1e-9)
            self.assertAlmostEqual(row["busbw"], row["algbw"] * factor, delta=row["algbw"] * 1e-9)

    def test_sizes_are_a_range_or_a_list(self):
        def sizes(text):
            return [row["bytes"] for row in self.rows("all_gather", "--cluster", "dgx-a100-hdr200", "--bytes", text)]
        self.assertEqual(sizes("8:64"), [8, 16, 32, 64])
        self.assertEqual(sizes("1K:64K:4"), [1024, 4096, 16384, 65536])
        self.assertEqual(sizes("3M,1 MB"), [3 << 20, 1000000])

    def test_a_forced_choice_is_kept(self):
        base = ("all_reduce", "--cluster", "dgx-h100-ndr400", "--gpus", "32", "--bytes", "64M")
        self.assertEqual(self.rows(*base, "--algo", "ring", "--proto", "simple")[0]["algorithm"], "ring")
        self.assertEqual(self.rows(*base, "--algo", "Tree")[0]["algorithm"], "tree")
        self.assertLessEqual(self.rows(*base, "--max-channels", "4")[0]["channels"], 4)

    def test_send_recv_is_between_two(self):
        near = self.rows("send_recv", "--cluster", "dgx-h100-ndr400", "--bytes", "1G")[0]
        far = self.rows("send_recv", "--cluster", "dgx-h100-ndr400", "--gpus-per-node", "1", "--bytes", "1G")[0]
        self.assertLess(near["seconds"], far["seconds"])
        self.assertEqual(far["by_scale_up"], 0)

    def test_machines_stand_side_by_side(self):
        words = ("all_reduce", "--cluster", "dgx-h100-ndr400", "--compare", "dgx-h100-eth-100", "--compare",
                 "dgx-b200", "--gpus", "64", "--bytes", "1G")
        text = self.run_program(*words).stdout
        for part in ("A: all_reduce on dgx-h100-ndr400", "B: all_reduce on dgx-h100-eth-100", "C / A"):
            self.assertIn(part, text)
        rows = [machine["rows"][0] for machine in self.machines(*words)]
        self.assertLess(rows[0]["seconds"], rows[1]["seconds"])

    # --- generic
    def test_generic_collectives_are_a_bound_on_the_wire(self):
        words = ("all_reduce", "--cluster", "dgx-h100-ndr400", "--gpus", "64", "--bytes", "8,1M,1G")
        for bare, real in zip(self.rows(*words, "--collectives", "generic"), self.rows(*words)):
            self.assertLess(bare["seconds"], real["seconds"])

    def test_a_machine_of_ones_own_dimensions(self):
        # A ring of 8 with 100 GB/s both ways: 14 steps of 1/16 GB a cable of 50 GB/s, and 14 us.
        row = self.rows("all_reduce", "--collectives", "generic", "--algo", "bidirectional_ring", "--bytes", "1 GB",
                        "--dimensions", "Ring(8) 100 GB/s 1 us")[0]
        self.assertAlmostEqual(row["seconds"], 14 * (1e9 / 16 / 50e9 + 1e-6), delta=1e-9)
        machine = self.machines("all_reduce", "--collectives", "generic", "--bytes", "1G", "--dimensions",
                                "ring(8) 450 GB/s 100 ns, fully connected(4) 50 GB/s 1 us")[0]
        self.assertEqual((machine["machine"], machine["gpus"], machine["nodes"]), ("Ring(8)_FullyConnected(4)", 32, 4))

    def test_more_chunks_hide_a_dimension(self):
        def seconds(chunks):
            return self.rows("all_reduce", "--collectives", "generic", "--algo", "hierarchical", "--chunks", chunks,
                             "--cluster", "dgx-h100-ndr400", "--gpus", "64", "--bytes", "1G")[0]["seconds"]
        self.assertLess(seconds("8"), seconds("1"))
        self.assertLessEqual(seconds("0"), seconds("8"))

    # --- links that are shared
    def test_flows_and_packets_take_the_links_that_are_left(self):
        base = ("all_to_all", "--cluster", "dgx-h100-roce400", "--gpus", "32", "--bytes", "64M")

        def seconds(*words):
            return self.rows(*base, *words)[0]["seconds"]
        flow, packet = seconds("--contention", "flow"), seconds("--contention", "packet")
        self.assertLess(flow, packet)  # headers
        self.assertLess(packet, 1.1 * flow)
        self.assertNotEqual(packet, seconds("--contention", "packet", "--congestion-control", "hpcc"))
        words = self.run_program(*base, "--contention", "packet", "--congestion-control", "hpcc").stdout.splitlines()[0]
        self.assertIn("packets over its links, paced by hpcc", words)

    def test_narrow_uplinks_cost(self):
        base = ("all_reduce", "--cluster", "dgx-h100-roce400", "--gpus", "512", "--bytes", "256M", "--contention", "flow")
        narrow, wide = self.rows(*base, "--oversubscription", "4")[0], self.rows(*base, "--oversubscription", "1")[0]
        self.assertLess(wide["seconds"], narrow["seconds"])

    # --- mistakes
    def test_slips_are_set_right(self):
        self.assertIn('did you mean "all_reduce"', self.refused("all_reduec", "--cluster", "dgx-b200"))
        self.assertIn('did you mean "dgx-b200"', self.refused("all_reduce", "--cluster", "dgx-b20"))
        self.assertIn('did you mean "ring"', self.refused("all_reduce", "--cluster", "dgx-b200", "--algo", "rinf"))
        self.assertIn('did you mean "Ring"', self.refused(
            "all_reduce", "--collectives", "generic", "--dimensions", "Rinf(8) 1 GB/s 1 us"))

    def test_what_cannot_be_is_refused(self):
        cluster = ("--cluster", "dgx-h100-ndr400")
        self.assertIn("--gpus-per-node", self.refused("all_reduce", *cluster, "--gpus", "12"))
        self.assertIn("8 GPUs in a node", self.refused("all_reduce", *cluster, "--gpus", "32", "--gpus-per-node", "16"))
        self.assertIn("at least 2 GPUs", self.refused("all_reduce", *cluster, "--gpus", "1"))
        self.assertIn("between 2", self.refused("send_recv", *cluster, "--gpus", "8"))
        self.assertIn("--collectives generic", self.refused("all_reduce", *cluster, "--chunks", "4"))
        self.assertIn("applies to NCCL", self.refused("all_reduce", *cluster, "--collectives", "generic", "--proto", "LL"))
        self.assertIn("not a size", self.refused("all_reduce", *cluster, "--bytes", "8Q"))
        self.assertIn("range", self.refused("all_reduce", *cluster, "--bytes", "8G:8"))
        self.assertIn("no machine", self.refused("all_reduce"))
        self.assertIn("add --contention packet", self.refused("all_reduce", *cluster, "--congestion-control", "hpcc"))
        self.assertIn('did you mean "packet"', self.refused("all_reduce", *cluster, "--contention", "packets!"))
        self.assertIn("not \"x\"", self.refused("all_reduce", *cluster, "--oversubscription", "x"))
        self.assertIn("applies to NCCL", self.refused(
            "all_reduce", *cluster, "--collectives", "generic", "--contention", "flow"))


if __name__ == "__main__":
    program = sys.argv.pop(1)
    unittest.main()
