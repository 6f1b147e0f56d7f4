"""What the scripts of this folder share: options, and where the picture goes."""

import argparse
import io
import sys

import echo_sweep as es


def options(description, **extra):
    """Parsed options: FILE, --where, --picture and `extra` {name: (default, help)}."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("file", help="result file of a sweep")
    parser.add_argument("--where", help="only these configs, as in \"model == 'llama3-70b' and gpus == 512\"")
    parser.add_argument("--picture", metavar="FILE.png", help="save a picture there")
    for name, (default, text) in extra.items():
        kind = type(default) if default is not None else str
        parser.add_argument("--" + name.replace("_", "-"), default=default, type=kind, help=f"{text} ({default})")
    return parser.parse_args()


def results(chosen):
    """The sweep, and its rows that the options ask for."""
    sweep = es.open(chosen.file)
    rows = sweep.where(chosen.where)
    if len(rows.feasible) == 0:
        raise SystemExit(f"{chosen.file}: no feasible config" + (f" where {chosen.where}" if chosen.where else ""))
    return rows


def save(axes, path):
    """900 pixels wide and of few colours: what a README shows, and small enough to keep beside it."""
    if not path:
        return
    from PIL import Image  # comes with matplotlib

    drawn = io.BytesIO()
    axes.figure.savefig(drawn, dpi=900 / axes.figure.get_size_inches()[0])
    Image.open(drawn).convert("RGB").quantize(128).save(path, optimize=True)
    print(f"picture {path}")


def answer(main):
    """Runs a script that draws into files, and says on one line what was wrong with the question."""
    import matplotlib

    matplotlib.use("Agg")
    try:
        main()
    except (OSError, ValueError, KeyError) as error:
        print(error.args[0] if isinstance(error, KeyError) else error, file=sys.stderr)
        sys.exit(2)
