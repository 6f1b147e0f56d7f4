// Where the time and the memory of the best rows go, what moves the metric, what overlap costs, what was removed, and
// what would be worth measuring.

const PATTERNS = {
  tp_comm: "/",
  cp_comm: "\\",
  ep_comm: "x",
  pp_comm: "-",
  dp_comm: "|",
  zero_comm: "+",
  bubble: ".",
  slowdown: "/"
};
const slicing = {
  by: "",
  unit: "s"
};
let timePicture, memoryPicture, taxPicture;

// The best row of each slice among the visible ones, best first: [label, row].
function slicesShown(most) {
  const model = currentModel(), names = varyingInputs(modelRows);
  const by = slicing.by === "slice" ? model.slices : [slicing.by], found = new Map();
  for (const row of bestFirst(visible.filter(isRanked))) {
    const key = by.map((name) => termOf(name, row) || labelOf(name) + " " + told(name, valueOf(name, row))).join(", ");
    if (!found.has(key)) found.set(key, row);
  }
  const rest = names.filter((name) => !by.includes(name));
  return [...found].slice(0, most).map(([key, row]) => [key, row, nameOf(row, rest)]);
}

function drawSlicingChoices() {
  const model = currentModel(),
        slices = model.slices.filter((name) => new Set(modelRows.map((row) => valueOf(name, row))).size > 1);
  const axes = model.axes.filter((name) => varyingInputs(modelRows).includes(name));
  const options = [
    ...(slices.length ? [["slice", slices.map(labelOf).join(" and ")]] : []),
    ...axes.map((name) => [name, labelOf(name)])
  ];
  slicing.by = options.length ?
      (slices.length ? "slice" : (model.levers.find((one) => axes.includes(one.axis)) || {axis: options[0][0]}).axis) :
      "gpus";
  document.getElementById("slicing").replaceChildren(
      ...(options.length > 1 ? [choice("the best of each", options, slicing.by, (value) => {
        slicing.by = value;
        drawShares();
      })] : []), choice("bars in", [["s", "seconds"], ["share", "shares of the step"]], slicing.unit, (value) => {
        slicing.unit = value;
        drawShares();
      }));
}

function stacked(picture, kind, scaleTo, unit, said, extra) {
  const slices = slicesShown(14), width = picture.plot.clientWidth, isNarrow = picture.plot.clientWidth < 720;
  const labels = slices.map(([key]) => plain(key));
  // where there is no room beside the bars, labels stand above them
  const above = isNarrow ? labels.map((text) => ({
                                        x: 0,
                                        y: text,
                                        text,
                                        xanchor: "left",
                                        yanchor: "bottom",
                                        yshift: 8,
                                        showarrow: false,
                                        font: {size: 12}
                                      })) :
                           [];
  const used = parts[kind].names.filter(
      (name, k) => slices.some(([, row]) => parts[kind].values[row * parts[kind].names.length + k] > 0));
  const size = parts[kind].names.length, data = [];
  const legendLines = Math.ceil((used.length + 1) / Math.max(1, Math.floor((width - 60) / 145)));
  const traces = used.map((name, i) => {
    const k = parts[kind].names.indexOf(name),
          values = slices.map(([, row]) => parts[kind].values[row * size + k] / scaleTo(row));
    const colour = facts.colours.parts[name] || seriesColour(i);
    return {
      type: "bar",
      orientation: "h",
      name: plain(labelOf(name)),
      y: labels,
      x: values,
      customdata: slices.map(([, row]) => row),
      hovertemplate: `${plain(labelOf(name))} %{x:.3~g} ${unit}<extra></extra>`,
      marker: {
        color: colour,
        line: {color: cssOf("card"), width: 0.6},
        pattern: {
          bgcolor: colour,
          shape: kind === "mem" ? ["", "/", "x", ".", "\\", "-", "|", "+"][Math.floor(i / 2) % 8 * (i % 2)] :
                                  PATTERNS[name] || "",
          fgcolor: "rgba(0,0,0,0.55)",
          size: 7,
          solidity: 0.22
        }
      }
    };
  });
  slices.forEach(([key, row, rest]) => used.forEach((name) => data.push([
    key, rowIds[row], rest, name, parts[kind].values[row * size + parts[kind].names.indexOf(name)]
  ])));
  picture.draw(
      [...traces, ...extra(slices, labels)], {
        barmode: "stack",
        annotations: above,
        height: 100 + 20 * legendLines + Math.max(90, (isNarrow ? 42 : 31) * slices.length),
        xaxis: axisOf(unit ? `[${unit}]` : ""),
        yaxis:
            axisOf("", {type: "category", autorange: "reversed", dtick: 1, ticksuffix: " ", showticklabels: !isNarrow}),
        margin: {l: isNarrow ? 12 : 60, r: baseLayout().margin.r, t: (isNarrow ? 40 : 20) + 20 * legendLines, b: 44},
        bargap: isNarrow ? 0.62 : 0.25,
        legend: {...baseLayout().legend, traceorder: "normal"}
      },
      said(slices),
      {heads: ["best of", "id", "configuration", "part", kind === "mem" ? "byte" : "s"], rows: () => data});
}

function drawShares() {
  const section = document.getElementById("time"), memory = document.getElementById("memory");
  section.hidden = memory.hidden = currentModel().best === null;
  if (section.hidden) return;
  const isShare = slicing.unit === "share";
  stacked(
      timePicture, "exposed_time", (row) => isShare ? valueOf("step_time", row) / 100 : 1, isShare ? "%" : "s",
      (slices) => slices.length ?
          `The step of the busiest stage by cause; the best of ${
              plural(slices.length, "slice")}, best first. Hatched parts are communication, waiting or slowdown.` :
          "No ranked row is left.",
      () => []);
  stacked(
      memoryPicture, "mem", () => 2 ** 30, "GiB",
      (slices) => slices.length ? "Memory of the fullest GPU by content; the mark is what a GPU may use." :
                                  "No ranked row is left.",
      (slices, labels) => [{
        type: "scatter",
        mode: "markers",
        name: "limit",
        y: labels,
        x: slices.map(([, row]) => valueOf("mem_limit", row) / 2 ** 30),
        hovertemplate: "limit %{x:.3~g} GiB<extra></extra>",
        marker: {symbol: "line-ns-open", size: 20, color: cssOf("mark"), line: {width: 3, color: cssOf("mark")}}
      }]);
  drawSensitivities();
}

// What 10 % more of something saves along the critical path: its share s of the step becomes s / 1.1. Latency and host
// time are times: 10 % less of them.
const DRIVERS = [
  ["sens_flops", "10 % more FLOP/s"],
  ["sens_hbm", "10 % more HBM bandwidth"],
  ["sens_scale_up", "10 % more bandwidth inside a node (NVLink)"],
  ["sens_scale_out", "10 % more bandwidth between nodes (NIC)"],
  ["sens_latency", "10 % less communication latency"],
  ["sens_host", "10 % less launch and host time"],
];
function saved(name, share) {
  return name === "sens_latency" || name === "sens_host" ? 0.1 * share : share * (1 - 1 / 1.1);
}
function savedText(share) {
  return share < 5e-5 ? "under 0.01\u00a0%" : "\u2212" + digits(Number((100 * share).toFixed(2)), 3) + "\u00a0%";
}
function drawSensitivities() {
  const place = document.getElementById("sensitivities"), drivers = DRIVERS.filter(([name]) => columns.has(name));
  place.replaceChildren();
  const slices = slicesShown(8);
  if (!drivers.length || !slices.length) return;
  place.append(
      element("p", {
        class: "muted small",
        text: "Change of the step time, taken along the critical path with all choices held fixed."
      }),
      table(
          [{text: "change"}, ...slices.map(([key]) => ({text: key, number: true}))],
          drivers.map(([name, said]) => [said, ...slices.map(([, row]) => savedText(saved(name, valueOf(name, row))))]),
          "What faster hardware would save"));
}

function drawLevers() {
  const section = document.getElementById("levers"), {levers} = currentModel();
  const place = document.getElementById("lever-bars");
  section.hidden = currentModel().best === null;
  place.replaceChildren();
  if (!levers.length)
    place.append(element("p", {text: "No axis of the sweep varies."}));
  else
    place.append(
        bars(
            levers.slice(0, 10).map(
                (one) => ({label: labelOf(one.axis), share: one.share, text: percent(one.share, 2)})),
            {id: "levers-list"}),
        element("p", {
          class: "muted small",
          text: `Share of the variance of log ${
              labelOf(
                  facts
                      .metric)} over all feasible rows that lies between groups of equal value. Shares of axes that go together overlap.`
        }));
}

function drawTax() {
  const section = document.getElementById("overlap"), {tax, overlap} = currentModel(),
        text = document.getElementById("overlap-text");
  section.hidden = !tax;
  if (section.hidden) return;
  const centres = tax.counts.map((_, i) => 50 * (tax.edges[i] + tax.edges[i + 1])),
        width = 100 * (tax.edges[1] - tax.edges[0]);
  const total = tax.counts.reduce((a, b) => a + b, 0),
        share = (counts, all) => counts.map((count) => all ? 100 * count / all : 0);
  const traces = [{
    type: "bar",
    name: "all ranked rows",
    x: centres,
    y: share(tax.counts, total),
    width,
    marker: {color: cssOf("cloud"), line: {width: 0.5, color: cssOf("card")}},
    hovertemplate: "tax %{x:.3~g} %: %{y:.3~g} % of rows<extra></extra>"
  }];
  if (isFiltered()) {
    const rows = visible.filter(isRanked), counts = new Array(tax.counts.length).fill(0), low = tax.edges[0],
          span = tax.edges[tax.edges.length - 1] - low;
    for (const row of rows)
      counts[Math.max(
          0, Math.min(counts.length - 1, Math.floor((valueOf("slowdown_tax", row) - low) / span * counts.length)))] +=
          1;
    traces.push({
      type: "bar",
      name: "filtered rows",
      x: centres,
      y: share(counts, rows.length),
      width: width * 0.5,
      marker: {color: cssOf("accent"), pattern: {shape: "/", size: 5, solidity: 0.3}}
    });
  }
  const best = valueOf("slowdown_tax", currentModel().best);
  taxPicture.draw(
      traces, {
        height: 300,
        barmode: "overlay",
        xaxis: axisOf("slowdown tax [%]"),
        yaxis: axisOf("rows [%]"),
        showlegend: isFiltered()
      },
      `Step with slowdown over the step without, minus one; ${plural(total, "ranked row")}. The best row pays ${
          percent(best, 2)}.`,
      {
        heads: ["tax from [%]", "to [%]", "rows"],
        rows: () => tax.counts.map((count, i) => [100 * tax.edges[i], 100 * tax.edges[i + 1], count])
      });
  text.replaceChildren();
  if (!overlap) return;
  const said = `Without the slowdown of overlapped work${
                   overlap.contention ?
                       " and contention" :
                       ""}, another layout would win in ${overlap.another} of ${plural(overlap.slices, "slice")}` +
      (overlap.another ? `; taking it would cost ${percent(overlap.median, 2)} of the step in the median and ${
                             percent(overlap.largest, 2)} at most.` :
                         ".") +
      " A slice: rows that differ in the layout alone.";
  text.append(element("p", {text: said}));
  if (overlap.changed.length)
    text.append(element(
        "details", {}, element("summary", {text: "Slices that change their winner"}),
        table(
            [{text: "wins with slowdown"}, {text: "would win without"}, {text: "costs", number: true}],
            overlap.changed.map((one) => [linkOfId(one.wins_with), linkOfId(one.wins_without), percent(one.loss, 2)]),
            "Slices that change their winner")));
}
function linkOfId(id) {
  return rowOfId.has(id) ? rowLink(rowOfId.get(id)) : element("span", {class: "id", text: id.slice(0, 8)});
}

function drawFunnel() {
  const model = currentModel(), place = document.getElementById("funnel-list"), {plan} = facts;
  place.replaceChildren();
  const entry = (label, count, colour, hatched, about = "") =>
      ({label, share: Math.log10(1 + count), text: (about || "") + grouped(count), colour, hatched});
  if (plan) {
    const items = [entry("all combinations of the axes", plan.raw, cssOf("muted"), false, plan.exact ? "" : "~")];
    for (const rule of plan.rules)
      if (countIn(rule, "removed"))
        items.push(entry(`removed by ${rule.name}`, countIn(rule, "removed"), cssOf("hatch"), true, "\u2212"));
    if (countIn(plan, "duplicates"))
      items.push(entry("the same configuration again", countIn(plan, "duplicates"), cssOf("hatch"), true, "\u2212"));
    items.push(entry(
        `points of the sweep (${facts.points} in the file's space)`.replace(/\(.*\)/, ""), facts.points,
        cssOf("accent"), false));
    place.append(element("h3", {text: "Before anything runs"}), bars(items, {class: "bars words"}));
  } else {
    place.append(element(
        "p", {class: "muted", text: `What the rules of the sweep remove is not shown: ${facts.plan_problem}.`}));
  }
  const kinds =
      {unsupported: "not supported: ", memory: "", limit: "", doubtful: "", failed: "", over_budget: "", pending: ""};
  const total = Object.values(model.counts).slice(0, 5).reduce((a, b) => a + b, 0);
  const items = [entry(`rows of ${model.name} in this file`, total, cssOf("accent"), false)];
  for (const one of model.funnel)
    items.push(entry(
        (kinds[one.kind] ?? "") + one.cause + (one.axes ? ` (${one.axes.replace(/ /g, ", ")})` : ""), one.rows,
        cssOf("hatch"), true, "\u2212"));
  items.push(entry("ranked rows: feasible, and surely enough fit", model.counts.ranked, cssOf("good"), false));
  place.append(
      element("h3", {text: "What came out"}), bars(items, {class: "bars words"}), element("p", {
        class: "muted small",
        text:
            "Bars are logarithmic. Rules apply in the order of the sweep: a combination that several remove counts for the first."
      }));
}
function countIn(entry, name) {
  const value = entry[name];
  return value !== null && typeof value === "object" ? value.value ?? value.high ?? 0 : value ?? 0;
}

function drawKernels() {
  const place = document.getElementById("kernel-table"), {kernels} = facts;
  place.replaceChildren();
  if (!kernels || !kernels.length) {
    place.append(element("p", {
      class: "muted",
      text: kernels ? "Every kernel of the best rows has been measured, or no row is feasible." :
                      `Not known: ${facts.kernels_problem}.`
    }));
    return;
  }
  const about = new Set(["gpu", "kind", "share", "error", "price", "points", "precision"]);
  const shape =
      (kernel) => [kernel.precision,
                   ...Object.entries(kernel)
                       .filter(([name, value]) => !about.has(name) && (value === "yes" || Number(value) > 1))
                       .map(([name, value]) => name.replace(/_/g, " ") + (value === "yes" ? "" : "\u00a0" + value))]
                      .join(", ");
  place.append(
      table(
          [
            {text: "kernel"}, {text: "shape", words: true}, {text: "GPU"}, {text: "of the step", number: true},
            {text: "price"}, {text: "its error", number: true}, {text: "possible effect", number: true}
          ],
          kernels.map(
              (one) =>
                  [one.kind, shape(one), one.gpu, percent(Number(one.share)), one.price, percent(Number(one.error)),
                   percent(Number(one.share) * Number(one.error), 2)]),
          "Kernels worth measuring"),
      element(
          "p", {class: "muted small"}, "All of them, as a table that echo-profile reads: ",
          element("code", {text: `echo-sweep profile gaps ${facts.file} -o kernels.csv`})));
}
