"""A program: the training step of the kit in PyTorch, timed, profiled, replayed as a CUDA graph, or plain for tracers.

    python step.py time --size 1b --device cuda --json time.json

Writes what it has measured so far to --json after each part, so that a run that is cut off leaves its numbers.
"""

import argparse
import contextlib
import json
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch  # noqa: E402
from busy_time import summary_of  # noqa: E402
from llama import Llama, loss_of  # noqa: E402
from sizes import SIZES, weights  # noqa: E402
from torch import nn  # noqa: E402


class Training:
    """Model, optimizer and one batch that is used over and over."""

    def __init__(self, name, device, ddp=False, capturable=False):
        torch.manual_seed(1)
        with contextlib.suppress(AttributeError):  # FlashAttention-2, as the preset of the prediction has it: newer PyTorch
            torch.backends.cuda.enable_cudnn_sdp(False)  # prefers cuDNN's kernel on some GPUs, older has none
        self.size, self.device = SIZES[name], device
        if ddp:
            import torch.distributed as dist

            dist.init_process_group("nccl")
        model = Llama(self.size)
        self.model = model.cuda() if device == "cuda" else model
        if ddp:
            self.model = nn.parallel.DistributedDataParallel(self.model, device_ids=[0], broadcast_buffers=False)
        options = {"capturable": True} if capturable else {}
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, **options)
        ids = torch.randint(0, self.size["vocabulary"], (self.size["samples"], self.size["tokens"]))
        self.ids = ids.cuda() if device == "cuda" else ids

    def step(self):
        with torch.autocast(self.device, dtype=torch.bfloat16):
            loss = loss_of(self.model(self.ids), self.ids)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss


class Result:
    """What is written to --json: whole files only, a new one after each part."""

    def __init__(self, path, options):
        self.path = path
        self.facts = {"mode": options.mode, "size": options.size, "attention": "flash_2", "device": options.device, "torch": torch.__version__,
                      "weights": weights(options.size), "tokens": SIZES[options.size]["tokens"] * SIZES[options.size]["samples"]}
        if options.device == "cuda":
            with contextlib.suppress(Exception):  # a tracer's stand-in for CUDA names no device
                self.facts.update(gpu=torch.cuda.get_device_name(0), cuda=torch.version.cuda)

    def add(self, **facts):
        self.facts.update(facts)
        if self.path:
            with open(self.path + ".part", "w") as file:
                json.dump(self.facts, file, indent=1)
            os.replace(self.path + ".part", self.path)


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def timed(call, device, steps):
    """Seconds of each step by itself (the host waits for the GPU between steps), and of one in a row without waiting."""
    alone = []
    for _ in range(steps):
        wait(device)
        begin = time.perf_counter()
        call()
        wait(device)
        alone.append(time.perf_counter() - begin)
    begin = time.perf_counter()
    for _ in range(steps):
        call()
    wait(device)
    return alone, (time.perf_counter() - begin) / steps


def time_steps(options, result):
    training = Training(options.size, options.device)
    for _ in range(options.warm_up):
        loss = training.step()
    wait(options.device)
    result.add(warm_up_steps=options.warm_up)
    alone, in_a_row = timed(training.step, options.device, options.steps)
    result.add(step_s=in_a_row, waited_step_s=statistics.median(alone), each_s=alone, steps=options.steps,
               loss=float(training.step().detach()), first_loss=float(loss.detach()))
    if options.device == "cuda":
        result.add(memory_peak_bytes=torch.cuda.max_memory_allocated())


def profile_steps(options, result):
    from torch.profiler import ProfilerActivity, profile, record_function

    training = Training(options.size, options.device)
    for _ in range(options.warm_up):
        training.step()
    wait(options.device)
    kinds = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if options.device == "cuda" else [])
    with profile(activities=kinds, record_shapes=True) as profiler:
        for number in range(options.steps):
            with record_function("ProfilerStep#%d" % number):
                training.step()
                wait(options.device)
    profiler.export_chrome_trace(options.trace)
    result.add(trace=options.trace, steps=options.steps, **summary_of(options.trace, options.steps))


def replay_graph(options, result):
    training = Training(options.size, options.device, capturable=True)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(max(3, options.warm_up)):
            training.step()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.current_stream().wait_stream(side)
    _, eager = timed(training.step, options.device, options.steps)
    result.add(eager_step_s=eager, steps=options.steps)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        training.step()
    graph.replay()
    wait(options.device)
    _, replayed = timed(graph.replay, options.device, options.steps)
    result.add(graph_step_s=replayed)


def plain(options, result):
    training = Training(options.size, options.device, ddp=options.ddp)
    for _ in range(options.steps):
        training.step()
    result.add(steps=options.steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("mode", choices=("time", "profile", "graph", "plain"))
    parser.add_argument("--size", choices=sorted(SIZES), required=True)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=5)
    parser.add_argument("--json", default="")
    parser.add_argument("--trace", default="step.pt.trace.json.gz", help="profile: where the profile goes")
    parser.add_argument("--ddp", action="store_true", help="plain: under DistributedDataParallel")
    options = parser.parse_args()
    result = Result(options.json, options)
    {"time": time_steps, "profile": profile_steps, "graph": replay_graph, "plain": plain}[options.mode](options, result)


if __name__ == "__main__":
    main()
