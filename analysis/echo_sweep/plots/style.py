"""Colours, labels and figures that all pictures share."""

import numpy as np

from ..quantity import scale_of

# Okabe and Ito 2008: distinguishable with any kind of colour vision.
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY, LIGHT_GREY, HATCH_GREY = "#555555", "#d4d4d4", "#9a9a9a"
ACCENT = "#D55E00"

# Computing is blue, communicating warm, waiting grey. What stands side by side in a bar differs in lightness.
PARTS = {
    "forward": "#8ec1e0", "backward": "#0072B2", "recompute": "#bfe3ef", "optimizer": "#003f63",
    "tp_comm": "#E69F00", "cp_comm": "#8c6100", "ep_comm": "#f7dfa6", "pp_comm": "#F0E442", "dp_comm": "#D55E00",
    "zero_comm": "#f2a37c", "bubble": "#bdbdbd", "idle": "#dedede", "slowdown": "#CC79A7", "checkpoint": "#009E73",
    "other": "#555555",
}
LABELS = {"tp": "tp", "pp": "pp", "cp": "cp", "ep": "ep", "dp": "dp", "vpp": "vpp", "micro_batch": "mbs",
          "global_batch": "gbs", "sequence_parallel": "sp"}


def new_axes(axes, width=6.4, height=4.0):
    """`axes`, or those of a new figure, without the box nobody reads."""
    import matplotlib.pyplot as plt

    if axes is None:
        axes = plt.subplots(figsize=(width, height), layout="constrained")[1]
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return axes


def scaled(column, values):
    """Values in a unit that reads well, and the label of their axis."""
    finite = values[np.isfinite(values)]
    divisor, unit = scale_of(column.units, float(np.max(np.abs(finite))) if len(finite) else 0.0)
    return values / divisor, f"{column.long_name} [{unit}]" if unit else column.long_name


def name_of(column, value):
    """tp8, sp for sequence_parallel on, preset names as they are; nothing for what is off."""
    if column.words and value in ("off", "none"):
        return ""
    if column.is_switch:
        return LABELS.get(column.name, column.name)
    if column.name in ("recompute", "zero"):
        return f"{column.name}-{value}"
    if column.words:
        return str(value)
    return f"{LABELS.get(column.name, column.name + ' ')}{value}"


def labels_of(sweep, names):
    """One label a row: what its values of `names` are."""
    columns = [(sweep.about(name), sweep.column(name)) for name in names]
    texts = ([name_of(column, values[i]) for column, values in columns] for i in range(len(sweep)))
    return [" ".join(text for text in row if text) for row in texts]


def use_values_as_ticks(axis, values):
    """Ticks at the very values, for axes of GPU counts and degrees."""
    axis.set_ticks(list(values), [f"{value:g}" for value in values], fontsize=8.5)
    axis.set_ticks([], minor=True)


def text_boxes(axes):
    """Where the texts and the legend of a picture are, in pixels."""
    renderer = axes.figure.canvas.get_renderer()
    texts = list(axes.texts) + [label for label in axes.get_xticklabels() + axes.get_yticklabels() if label.get_text()]
    if axes.get_legend() is not None:
        texts.append(axes.get_legend())
    return [text.get_window_extent(renderer) for text in texts if text.get_visible()]


# Beside a point, the nearest places first, in points: right or left of it, above or below.
PLACES = [(x, y) for y in (10, -20, 24, -34, 38, -48) for x in (6, -44, 28, -66)]


def add_labels(axes, labels, **style):
    """Texts [(text, (x, y))] beside their points, where they hide no other text and stay within the axes. Of a figure that has
    its final size."""
    axes.figure.canvas.draw()  # where ticks and legend come to be
    inside = axes.get_window_extent()
    for text, point in labels:
        taken = text_boxes(axes)
        for place in PLACES:
            label = axes.annotate(text, point, xytext=place, textcoords="offset points", **style)
            box = label.get_window_extent(axes.figure.canvas.get_renderer())
            is_inside = inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 and box.y1 <= inside.y1
            if is_inside and not any(box.overlaps(other) for other in taken):
                break
            label.remove()
        else:
            axes.annotate(text, point, xytext=PLACES[0], textcoords="offset points", **style)


def drop_crowded_ticks(axis):
    """Leaves out the labels of ticks that would touch those before them."""
    axis.figure.canvas.draw()
    renderer, last = axis.figure.canvas.get_renderer(), None
    for label in axis.get_ticklabels():
        box = label.get_window_extent(renderer)
        if last is not None and box.x0 < last.x1 + 3:
            label.set_visible(False)
        else:
            last = box


def use_plain_log(axis):
    """A logarithmic axis labelled 200 000, not 2 x 10^5."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(base=10, subs=(1, 2, 3, 5, 7)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}".replace(",", " ")))
    axis.set_minor_formatter(NullFormatter())
