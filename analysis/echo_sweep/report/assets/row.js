// The page of one row: where its step and its memory go, its timeline, and the sweep that simulates it again.

let timelinePicture;

function rowSweep(row) {
  const lines = facts.row_sweep.keys.map((name) => {
    const column = columns.get(name), value = valueOf(name, row);
    return `${name} = ${column.words ? column.toml[value] : value}`;
  });
  const unwritten = facts.row_sweep.unwritten.length ?
      `# not written here, as the file keeps ${facts.row_sweep.unwritten.join(", ")} in tables of its own\n` :
      "";
  return `# row ${rowIds[row]} of ${facts.file}\n${unwritten}${facts.row_sweep.head}\n\n[space]\n${lines.join("\n")}\n`;
}

function partBars(kind, row, whole, units) {
  return bars(
      partsOf(kind, row).map(([name, value]) => ({
                               label: labelOf(name),
                               share: value / whole,
                               text: `${shown(value, units, 3)} \u00b7 ${percent(value / whole, 2)}`,
                               colour: facts.colours.parts[name],
                               hatched: Boolean(PATTERNS[name])
                             })),
      {class: "bars parts"});
}

function factsOf(row) {
  const list = element("dl", {class: "many"});
  for (const column of columns.values()) {
    const value = column.values[row];
    if (column.name === "reason_margin" && Number.isNaN(value) || column.role === "metric" && Number.isNaN(value))
      continue;
    list.append(
        element("div", {}, element("dt", {text: column.label}), element("dd", {text: told(column.name, value)})));
  }
  return list;
}

const STEP_COLOURS = {
  forward: "#8ec1e0",
  backward: "#0072B2",
  weight_gradient: "#003f63",
  pair: "#4f9dc7",
  bubble: "#bdbdbd",
  pp_comm: "#F0E442",
  tail: "#D55E00",
  omitted: "#dedede"
};
const STEP_PATTERNS = {
  backward: "",
  weight_gradient: "x",
  bubble: ".",
  pp_comm: "-",
  tail: "/",
  omitted: "|"
};

function colourOf(kind, k) { return STEP_COLOURS[kind] || facts.colours.parts[kind] || seriesColour(k); }

function drawTimeline(place, row) {
  const timeline = facts.timelines.rows[row];
  if (!timeline) {
    place.append(element(
        "p", {},
        facts.timelines.problem ? `No timeline: ${facts.timelines.problem}. ` :
                                  "The page holds the timelines of the best rows. Of this one: ",
        element("code", {text: `echo-sweep trace ${facts.file} ${rowIds[row].slice(0, 8)} -o step.json.gz`}),
        ", for ui.perfetto.dev."));
    return;
  }
  timelinePicture = new Picture(place, "timeline", "Timeline of the step");
  const [track, start, end_, kind_, name] =
      ["track", "start", "end", "kind", "name"].map((part) => valuesOf(timeline[part], 0));
  const slices = Array.from(track, (_, i) => [track[i], start[i], end_[i], kind_[i], timeline.names[name[i]]]);
  const end = slices.reduce((last, one) => Math.max(last, one[2]), 0), [factor, unit] = scaleOf("s", end / 1e6),
        tracks = timeline.tracks.map(plain);
  const traces = timeline.kinds
                     .map((kind, k) => {
                       const some = slices.filter((one) => one[3] === k);
                       return {
                         type: "bar",
                         orientation: "h",
                         name: kind.replace(/_/g, " "),
                         y: some.map((one) => tracks[one[0]]),
                         base: some.map((one) => one[1] / 1e6 / factor),
                         x: some.map((one) => (one[2] - one[1]) / 1e6 / factor),
                         hoverinfo: "text",
                         hovertext: some.map(
                             (one) => `${plain(one[4])}, ${plain(timeline.tracks[one[0]])}<br>${
                                 shown((one[2] - one[1]) / 1e6, "s", 3)} from ${shown(one[1] / 1e6, "s", 4)}`),
                         marker: {
                           color: colourOf(kind, k),
                           line: {width: 0.4, color: cssOf("card")},
                           pattern: {
                             bgcolor: colourOf(kind, k),
                             shape: STEP_PATTERNS[kind] || PATTERNS[kind] || "",
                             fgcolor: "rgba(0,0,0,0.5)",
                             size: 6,
                             solidity: 0.2
                           }
                         }
                       };
                     })
                     .filter((trace) => trace.y.length);
  timelinePicture.draw(
      traces, {
        barmode: "overlay",
        bargap: 0.12,
        height: Math.max(240, 150 + 28 * timeline.tracks.length),
        xaxis: axisOf(`time [${unit}]`),
        yaxis: axisOf(
            "", {autorange: "reversed", type: "category", categoryorder: "array", categoryarray: tracks, dtick: 1}),
        dragmode: "zoom"
      },
      timeline.ops ?
          `One replayed step by streams; the longest ${grouped(slices.length)} of ${grouped(timeline.ops)} ops.` :
          `One step of ${
              plural(
                  timeline.tracks.length,
                  "pipeline stage")}, the compute lane of each; F forward, B backward, with the microbatch.`,
      {
        heads: ["track", "from [us]", "to [us]", "kind", "name"],
        rows: () => slices.map((one) => [timeline.tracks[one[0]], one[1], one[2], timeline.kinds[one[3]], one[4]])
      });
}

function rowCard(title, ...children) {
  return element("section", {class: "card"}, element("h2", {text: title}), ...children);
}

// The launch file of a row, where the page has it.
function launchCard(row) {
  const text = facts.launches.rows[row];
  const command = element("code", {text: `echo-sweep launch ${facts.file} ${rowIds[row].slice(0, 8)}`});
  if (text === undefined)
    return rowCard(
        "Launch it",
        element(
            "p", {class: "small"},
            facts.launches.problem ? `No launch file: ${facts.launches.problem}. ` :
                                     "The page holds the launch files of the best rows. Of this one: ",
            command));
  return rowCard(
      "Launch it", element("p", {text: "The launch file of the framework that the row is simulated as:"}),
      element("pre", {id: "row-launch", tabindex: "0", "aria-label": "Launch file of this row", text}),
      element("p", {class: "small"}, "For another framework, add --for: ", command));
}

function drawRow(row) {
  const page = document.getElementById("row-page"), names = varyingInputs(modelRows), step = valueOf("step_time", row);
  const lack = lackOf(row), rule = wordOf("rule", row);
  page.replaceChildren(
      element("p", {}, element("a", {href: "#", text: "\u2190 Back to the report"})),
      element("h1", {id: "row-title", text: nameOf(row, names)}),
      element(
          "p", {class: "muted"}, element("span", {class: "id", text: rowIds[row]}),
          ` \u00b7 ${wordOf("model", row)} on ${wordOf("cluster", row)}, ${plural(valueOf("gpus", row), "GPU")}`));
  if (lack)
    page.append(element(
        "p", {
          class: "notice",
          text: `Not ranked: ${lack}${rule && rule !== "none" ? " (" + (facts.rules[rule] || rule) + ")" : ""}. `
        },
        element("code", {text: `echo-sweep why-not ${facts.file} ${rowIds[row].slice(0, 8)}`}),
        " finds the smallest change that makes it feasible."));
  if (Number.isFinite(step)) page.append(tilesOf(row));
  const two = element("div", {class: "two"});
  if (Number.isFinite(step))
    two.append(rowCard(
        "Where the step goes", partBars("exposed_time", row, step, "s"),
        element("p", {class: "muted small", text: "Exposed time of the busiest stage; the parts sum to the step."})));
  if (Number.isFinite(valueOf("mem_peak", row)))
    two.append(rowCard("Where the memory goes", partBars("mem", row, valueOf("mem_peak", row), "byte"), element("p", {
                         class: "muted small",
                         text: `The fullest GPU: ${shown(valueOf("mem_peak", row), "byte", 3)} of ${
                             shown(valueOf("mem_limit", row), "byte", 3)} that it may use.`
                       })));
  page.append(two);
  if (Number.isFinite(step)) {
    const timeline = rowCard("Timeline");
    page.append(timeline);
    drawTimeline(timeline, row);
  }
  const text = rowSweep(row);
  page.append(
      launchCard(row),
      rowCard(
          "Run it again", element("p", {text: "This sweep of one point simulates the row again:"}),
          element("pre", {id: "row-sweep", tabindex: "0", "aria-label": "Sweep of this row", text}),
          element(
              "button",
              {type: "button", text: "Save as TOML", onclick: () => saveText(rowIds[row].slice(0, 8) + ".toml", text)}),
          element(
              "p", {class: "small"}, "Everything about it: ",
              element("code", {text: `echo-sweep show ${facts.file} ${rowIds[row].slice(0, 8)}`}))),
      rowCard("All values", factsOf(row)));
}

// The address says which row is open: #row=ID.
function followAddress() {
  const found = /^#row=([0-9a-f]+)$/.exec(location.hash), page = document.getElementById("row-page"),
        overview = document.getElementById("overview");
  const row = found ? rowIds.findIndex((id) => id.startsWith(found[1])) : -1;
  const isOpen = !page.hidden;
  page.hidden = row < 0;
  overview.hidden = row >= 0;
  document.getElementById("sections").hidden = row >= 0;
  if (row >= 0) {
    const model = facts.models.findIndex((one) => one.name === wordOf("model", row));
    if (model !== state.model) update({model});
    drawRow(row);
    page.focus();
    window.scrollTo(0, 0);
  } else if (isOpen) {
    for (const plot of document.querySelectorAll("#main .js-plotly-plot")) Plotly.Plots.resize(plot);
  }
}
