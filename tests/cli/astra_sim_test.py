"""Machines from ASTRA-sim's files and algorithms from MSCCL's, as a user meets them.   usage: astra_sim_test.py ECHO_SWEEP"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.program_case import ProgramCase  # noqa: E402

NETWORK = "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 25.0 ]\nlatency: [ 500.0, 1000.0 ]\n"
SYSTEM = {"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 4,
          "all-reduce-implementation": ["ring", "halvingDoubling"], "collective-optimization": "localBWAware", "local-mem-bw": 1600}

# Two ranks that swap their halves and add them.
MSCCL = """<algo name="swap" nchunksperloop="2" ngpus="2" coll="allreduce">
<gpu id="0"><tb id="0" send="1" recv="1" chan="0"><step s="0" type="s" cnt="1" depid="-1" deps="-1"/>
<step s="1" type="rrc" cnt="1" depid="-1" deps="-1"/></tb></gpu>
<gpu id="1"><tb id="0" send="0" recv="0" chan="0"><step s="0" type="s" cnt="1" depid="-1" deps="-1"/>
<step s="1" type="rrc" cnt="1" depid="-1" deps="-1"/></tb></gpu>
</algo>
"""


class AstraSimTest(ProgramCase):
    def machine(self, network=NETWORK, system=SYSTEM, code=0):
        (self.folder / "network.yml").write_text(network)
        (self.folder / "system.json").write_text(json.dumps(system))
        return self.run_program("presets", "new", "clusters", "mine", "--from", "network.yml", "system.json", code=code)

    def save(self):
        (self.folder / "clusters").mkdir(exist_ok=True)
        (self.folder / "clusters" / "mine.toml").write_text(self.machine().stdout)

    def seconds(self, *words):
        told = self.run_program("collective", *words, "--bytes", "1M", "--json")
        return json.loads(told.stdout)["machines"][0]["rows"][0]["seconds"]

    def test_a_machine_is_priced_and_swept(self):
        self.save()
        here = ("all_reduce", "--cluster", "mine", "--preset-path", ".")
        usual = self.seconds(*here)
        self.assertGreater(self.seconds(*here, "--chunks", "1"), usual)
        self.assertNotEqual(self.seconds(*here, "--algo", "direct"), usual)
        (self.folder / "sweep.toml").write_text("""
[space]
model = "gpt3-1.3b"
cluster = "mine"
collectives = ["generic", "nccl-whitebox"]
dp = 8
tp = 1
pp = 1
global_batch = 8
micro_batch = 1
seq_len = 2048
""")
        self.run_program("sweep.toml", "--preset-path", ".", "-o", "out.h5", "--progress", "none", "-q")
        told = self.run_program("top", "out.h5").stdout
        self.assertIn("1 of 1 feasible", told)

    def test_mistakes_are_named_by_their_places(self):
        told = self.machine(NETWORK.replace("Switch", "Bus"), code=2).stderr
        self.assertIn('network.yml:1:19: error: "Bus" is not a topology', told)
        told = self.machine(system=SYSTEM | {"all-gather-implementation": ["rings", "ring"]}, code=2).stderr
        self.assertIn('"rings" is not an algorithm', told)
        self.run_program("presets", "new", "clusters", "mine", "--from", "network.yml", code=2)
        self.run_program("presets", "new", "models", "mine", "--from", "network.yml", "system.json", code=2)
        self.run_program("presets", "new", "clusters", "mine", "--from", "none.yml", "system.json", code=2)

    def test_a_remote_memory_is_a_tier(self):
        self.machine()
        memory = self.folder / "memory.json"
        new = ("presets", "new", "clusters", "mine", "--from", "network.yml", "system.json", "memory.json")
        memory.write_text(json.dumps({"memory-type": "MEMORY_POOL", "remote-mem-latency": 500, "remote-mem-bw": 40}))
        (self.folder / "clusters").mkdir(exist_ok=True)
        (self.folder / "clusters" / "mine.toml").write_text(self.run_program(*new).stdout)
        (self.folder / "tiers.toml").write_text("""
[space]
model = "gpt3-1.3b"
cluster = "mine"
collectives = "generic"
dp = 8
tp = 1
pp = 1
zero = 3
offload_weights = [false, true]
weight_tier = ["host", "remote"]
global_batch = 8
micro_batch = 1
seq_len = 2048
""")
        self.run_program("tiers.toml", "--preset-path", ".", "-o", "tiers.h5", "--progress", "none", "-q")
        self.assertIn("2 of 2 feasible", self.run_program("top", "tiers.h5").stdout)  # its host is unknown
        memory.write_text(json.dumps({"memory-type": "POOL", "remote-mem-bw": 40}))
        self.assertIn('memory.json:1:17: error: "POOL" is not a memory-type', self.run_program(*new, code=2).stderr)
        memory.write_text(json.dumps({"memory-type": "MEMORY_POOL"}))
        self.assertIn("the memory has no remote-mem-bw", self.run_program(*new, code=2).stderr)

    def test_an_algorithm_runs_as_its_file_says(self):
        (self.folder / "swap.xml").write_text(MSCCL)
        swap = ("all_reduce", "--collectives", "generic", "--dimensions", "Switch(2) 1 GB/s 1 us", "--algorithm-file", "swap.xml")
        self.assertAlmostEqual(self.seconds(*swap), 1e-6 + (1 << 19) / 1e9, 9)
        self.run_program("collective", "all_gather", *swap[1:], code=2)
        self.run_program("collective", "all_reduce", "--algorithm-file", "swap.xml", "--gpus", "4", "--cluster", "dgx-h100-ndr400",
                         code=2)
        (self.folder / "swap.xml").write_text(MSCCL.replace('type="s"', 'type="nop"', 1))
        told = self.run_program("collective", *swap, code=2)
        self.assertIn("step 1 of rank 1, a receive from rank 0, never ends", told.stderr)

    def test_chunks_of_an_algorithm_that_has_none_are_refused(self):
        told = self.run_program("collective", "all_reduce", "--collectives", "generic", "--cluster", "dgx-h100-ndr400", "--algo",
                                "double_binary_tree", "--chunks", "4", code=2)
        self.assertIn("--chunks applies to hierarchical collectives", told.stderr)


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
