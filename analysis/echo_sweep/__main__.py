"""python -m echo_sweep top|export FILE: tables on the command line, for where the program itself is not at hand.

python -m echo_sweep report FILE -o PAGE.html: the file as one page of HTML, with pictures and a table.

python -m echo_sweep kernels ROWS.csv: pictures of what `echo-sweep validate TABLE.csv --csv ROWS.csv` wrote.

python -m echo_sweep validate ROWS.csv: pictures of what `echo-sweep validate STEPS.csv --csv ROWS.csv` wrote.

python -m echo_sweep slowdown FILE: pictures of what `echo-sweep slowdown evaluate DATA --csv FILE` wrote, or
`echo-sweep slowdown explain DATA --json > FILE`.

python -m echo_sweep merge STATS.xlsx METRICS.csv: Echo-slowdown's files as the one table that `echo-sweep slowdown import` reads.
"""

import argparse
import csv
import sys

from . import open as open_results
from .text import text_table


def _top(sweep, options):
    table = sweep.top(options.number, by=options.by, per=options.per, where=options.where)
    units = {name: sweep.about(name).units for name in table}
    print(text_table(table, units) if len(table["config_id"]) else "no feasible config")


def _export(sweep, options):
    from .exporting import export

    export(sweep.where(options.where), options.format, options.output, options.columns and options.columns.split(","))


def _report(options):
    import os

    if not os.path.exists(options.file) and os.path.isdir(f"{options.file}.journal"):
        raise ValueError(f"{options.file} is not written yet: {options.file}.journal holds the rows of an interrupted sweep. Run the "
                         f"sweep again to continue it; echo-sweep status {options.file} says how far it is")
    page = options.output or os.path.splitext(options.file)[0] + ".html"
    try:
        sweep = open_results(options.file)
    except OSError as error:  # h5py leaves out which file
        raise ValueError(f"{options.file}: {error.strerror or error}") from error
    with sweep:
        size = sweep.report(page)
    print(f"{page}: {size / 1e6:.1f} MB, opens in any browser without a network")


def _kernels(options):
    from .kernel_rows import KernelRows
    from .plots import kernels

    rows = KernelRows(options.file)
    rows = rows if options.all else rows.where(rows.claimed)
    for draw, path in zip((kernels.scatter, kernels.residuals), options.output):
        kernels.save(draw(rows), path)


def _validate(options):
    from .plots import steps
    from .step_rows import StepRows

    rows = StepRows(options.file)
    for draw, path in zip((steps.scatter, steps.residuals), options.output):
        steps.save(draw(rows, options.by), path)


def _slowdown(options):
    from .plots import slowdown
    from .slowdown_rows import Explanation, SlowdownRows, is_explanation

    if is_explanation(options.file):
        source, pictures = Explanation(options.file), {"importance": slowdown.importance, "dependence": slowdown.dependence}
    else:
        source, pictures = SlowdownRows(options.file), {"errors": slowdown.errors, "scatter": slowdown.scatter}
    paths = options.output or [f"{name}.svg" for name in pictures]
    for draw, path in zip(pictures.values(), paths):
        slowdown.save(draw(source), path)


def _merge(options):
    from .echo_slowdown import merged

    rows, unmatched = merged(options.file, options.metrics)
    writer = csv.DictWriter(sys.stdout, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    if unmatched:
        print(f"metrics of {unmatched} kernels found no kernel in {options.file}", file=sys.stderr)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="echo_sweep", description="tables of a result file of echo-sweep")
    commands = parser.add_subparsers(dest="command", required=True)
    top = commands.add_parser("top", help="the best configs")
    top.add_argument("-n", "--number", type=int, default=10, help="how many (10)")
    top.add_argument("--by", default="auto", help="metric; auto: step time, or tokens/s per GPU where sizes differ")
    top.add_argument("--per", help="the best of each value of this column")
    export = commands.add_parser("export", help="rows as CSV or Parquet; columns are in the units the file says")
    export.add_argument("--columns", help="names, with commas; all by default")
    export.add_argument("--format", choices=("csv", "parquet"), default="csv", help="Parquet needs pyarrow (%(default)s)")
    export.add_argument("-o", "--output", help="file to write; CSV goes to standard output by default")
    for command, run in ((top, _top), (export, _export)):
        command.add_argument("file")
        command.add_argument("--where", help="condition, as in \"tp == 8 and mem_peak < 70 GiB\"")
        command.set_defaults(run=run)
    page = commands.add_parser("report", help="the file as one page of HTML, with pictures and a table")
    page.add_argument("file", metavar="FILE.h5", help="result file")
    page.add_argument("-o", "--output", metavar="PAGE.html", help="where to (FILE.html)")
    pictures = commands.add_parser("kernels", help="pictures of measured kernels beside their predictions")
    pictures.add_argument("file", metavar="ROWS.csv", help="as echo-sweep validate TABLE.csv --csv ROWS.csv writes it")
    pictures.add_argument("-o", "--output", nargs=2, metavar=("SCATTER.svg", "RESIDUALS.svg"),
                          default=("scatter.svg", "residuals.svg"), help="where to (%(default)s)")
    pictures.add_argument("--all", action="store_true", help="also rows for which no accuracy is claimed")
    runs = commands.add_parser("validate", help="pictures of measured training steps beside their predictions")
    runs.add_argument("file", metavar="ROWS.csv", help="as echo-sweep validate STEPS.csv --csv ROWS.csv writes it")
    runs.add_argument("--by", default="stratum", choices=("stratum", "source", "gpu", "framework", "precision", "features"),
                      help="what stands apart (%(default)s)")
    runs.add_argument("-o", "--output", nargs=2, metavar=("SCATTER.svg", "RESIDUALS.svg"),
                      default=("scatter.svg", "residuals.svg"), help="where to (%(default)s)")
    overlaps = commands.add_parser("slowdown", help="pictures of measured overlaps beside predictions, or of what these depend on")
    overlaps.add_argument("file", metavar="FILE", help="rows (evaluate --csv) or an explanation (explain --json)")
    overlaps.add_argument("-o", "--output", nargs=2, metavar=("ERRORS.svg", "SCATTER.svg"),
                          help="where to: errors and scatter, or importance and dependence (by these names)")
    merge = commands.add_parser("merge", help="Echo-slowdown's files as the one table that echo-sweep slowdown import reads, on stdout")
    merge.add_argument("file", metavar="STATS.xlsx", help="its spreadsheet of slowdowns")
    merge.add_argument("metrics", metavar="METRICS.csv", help="its kernel_metric_output.csv")
    options = parser.parse_args(arguments)
    try:
        writers = {"kernels": _kernels, "merge": _merge, "report": _report, "slowdown": _slowdown, "validate": _validate}
        if options.command in writers:
            return writers[options.command](options)
        with open_results(options.file) as sweep:
            options.run(sweep, options)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        sys.stderr.close()
    except (OSError, ValueError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    except KeyError as error:  # str() would quote it
        parser.exit(2, f"{parser.prog}: {error.args[0]}\n")


if __name__ == "__main__":
    main()
