// The question, the answer in a sentence with its uncertainty, the best row with its ties, and what would settle them.

const BETTER = {
  step_time: "has the shortest training step",
  train_time: "trains in the shortest time",
  tokens_per_s_per_gpu: "processes most tokens per second and GPU",
  tokens_per_s: "processes most tokens per second",
  mfu: "uses the GPUs best",
  cost: "costs least",
  mem_peak: "needs least memory",
  energy: "needs least energy",
  gpu_hours: "takes fewest GPU-hours",
};

function questionOf(model) {
  if (facts.title) return facts.title;
  const where = [...new Set(modelRows.map((row) => wordOf("cluster", row)))];
  const place = where.length === 1 ? ` on ${where[0]}` : where.length ? ` on ${where.length} clusters` : "";
  return `Which configuration of ${model.name}${place} ${
      BETTER[facts.metric] || "is best by " + labelOf(facts.metric)}?`;
}

// "6.76 s (8 of 10 runs: 5.92 to 7.72 s)".
function bandText(name, row) {
  const value = valueOf(name, row), band = bandOf(lawOf(name), row);
  if (!band || !Number.isFinite(value)) return "";
  return `8 of 10 runs within ${rangeText(name, value * Math.exp(-band), value * Math.exp(band))}`;
}

function tile(big, ...lines) {
  return element(
      "li", {class: "tile"}, element("b", {text: big}),
      ...lines.filter((line) => line).map((text) => element("span", {text})));
}

function tilesOf(row) {
  const memory = valueOf("mem_peak", row), limit = valueOf("mem_limit", row);
  const found = [tile(told("step_time", valueOf("step_time", row)), "a training step", bandText("step_time", row))];
  if (facts.metric !== "step_time")
    found.unshift(
        tile(told(facts.metric, valueOf(facts.metric, row)), labelOf(facts.metric), bandText(facts.metric, row)));
  if (Number.isFinite(valueOf("mfu", row))) found.push(tile(percent(valueOf("mfu", row)), "model FLOPs utilisation"));
  if (Number.isFinite(valueOf("tokens_per_s", row)))
    found.push(tile(
        digits(valueOf("tokens_per_s", row), 3), "tokens/s",
        digits(valueOf("tokens_per_s_per_gpu", row), 3) + " per GPU"));
  if (Number.isFinite(memory))
    found.push(tile(
        shown(memory, "byte", 3), `of ${shown(limit, "byte", 3)} that the fullest GPU may use`,
        Number.isFinite(valueOf("fit_chance", row)) ? percent(valueOf("fit_chance", row)) + " chance to fit" : ""));
  for (const name of ["train_time", "cost", "energy"])
    if (name !== facts.metric && Number.isFinite(valueOf(name, row)))
      found.push(tile(
          told(name, valueOf(name, row)), name === "train_time" ? "the whole training" : labelOf(name),
          name === "energy" ? "" : bandText(name, row)));
  return element("ul", {class: "tiles"}, ...found);
}

// The sentence, with the name of the row in bold.
function sentence(model) {
  const row = model.best, lead = element("p", {class: "lead", id: "sentence"});
  const names = varyingInputs(modelRows);
  const value = told(facts.metric, valueOf(facts.metric, row)), band = bandText(facts.metric, row);
  const name = rowLink(row, names.length ? nameOf(row, names) : rowIds[row].slice(0, 8));
  lead.append(
      element("strong", {}, name), ` ${BETTER[facts.metric] || "is best by " + labelOf(facts.metric)}: `,
      element("strong", {text: value}), band ? ` (${band}).` : ".");
  return lead;
}

function certainty(model) {
  const {ties, luck, counts} = model, lines = [];
  if (counts.ranked === 1)
    lines.push("It is the only configuration that runs and fits.");
  else if (!ties.judged)
    lines.push("The file holds no error of this metric, so ties are not known.");
  else if (ties.count === 1)
    lines.push(`It is surely (9 in 10 or more) better than each of the ${grouped(counts.ranked - 1)} others.`);
  else
    lines.push(`${plural(ties.count - 1, "other configuration")} of ${
        grouped(counts.ranked)} cannot be told apart from it: the chance that it is truly better is below 9 in 10 for ${
        ties.count === 2 ? "that one" : "each of them"}.`);
  if (luck && luck.layouts > 1)
    lines.push(`Without the luck of being first among ${grouped(luck.layouts)} layouts, expect a step of ${
        shown(luck.step_time, "s")} (+${percent(luck.share, 2)}).`);
  lines.push(`Evidence behind its step time: ${wordOf("evidence", model.best)}.`);
  if (model.doubtful.count)
    lines.push(`${plural(model.doubtful.count, "configuration")} would be better but may not fit the memory.`);
  return element("p", {text: lines.join(" ")});
}

function drawAnswer() {
  const model = currentModel(), section = document.getElementById("answer");
  section.replaceChildren(element("h2", {id: "answer-title", text: questionOf(model)}));
  if (model.best === null) {
    section.append(element("p", {class: "lead", id: "sentence", text: noAnswer(model)}));
    if (model.nearest.length)
      section.append(element("h3", {text: "Nearest to a place in the ranking"}), nearTable(model.nearest));
    return;
  }
  section.append(sentence(model), tilesOf(model.best), certainty(model));
  if (model.doubtful.rows.length) {
    const more =
        element("details", {}, element("summary", {text: "Better, but may not fit"}), nearTable(model.doubtful.rows));
    section.append(more);
  }
}

function noAnswer(model) {
  const {counts} = model;
  if (counts.doubtful)
    return `No configuration of ${model.name} surely enough fits the memory of its GPUs; ${
        plural(counts.doubtful, "of them")} may.`;
  const largest = model.funnel[0];
  return `No configuration of ${model.name} is feasible.` +
      (largest ? ` Most frequent cause: ${largest.cause} (${plural(largest.rows, "row")}).` : "");
}

function nearTable(rows) {
  const names = varyingInputs(modelRows);
  return table(
      [
        {text: "id"}, {text: "configuration", words: true}, {text: "what it lacks"},
        {text: labelOf(facts.metric), number: true}
      ],
      rows.map(
          (row) => [rowLink(row), nameOf(row, names), lackOf(row), told(facts.metric, valueOf(facts.metric, row))]),
      "Configurations without a place in the ranking");
}

let tiesPicture;
function drawTies() {
  const section = document.getElementById("ties"), model = currentModel();
  section.hidden = model.best === null;
  if (section.hidden) return;
  const names = varyingInputs(modelRows), shownRows = model.ties.rows;
  const rows = shownRows.map((one) => one.row), texts = rows.map((row, i) => `#${i + 1} ${rowIds[row].slice(0, 8)}`);
  const scaled = metricAxis(facts.metric, rows.map((row) => valueOf(facts.metric, row)));
  const values = rows.map((row) => valueOf(facts.metric, row) / scaled.factor),
        bands = rows.map((row) => bandOf(lawOf(facts.metric), row));
  const trace = {
    type: "scatter",
    mode: "markers",
    x: values,
    y: texts,
    customdata: rows,
    hovertext: rows.map((row) => hoverOf(row, names)),
    hoverinfo: "text",
    marker: {
      size: 12,
      color: rows.map((_, i) => cssOf(i ? "accent" : "good")),
      symbol: rows.map((_, i) => i ? "circle" : "diamond")
    },
    error_x: {
      type: "data",
      symmetric: false,
      array: values.map((value, i) => value * Math.expm1(bands[i])),
      arrayminus: values.map((value, i) => -value * Math.expm1(-bands[i])),
      color: cssOf("muted"),
      thickness: 2,
      width: 5
    }
  };
  const gap = model.ties.count - 1;
  tiesPicture.draw(
      [trace], {
        height: 130 + 30 * rows.length,
        showlegend: false,
        xaxis: {...scaled.axis, type: "linear", tickvals: undefined, ticktext: undefined},
        yaxis: axisOf("", {autorange: "reversed", type: "category", dtick: 1}),
        margin: {l: 110, r: baseLayout().margin.r, t: 8, b: 48}
      },
      `${
          gap ?
              `The best and ${gap > rows.length - 1 ? "the first " + (rows.length - 1) + " of " : ""}${
                  plural(gap, "row")} that ${gap === 1 ? "ties" : "tie"} with it` :
              "The best row; nothing ties with it"}. Bars: 80 % bands of each by itself; errors that two rows share cancel when they are compared.`,
      {
        heads: ["id", "configuration", labelOf(facts.metric), "chance that #1 is better"],
        rows: () => shownRows.map(
            (one) => [rowIds[one.row], nameOf(one.row, names), valueOf(facts.metric, one.row), one.first_is_better])
      });
  drawSettling(model);
}

function drawSettling(model) {
  const place = document.getElementById("settling"), found = model.settling;
  place.replaceChildren();
  if (!found) return;
  const head = `#2 is ${percent(Math.abs(found.gap), 2)} ${found.gap < 0 ? "ahead of" : "behind"} #1; their difference is known to \u00b1${
      percent(found.band, 2)} (80 % band). `;
  place.append(
      element("h3", {text: "What would settle it"}), element("p", {
        text: head +
            (found.sources.length ?
                 "Where that uncertainty comes from, and how many rows would still tie if that source were known exactly:" :
                 "")
      }));
  if (found.sources.length)
    place.append(table(
        [
          {text: "source of error"}, {text: "share of #1 against #2", number: true}, {text: "ties left", number: true},
          {text: "how to learn it", words: true}
        ],
        found.sources.map(
            (one) =>
                [one.name, one.share < 1e-3 ? "under 0.1\u00a0%" : percent(one.share, 2), grouped(one.ties),
                 one.remedy]),
        "Sources of the uncertainty between the best rows"));
}
