// The Pareto front with its bands, and the metric against the number of GPUs.

// Both ends of the 80 % band of a value that follows `law`, as distances.
function bandBars(values, rows, name) {
  const bands = rows.map((row) => bandOf(lawOf(name), row));
  return {
    type: "data",
    symmetric: false,
    array: values.map((value, i) => value * Math.expm1(bands[i])),
    arrayminus: values.map((value, i) => -value * Math.expm1(-bands[i])),
    color: cssOf("muted"),
    thickness: 1,
    width: 0,
    visible: bands.some((band) => band > 0)
  };
}

// The range of a linear axis where bars reach far beyond all points: these in most of the picture, bars cut at its edge.
// Nothing where they do not.
function rangeOfPoints(name, axis, shown, barred) {
  const values = shown.map((row) => valueOf(name, row)).filter((value) => Number.isFinite(value));
  const low = Math.min(...values), high = Math.max(...values), most = 0.5 * (high - low);
  if (axis.logarithmic || !(most > 0)) return {};
  const ends = barred.map((row) => [-1, 1].map((side) => valueOf(name, row) * Math.exp(side * bandOf(lawOf(name), row))));
  const least = Math.min(...ends.map((one) => one[0])), greatest = Math.max(...ends.map((one) => one[1]));
  if (least >= low - most && greatest <= high + most) return {};
  const edge = 0.05 * (high - low);
  const range = [Math.max(Math.min(low, least), low - most) - edge, Math.min(Math.max(high, greatest), high + most) + edge];
  return {range: range.map((value) => value / axis.factor)};
}

const STANDINGS = {
  robust: ["on the front: robust", "diamond", "good"],
  tie: ["on the front: may be beaten", "circle", "accent"],
  unproven: ["behind it, but not surely beaten", "circle-open", "mark"],
  unjudged: ["on the front", "diamond", "good"],
};

let frontPicture;
function drawFront() {
  const model = currentModel(), section = document.getElementById("front");
  section.hidden = !model.front;
  if (section.hidden) return;
  const {x, y, points, goals, counts, density} = model.front, names = varyingInputs(modelRows);
  const cloud = (state.show === "ranked" ? visible : visible.filter(isFeasible))
                    .filter((row) => Number.isFinite(valueOf(x, row)) && Number.isFinite(valueOf(y, row)));
  const whole = modelRows.filter(isRanked);
  const axes = {
    x: metricAxis(x, whole.map((row) => valueOf(x, row))),
    y: metricAxis(y, whole.map((row) => valueOf(y, row)))
  };
  const at = (name, axis) => (row) => valueOf(name, row) / axes[axis].factor;
  const traces = [];
  if (density && !isFiltered())
    traces.push({
      type: "heatmap",
      name: "all rows",
      x: density.x.map((edge) => edge / axes.x.factor),
      y: density.y.map((edge) => edge / axes.y.factor),
      z: density.counts.map((line) => line.map((count) => count ? Math.log10(count) : null)),
      colorscale: [[0, cssOf("grid")], [1, cssOf("cloud")]],
      showscale: false,
      customdata: density.counts,
      hovertemplate: "%{customdata} rows<extra></extra>"
    });
  traces.push({
    type: "scatter",
    mode: "markers",
    name: density ? "rows on this page" : "other rows",
    x: cloud.map(at(x, "x")),
    y: cloud.map(at(y, "y")),
    customdata: cloud,
    hoverinfo: "text",
    hovertext: cloud.map((row) => hoverOf(row, names)),
    marker: {
      size: 6,
      color: cssOf("cloud"),
      opacity: 0.55,
      symbol: cloud.map((row) => isRanked(row) ? "circle" : "x-thin-open")
    }
  });
  const onFront = points.filter((one) => one.standing !== "unproven");
  traces.push({
    type: "scatter",
    mode: "lines",
    name: "front",
    x: onFront.map((one) => at(x, "x")(one.row)),
    y: onFront.map((one) => at(y, "y")(one.row)),
    hoverinfo: "skip",
    line: {color: cssOf("good"), width: 1.5, dash: "dot", shape: goals[x] === "min" ? "hv" : "vh"},
    showlegend: false
  });
  for (const [standing, [text, symbol, colour]] of Object.entries(STANDINGS)) {
    const some = points.filter((one) => one.standing === standing && isVisible[one.row]),
          rows = some.map((one) => one.row);
    if (!rows.length) continue;
    const xs = rows.map(at(x, "x")), ys = rows.map(at(y, "y"));
    const rival = some.map(
        (one) => one.rival >= 0 ?
            `<br>likeliest rival ${rowIds[one.rival].slice(0, 8)}, chance ${percent(one.chance, 2)}` :
            "");
    traces.push({
      type: "scatter",
      mode: "markers",
      name: text,
      x: xs,
      y: ys,
      customdata: rows,
      hoverinfo: "text",
      hovertext: rows.map((row, i) => hoverOf(row, names) + rival[i]),
      marker: {
        size: 11,
        symbol,
        color: cssOf(colour),
        line: {width: 1.5, color: cssOf(standing === "unproven" ? colour : "card")}
      },
      ...(standing === "unproven" ? {} : {error_x: bandBars(xs, rows, x), error_y: bandBars(ys, rows, y)})
    });
  }
  const barred = points.filter((one) => one.standing !== "unproven" && isVisible[one.row]).map((one) => one.row);
  const ranges = {
    x: rangeOfPoints(x, axes.x, [...cloud, ...barred], barred),
    y: rangeOfPoints(y, axes.y, [...cloud, ...barred], barred)
  };
  const isCut = ranges.x.range || ranges.y.range;
  const said = `${labelOf(x)} against ${labelOf(y)}; ${goals[x] === "min" ? "less" : "more"} and ${
                   goals[y] === "min" ? "less" : "more"} is better. ` +
      (counts.unjudged ? `${plural(counts.unjudged, "point")} on the front.` :
                         `${counts.robust} robust, ${counts.tie} that another may beat, ${
                             counts.unproven} unproven. Bars: 80 % bands of the front${isCut ? ", cut at the edge" : ""}.`) +
      (density ? ` Shading counts all ${grouped(model.counts.ranked)} ranked rows; points are those on this page.` :
                 "");
  const layout = {
    height: 470,
    xaxis: {...axes.x.axis, ...ranges.x},
    yaxis: {...axes.y.axis, ...ranges.y},
    dragmode: "select"
  };
  frontPicture.draw(traces, layout, said, {
    heads: [
      "id", "configuration", labelOf(x) + " [" + columns.get(x).units + "]",
      labelOf(y) + " [" + columns.get(y).units + "]", "standing"
    ],
    rows: () =>
        points.filter((one) => isVisible[one.row])
            .map(
                (one) =>
                    [rowIds[one.row], nameOf(one.row, names), valueOf(x, one.row), valueOf(y, one.row), one.standing])
  });
}

const scaling = {
  x: null,
  line: null,
  y: null
};
let scalingPicture;

// Numeric inputs of few values, the number of GPUs first.
function scalingAxes() {
  const found = varyingInputs(modelRows).filter(
      (name) => !columns.get(name).words && new Set(modelRows.map((row) => valueOf(name, row))).size <= 40);
  return ["gpus", ...found.filter((name) => name !== "gpus" && currentModel().axes.includes(name))];
}
function lineAxes() {
  const varying = varyingInputs(modelRows).filter((name) => currentModel().axes.includes(name));
  return ["cluster", ...varying.filter((name) => name !== "cluster")];
}
function timeMetric() {
  const batches = new Set(modelRows.filter(isFeasible).map((row) => valueOf("global_batch_tokens", row)));
  if (facts.metric === "train_time" || facts.metric === "step_time") return facts.metric;
  return batches.size <= 1                                             ? "step_time" :
      Number.isFinite(valueOf("train_time", currentModel().best ?? 0)) ? "train_time" :
                                                                         "tokens_per_s";
}

function drawScalingChoices() {
  const place = document.getElementById("scaling-choices");
  const axes = scalingAxes();
  scaling.x = columns.get("gpus").varies || axes.length < 2 ? "gpus" : axes[1];
  scaling.line = "cluster";
  scaling.y = timeMetric();
  const metrics = [
    ...new Set([scaling.y, "step_time", "tokens_per_s", "tokens_per_s_per_gpu", "mfu", "mem_peak", facts.metric])
  ].filter((name) => columns.has(name));
  const options = (names) => names.map((name) => [name, labelOf(name)]);
  place.replaceChildren(choice("best", options(metrics), scaling.y, (name) => {
                          scaling.y = name;
                          drawScaling();
                        }), choice("against", options(axes), scaling.x, (name) => {
                          scaling.x = name;
                          drawScaling();
                        }), choice("a line for each", options(lineAxes()), scaling.line, (name) => {
                          scaling.line = name;
                          drawScaling();
                        }));
}

// {line: {x: best row}} among `rows`.
function bestOfEach(rows, line, x, metric) {
  const better = metricSign(metric), found = new Map();
  for (const row of rows) {
    const key = told(line, valueOf(line, row)), value = better * valueOf(metric, row);
    if (Number.isNaN(value)) continue;
    if (!found.has(key)) found.set(key, new Map());
    const one = found.get(key), place = valueOf(x, row);
    if (!one.has(place) || value < better * valueOf(metric, one.get(place))) one.set(place, row);
  }
  return found;
}
function metricSign(name) {
  if (name === facts.metric) return sign;
  return (facts.objectives[name] || columns.get(name).goal) === "max" ? -1 : 1;
}

const DASHES = ["solid", "dash", "dot", "dashdot", "longdash"],
      SYMBOLS = ["circle", "square", "triangle-up", "diamond", "cross", "x"];
function seriesColour(i) {
  const colour = facts.colours.series[i % facts.colours.series.length];
  return colour === "#000000" ? cssOf("text") : colour;
}

function drawScaling() {
  const {x, line, y} = scaling, names = varyingInputs(modelRows);
  const section = document.getElementById("scaling");
  section.hidden = currentModel().best === null;
  if (section.hidden) return;
  const found = bestOfEach(visible.filter(isRanked), line, x, y), traces = [], data = [];
  const drawn = [...found.values()].flatMap((one) => [...one.values()]);
  const ax = metricAxis(x, drawn.map((row) => valueOf(x, row))),
        ay = metricAxis(y, drawn.map((row) => valueOf(y, row)));
  let i = 0;
  for (const [key, one] of [...found].sort((a, b) => a[0] < b[0] ? -1 : 1)) {
    const places = [...one.keys()].sort((a, b) => a - b), rows = places.map((place) => one.get(place));
    const ys = rows.map((row) => valueOf(y, row) / ay.factor);
    rows.forEach((row, k) => data.push([key, places[k], valueOf(y, row), rowIds[row], nameOf(row, names)]));
    traces.push({
      type: "scatter",
      mode: "lines+markers",
      name: plain(line === "cluster" ? key : labelOf(line) + " " + key),
      x: places.map((place) => place / ax.factor),
      y: ys,
      customdata: rows,
      hoverinfo: "text",
      hovertext: rows.map((row) => hoverOf(row, names)),
      line: {color: seriesColour(i), dash: DASHES[i % DASHES.length], width: 2},
      marker: {size: 9, symbol: SYMBOLS[i % SYMBOLS.length], color: seriesColour(i)},
      error_y: {...bandBars(ys, rows, y), color: seriesColour(i), width: 4}
    });
    i += 1;
  }
  const said = `Best ${labelOf(y)} of each ${labelOf(x)}, a line for each ${labelOf(line)}. Bars: 80 % bands.` +
      (columns.get("gpus").varies || x !== "gpus" ? "" : " The sweep has one number of GPUs.");
  scalingPicture.draw(
      traces,
      {height: 430, xaxis: ax.axis, yaxis: {...ay.axis, rangemode: "tozero"}, dragmode: "select", showlegend: true},
      said, {
        heads: [labelOf(line), labelOf(x), `${labelOf(y)} [${columns.get(y).units}]`, "id", "configuration"],
        rows: () => data
      });
}
