"""`echo-sweep packets`: flows through switches, flits with credits, and the tables of public simulators.

usage: packets_test.py ECHO_SWEEP
"""

import csv
import io
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support")]
from program_case import ProgramCase  # noqa: E402

DATA = pathlib.Path(os.environ.get("ECHO_DATA_DIR") or ROOT / "../shared/data") / "packet"

TOPOLOGY = """4 1 3
3
3 0 100Gbps 1us 0
3 1 100Gbps 1us 0
3 2 100Gbps 1us 0
"""
FLOWS = """3
5 0 1 3 100 1000000 0 -1
6 1 2 3 100 1000 2000 -1
7 2 0 3 100 1000 0 5
"""


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


class Packets(ProgramCase):
    def setUp(self):
        self.write("t.txt", TOPOLOGY)
        self.write("f.txt", FLOWS)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def table(self, *words):
        self.run_program("packets", *words, "--csv", "out.csv")
        return rows((self.folder / "out.csv").read_text())

    def flows(self, *words):
        return self.table("--topology", "t.txt", "--flows", "f.txt", *words)


class Flows(Packets):
    def test_writes_when_flows_start_and_how_long_they_take(self):
        table = self.flows("--cc", "none")
        self.assertEqual([row["flow"] for row in table], ["5", "6", "7"])
        self.assertEqual(list(table[0]), ["flow", "src", "dst", "size_B", "start_ns", "fct_ns"])
        # 1001 packets of 83 ns, two links each way, two answers of 4 ns, and one to flow 6 in between
        self.assertEqual(table[0]["fct_ns"], "87095")
        self.assertEqual(table[2]["start_ns"], "87095")  # when flow 5 ends

    def test_every_congestion_control_finishes_and_repeats_itself(self):
        for control in ("dcqcn", "dctcp", "hpcc", "none", "swift", "timely"):
            with self.subTest(control):
                self.assertEqual(self.flows("--cc", control), self.flows("--cc", control))

    def test_takes_parameters_by_name(self):
        slow = self.flows("--cc", "none", "--set", "initial rate=50000")
        self.assertGreater(int(slow[0]["fct_ns"]), 160000)
        self.flows("--cc", "dcqcn", "--set", "CC_MODE=1", "--set", "KMAX 100G=800", "--set", "ECN marking=at dequeue")

    def test_takes_paths_of_the_case_named_as_the_flow_file(self):
        self.write("p.csv", "case,flow,node_path\nf,5,0-3-1\nother,5,9\n")
        self.assertEqual(self.flows("--paths", "p.csv", "--cc", "none")[0]["fct_ns"], "87095")
        self.run_program("packets", "--topology", "t.txt", "--flows", "f.txt", "--paths", "p.csv", "--case", "x", code=2)

    def test_reports_all_mistakes_and_writes_nothing(self):
        self.write("bad.txt", FLOWS.replace("6 1 2", "6 1 3").replace("1000000", "-1"))
        done = self.run_program("packets", "--topology", "t.txt", "--flows", "bad.txt", "--csv", "none.csv", code=2)
        self.assertIn("bad.txt:2:", done.stderr)
        self.assertIn("bad.txt:3:3", done.stderr)
        self.assertIn("no flow can go from 1 to 3", done.stderr)
        done = self.run_program("packets", "--topology", "t.txt", "--flows", "f.txt", "--set", "RATE_A=1", "--set",
                                "PMAX=2", "--set", "VAR_WIN", "--csv", "none.csv", code=2)
        for word in ("RATE_A", "PMAX cannot be", "VAR_WIN has no value"):
            self.assertIn(word, done.stderr)
        self.assertFalse((self.folder / "none.csv").exists())

    def test_refuses_what_does_not_fit(self):
        self.assertIn("unknown congestion control", self.run_program(
            "packets", "--topology", "t.txt", "--flows", "f.txt", "--cc", "dcqn", code=2).stderr)
        self.run_program("packets", "--topology", "t.txt", code=2)
        self.run_program("packets", "--topology", "none.txt", "--flows", "f.txt", code=2)
        self.run_program("packets", "--topology", "t.txt", "--flows", "f.txt", "--cc", "dcqcn", "--set", "CC_MODE=3", code=2)
        self.run_program("packets", "--topology", "t.txt", "--flows", "f.txt", "--traffic", "uniform", code=2)

    def test_says_which_flows_never_finish(self):
        self.write("lossy.txt", TOPOLOGY.replace("1us 0\n3 1", "1us 0.9\n3 1"))
        done = self.run_program("packets", "--topology", "lossy.txt", "--flows", "f.txt", "--cc", "none", code=3)
        self.assertIn("never finish", done.stderr)
        self.run_program("packets", "--topology", "lossy.txt", "--flows", "f.txt", "--set", "ROUTING=spray", code=2)

    def test_lists_parameters_that_it_takes_back(self):
        for line in self.told("packets", "--parameters", "--cc", "hpcc").splitlines():
            name, value = line.split("   # ")[0].split(" = ", 1)
            for unit in (" Mb/s", " us", " ns", " KB", " MiB", " packets", " B"):
                value = value.removesuffix(unit) if value[:1].isdigit() else value
            with self.subTest(name):
                self.flows("--cc", "hpcc", "--set", f"{name}={value}")


class Flits(Packets):
    def test_measures_latency_and_accepted_rate(self):
        table = self.table("--credits", "8", "--topology", "mesh4x4", "--injection-rate", "0.05", "--injection-rate", "0.95",
                           "--traffic", "uniform")
        self.assertEqual([row["stable"] for row in table], ["1", "0"])
        self.assertEqual(table[0]["pkt_latency_min"], "7")
        self.assertAlmostEqual(float(table[0]["accepted_flit_rate_avg"]), 0.05, delta=0.005)
        self.assertEqual(table[1]["pkt_latency_avg"], "")

    def test_refuses_what_does_not_fit(self):
        for words in (["--topology", "ring8"], ["--topology", "torus4x4", "--set", "num_vcs=1"],
                      ["--topology", "mesh4x4", "--traffic", "uniformly"], ["--topology", "mesh4x4", "--set", "num_vc=2"],
                      ["--topology", "dragonfly_p2", "--traffic", "transpose"],
                      ["--topology", "mesh4x4", "--injection-rate", "2"], ["--topology", "mesh4x4", "--flows", "f.txt"]):
            with self.subTest(words):
                self.run_program("packets", "--credits", "8", *words, code=2)


@unittest.skipUnless(DATA.is_dir(), "no results of public simulators here (ECHO_DATA_DIR)")
class Published(Packets):
    """To the nanosecond where nothing is drawn at random, and where draws are repeated."""

    def check(self, case, control, *words):
        with open(DATA / "ns3_cases/cases.csv", newline="") as file:
            files = {row["case"]: row for row in csv.DictReader(file)}[case]
        with open(DATA / "ns3_flows.csv", newline="") as file:
            expected = {row["flow"]: row["fct_ns"] for row in csv.DictReader(file)
                        if row["case"] == case and row["cc"] == control}
        table = self.table("--topology", DATA / "ns3_cases" / files["topo_file"], "--flows",
                           DATA / "ns3_cases" / files["flow_file"], "--cc", control.removesuffix("_pfc"), *words)
        self.assertEqual({row["flow"]: row["fct_ns"] for row in table if row["flow"] in expected}, expected)

    def test_incast(self):
        for control in ("none_pfc", "dcqcn", "hpcc", "timely", "dctcp"):
            with self.subTest(control):
                self.check("incast16_1MB", control)

    def test_permutation_with_given_and_with_hashed_paths(self):
        for words in ([], ["--paths", DATA / "ns3_paths.csv"]):
            self.check("perm_rand7_2to1_4MB", "dcqcn", *words)

    def test_paused_victim(self):
        self.check("victim_inc7_4MB_400G", "none_pfc")

    def test_every_parameter_of_the_table_is_taken(self):
        with open(DATA / "ns3_params.csv", newline="") as file:
            table = list(csv.DictReader(file))
        for row in table:
            if row["key"] == "common":
                break
            self.flows("--cc", "hpcc", "--set", f"{row['key']}={row['hpcc']}")
        for row in table[table.index(row) + 1:]:
            self.flows("--cc", "hpcc", "--set", f"{row['key']}={row['dcqcn']}")

    def test_flits(self):
        with open(DATA / "booksim_latency_throughput.csv", newline="") as file:
            table = [row for row in csv.DictReader(file) if row["topology"] == "mesh8x8" and row["num_vcs"] == "4" and
                     row["vc_buf_size"] == "8" and row["packet_size"] == "1" and row["traffic"] == "uniform" and not row["extra"]]
        for row in table:
            if float(row["injection_rate"]) in (0.02, 0.1, 0.3, 0.99):
                mine, = self.table("--credits", "8", "--topology", "mesh8x8", "--set", "num_vcs=4", "--injection-rate",
                                   row["injection_rate"], "--sim-type", row["sim_type"])
                for name in ("pkt_latency_avg", "accepted_flit_rate_avg"):
                    if row["sim_type"] == "latency" or name != "pkt_latency_avg":
                        self.assertAlmostEqual(float(mine[name]) / float(row[name]), 1, delta=0.03, msg=(name, row))


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
