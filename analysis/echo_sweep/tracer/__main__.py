"""echo-trace: one training step of some ranks of a job, traced without the others, on one GPU or none.

    echo-trace --world 1024 --rank 37 -o step.jsonl -- python train.py ...
    echo-trace --world 1024 --ranks classes -o step.jsonl -- python train.py ...
    echo-trace compare A.jsonl B.jsonl
"""

import argparse
import sys
import traceback

from .trace_file import TraceError, write


def _options(words):
    parser = argparse.ArgumentParser(prog="echo-trace", description=__doc__.partition("\n")[0], epilog="""
        --ranks classes traces as few ranks as tell all that the job does: every pipeline stage, and along other groups the
        ends, halving in between where they differ; the trace says which ranks each stands for.
        `echo-trace compare A B` compares two traces.""")
    parser.add_argument("--world", type=int, required=True, help="ranks of the job")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--rank", type=int, help="the rank to trace (0)")
    which.add_argument("--ranks", help="several: all, classes, or numbers such as 0,1,8")
    parser.add_argument("-o", "--output", required=True, help="where the trace goes: .jsonl or .jsonl.gz")
    parser.add_argument("--step", type=int, default=2, help="which optimizer step (2: the first sets things up)")
    parser.add_argument("--backend", choices=("fake", "nccl"), default="fake",
                        help="fake: no GPU, shapes without times; nccl: on one GPU, whose kernels are timed while NCCL's calls "
                             "are recorded and answered by libecho_nccl.so")
    parser.add_argument("--routing", help="what the routers of a mixture of experts choose: balanced, or a JSON file with the "
                                          "load of each expert (a list, or one for each layer)")
    parser.add_argument("--continue", dest="go_on", action="store_true", help="let the script run on after it")
    parser.add_argument("--ranks-per-node", type=int, default=8, help="LOCAL_WORLD_SIZE (8)")
    parser.add_argument("--traceback", action="store_true", help="say all about an error of the script")
    parser.add_argument("--families", help=argparse.SUPPRESS)
    parser.add_argument("script", nargs="+", metavar="-- python train.py ...")
    return parser.parse_args(words)


def _check(options):
    for name in ("world", "step", "ranks_per_node"):
        if getattr(options, name) < 1:
            raise TraceError(f"--{name.replace('_', '-')} is {getattr(options, name)}; it counts from 1")


def _chosen(options):
    """Ranks that the command line names."""
    if options.ranks is None:
        return [options.rank or 0]
    if options.ranks == "all":
        return list(range(options.world))
    try:
        ranks = sorted({int(word) for word in options.ranks.split(",")})
    except ValueError:
        raise TraceError(f"--ranks {options.ranks}: all, classes, or numbers such as 0,1,8") from None
    for rank in ranks:
        if not 0 <= rank < options.world:
            raise TraceError(f"rank {rank} is none of a world of {options.world}; choose 0 to {options.world - 1}")
    return ranks


def _trace_on_gpu(options):
    """Each rank in a process of its own: NCCL's library is replaced before it starts."""
    from . import exsitu
    from .trace_file import merge

    if options.ranks == "classes":
        raise TraceError("--ranks classes compares shapes, which kernels on a GPU do not tell; name ranks, such as the first "
                         "of each pipeline stage")
    if options.routing:
        raise TraceError("--routing replaces values that are not known; a GPU computes them: leave it out with --backend nccl")
    if options.step < 2:
        raise TraceError("--step 1 sets things up and has no beginning that NCCL's calls tell; take 2 or more")
    write(merge([exsitu.run(options.script, rank, options.world, step=options.step - 2,
                            local_world=options.ranks_per_node) for rank in _chosen(options)]), options.output)


def _trace(options):
    _check(options)
    if options.backend == "nccl":
        _trace_on_gpu(options)
    elif options.ranks is None:
        from . import script
        from .many_ranks import write_families

        trace, families = script.run(options.script, options.world, options.rank or 0, options.step, options.go_on,
                                     options.ranks_per_node, options.routing)
        write(trace, options.output)
        if options.families:
            write_families(families, options.families)
    else:
        from .many_ranks import Children

        children = Children(options)
        write(children.by_class() if options.ranks == "classes" else children.of(_chosen(options)), options.output)


def _refuse_without_torch(error):
    if error.name == "torch":
        return "echo-trace needs PyTorch, which this Python has not: pip install torch"
    return f"{error}"


def main(words=None):
    words = sys.argv[1:] if words is None else words
    try:
        if words[:1] == ["compare"]:
            from .compare import main as compare

            return compare(words[1:])
        _trace(_options(words))
    except TraceError as error:
        if "--traceback" in words and error.__cause__ is not None:
            traceback.print_exception(error.__cause__)
        print(f"echo-trace: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        print(f"echo-trace: {_refuse_without_torch(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
