"""Measured kernels beside their predictions: densities, since a table has tens of thousands of rows.

Cells are drawn as one small image a panel, so that a picture stays light whatever the number of rows.
"""

import numpy as np

from .style import ACCENT, GREY

CELLS = 48  # along an axis
COLOURS = "cividis_r"  # reads alike with any kind of colour vision, and in grey
WIDEST = 1.0  # octaves that a prediction may be off before it is drawn at the edge


def scatter(rows):
    """Predicted over measured time, a panel for each mechanism."""
    panels = _panels(rows, 2.5)
    for axes, (mechanism, part) in panels:
        x, y = np.log10(part.measured), np.log10(part.predicted)
        low, high = np.floor(min(x.min(), y.min())), np.ceil(max(x.max(), y.max()))
        _density(axes, x, y, (low, high), (low, high))
        axes.plot([low, high], [low, high], lw=0.8, color=ACCENT)
        _use_times(axes.xaxis, low, high)
        _use_times(axes.yaxis, low, high)
        axes.set_xlabel("measured", fontsize=9)
        _title(axes, mechanism, part)
    panels[0][0].set_ylabel("predicted", fontsize=9)
    return _explained(panels[0][0].figure, "the darker, the more rows; on the line: as measured")


def residuals(rows):
    """Predicted / measured over the size of the work: FLOPs of products and attention, tokens of the rest."""
    panels = _panels(rows, 2.3)
    for axes, (mechanism, part) in panels:
        by_flops = not np.any(part.flops <= 0) and mechanism not in ("memory-bound", "experts")
        x = np.log10(part.flops if by_flops else part.tokens)
        y = np.clip(np.log2(part.ratio), -WIDEST, WIDEST)
        low, high = np.floor(x.min()), max(np.ceil(x.max()), np.floor(x.min()) + 1)
        _density(axes, x, y, (low, high), (-WIDEST, WIDEST))
        axes.axhline(0, lw=0.8, color=GREY)
        _medians(axes, x, y, low, high)
        decades = np.arange(low, high + 1, max(1, (high - low) // 3))
        axes.set_xticks(decades, [f"1e{decade:.0f}" for decade in decades], fontsize=8)
        ratios = np.array([0.5, 0.7, 1.0, 1.4, 2.0])
        is_left = axes.get_subplotspec().is_first_col()
        axes.set_yticks(np.log2(ratios), [f"{ratio:g}" if is_left else "" for ratio in ratios], fontsize=8)
        axes.set_xlabel("FLOPs" if by_flops else "tokens", fontsize=9)
        _title(axes, mechanism, part)
    panels[0][0].set_ylabel("predicted / measured", fontsize=9)
    return _explained(panels[0][0].figure, "the darker, the more rows; marks: median and middle four fifths of half "
                                           "a decade; what is off by more than a factor of 2 stands at the edge")


def save(figure, path):
    """The same bytes for the same rows; letters stay letters, which is smaller than their outlines."""
    import matplotlib

    fonts = {"font.sans-serif": ["DejaVu Sans", "Arial"]}
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "echo-sweep", **fonts}):
        figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def _panels(rows, height):
    """[(axes, (mechanism, its rows))], side by side, three a line."""
    import matplotlib.pyplot as plt

    if len(rows) == 0:
        raise ValueError("no scored row to draw")
    parts = list(rows.by_mechanism().items())
    columns = min(3, len(parts))
    lines = -(-len(parts) // columns)
    figure, grid = plt.subplots(lines, columns, figsize=(0.6 + 2.7 * columns, height * lines + 0.4), squeeze=False,
                                layout="constrained")
    for axes in grid.flat[len(parts):]:
        axes.remove()
    for axes in grid.flat[:len(parts)]:
        axes.spines[["top", "right"]].set_visible(False)
    return list(zip(grid.flat, parts))


def _explained(figure, text):
    figure.supxlabel(text, fontsize=7.5, color=GREY, x=0.01, ha="left")
    return figure


def _density(axes, x, y, x_span, y_span):
    counts, _, _ = np.histogram2d(y, x, bins=CELLS, range=(y_span, x_span))
    axes.imshow(np.ma.masked_less(np.log(np.maximum(counts, 0.1)) + 1, 0), origin="lower", extent=(*x_span, *y_span), aspect="auto", cmap=COLOURS,
                interpolation="none", vmin=0)


def _medians(axes, x, y, low, high):
    """The median and the middle four fifths, a mark every half decade with twenty rows or more."""
    places = np.arange(low, high, 0.5)
    marks = [(np.median(x[near]), *np.quantile(y[near], (0.1, 0.5, 0.9))) for place in places
             if (near := (x >= place) & (x < place + 0.5)).sum() >= 20]
    if not marks:
        return
    centre, tenth, middle, ninetieth = np.array(marks).T
    gap = np.full(len(marks), np.nan)  # one broken line for all spans: a light file
    axes.plot(np.repeat(centre, 3), np.column_stack([tenth, ninetieth, gap]).ravel(), lw=0.9, color=ACCENT)
    axes.plot(centre, middle, "o", ms=2.5, color=ACCENT)


def _use_times(axis, low, high):
    decades = np.arange(low, high + 1)
    names = {-6: "1 us", -5: "10 us", -4: "100 us", -3: "1 ms", -2: "10 ms", -1: "100 ms", 0: "1 s"}
    kept = decades[::2] if len(decades) > 5 else decades
    axis.set_ticks(kept, [names.get(int(decade), f"1e{decade:.0f} s") for decade in kept], fontsize=8)


def _title(axes, mechanism, part):
    median, mean = part.errors()
    axes.set_title(f"{mechanism}: {len(part)} rows\nerror {100 * median:.1f} % median, {100 * mean:.1f} % mean",
                   loc="left", fontsize=8.5)
