"""`echo-sweep explain-trace`: a recorded step by itself, and with a simulated one beside it.

usage: explain_trace_test.py ECHO_SWEEP
"""

import json
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/support")]
from program_case import ProgramCase  # noqa: E402

PAIR = ROOT / "sweeps/explained/deepseek-v3-pair.toml"
SIMPLE = ROOT / "sweeps/explained/mcore-simple.toml"
DATA = pathlib.Path(os.environ.get("ECHO_DATA_DIR") or ROOT / "../shared/data")
MEGATRON = DATA / "traces/Megatron-LM__megatron_tp2_0.json.gz"
CONTROL = DATA / "traces/HolisticTraceAnalysis__control.json.gz"

# name, stream, launched at, starts at, length; us
KERNELS = [
    ("volta_sgemm_128x32_tn", 7, 0, 10, 50),
    ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 22, 5, 40, 60),
    ("void cuApplyLayerNorm<float, float, float>(float*)", 7, 90, 100, 20),
    ("volta_sgemm_128x32_nn", 7, 140, 145, 5),
]


def profile(kernels):
    events = []
    for number, (name, stream, launched, starts, length) in enumerate(kernels):
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": launched,
                       "dur": 2, "args": {"correlation": number}})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": starts, "dur": length,
                       "args": {"correlation": number, "stream": stream, "device": 0}})
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Tesla V100-PCIE-32GB"}],
            "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2}, "traceEvents": events}


class ExplainTraceTest(ProgramCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "small.json").write_text(json.dumps(profile(KERNELS)))

    def explained(self, *words):
        return json.loads(self.told("explain-trace", *words, "--json"))

    def test_recorded_time_divides_as_the_events_say(self):
        told = self.explained("small.json")
        self.assertEqual((told["world"], told["rank"], told["gpu"]), (2, 0, "Tesla V100-PCIE-32GB"))
        # Products run 10..60 and 145..150, the norm 100..120, the all-reduce 40..100. Between 120 and 145 nothing runs;
        # the next kernel is launched at 140.
        self.assertEqual({key: value for key, value in told["recorded"].items() if key != "roles"},
                         {"span_us": 140, "computing_us": 75, "exposed_communication_us": 40,
                          "hidden_communication_us": 20, "waiting_us": 5, "host_gaps_us": 20})
        roles = {one["role"]: one for one in told["recorded"]["roles"]}
        self.assertEqual({name: one["kernels"] for name, one in roles.items()}, {"product": 2, "norm": 1, "all_reduce": 1})
        self.assertEqual(roles["product"]["beside_us"], 20)
        self.assertTrue(any("no model is named" in note for note in told["notes"]))

    def check_sums(self, told):
        lines = told["difference"]
        for side in ("recorded", "simulated"):
            self.assertEqual(sum(one[side + "_ps"] for one in lines), round(told[side]["span_us"] * 1e6), side)
        differences = [abs(one["difference_ps"]) for one in lines]
        self.assertEqual(differences, sorted(differences, reverse=True))

    def test_the_difference_adds_up_and_the_picture_has_both(self):
        told = self.explained("small.json", str(SIMPLE), "-o", "both.json")
        self.check_sums(told)
        self.assertEqual(sum(one["recorded"] for one in told["roles"]), len(KERNELS))
        events = json.loads((self.folder / "both.json").read_text())["traceEvents"]
        drawn = {process: [one for one in events if one["ph"] == "X" and one["pid"] == process] for process in (0, 1)}
        self.assertEqual(len(drawn[0]), len(KERNELS))
        self.assertEqual(len(drawn[1]), sum(one["simulated"] for one in told["roles"]))
        paired = [one for one in drawn[0] if "simulated_us" in one["args"]]
        self.assertEqual(len(paired), told["pairs"])

    def test_a_pair_of_chunks_is_laid_out(self):
        told = self.explained("small.json", str(PAIR), "--part", "pair")
        self.check_sums(told)
        roles = {one["role"]: one["simulated"] for one in told["roles"]}
        # Four layers ahead and four back: a dispatch and a combine of each, one fused attention each.
        self.assertEqual((roles["all_to_all"], roles["attention"]), (16, 8))

    def test_choices_are_laid_over_the_sweep(self):
        long = self.explained("small.json", str(SIMPLE), "--set", "micro_batch=4,global_batch=16")
        short = self.explained("small.json", str(SIMPLE))
        self.assertGreater(long["simulated"]["span_us"], short["simulated"]["span_us"])

    def test_mistakes(self):
        (self.folder / "cut.json").write_text('{"traceEvents": [{"ph": "X", "cat": "kernel"')
        (self.folder / "host.json").write_text('{"traceEvents": []}')
        many = str(ROOT / "sweeps/two-budgets.toml")
        for words, said in (
                (("cut.json",), "cut.json"), (("host.json",), "no kernels"), (("nowhere.json",), "nowhere.json"),
                (("small.json", "--step", "3"), "marks no steps"), (("small.json", "--step", "x"), "not the number"),
                (("small.json", "--set", "tp=2"), "need a sweep"), (("small.json", str(SIMPLE), "--part", "pair"), "run as one"),
                (("small.json", str(SIMPLE), "--set", "tp=two"), "tp"), (("small.json", many, "-o", "x.json"), "points")):
            with self.subTest(words):
                done = self.start("explain-trace", *words)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertFalse((self.folder / "x.json").exists())

    @unittest.skipUnless(MEGATRON.exists(), "no ECHO_DATA_DIR with traces")
    def test_megatrons_example(self):
        told = self.explained(str(MEGATRON), str(SIMPLE))
        self.check_sums(told)
        roles = {one["role"]: (one["recorded"], one["simulated"]) for one in told["roles"]}
        self.assertEqual(roles["all_reduce"], (13, 13))
        # Five of the recorded ones are the second halves of split products.
        self.assertEqual(roles["product"], (39 + 5, 39))

    @unittest.skipUnless(CONTROL.exists(), "no ECHO_DATA_DIR with traces")
    def test_a_recommender_model_is_named_as_such(self):
        told = self.explained(str(CONTROL))
        self.assertTrue(any("recommender" in note for note in told["notes"]))
        parts = ("computing_us", "exposed_communication_us", "waiting_us", "host_gaps_us")
        self.assertAlmostEqual(sum(told["recorded"][part] for part in parts), told["recorded"]["span_us"], places=3)


if __name__ == "__main__":
    ProgramCase.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
