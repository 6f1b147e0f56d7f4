// Lays out the sections and lets them follow what is chosen.

function drawPlaces() {
  const answer = element("section", {id: "answer", class: "card", "aria-labelledby": "answer-title"});
  document.getElementById("main").append(answer);
  const ties = card("ties", "The best, and what ties with it");
  tiesPicture = new Picture(ties, "ties-picture", "The best rows with their bands");
  ties.append(element("div", {id: "settling"}));
  frontPicture = new Picture(
      card("front", "Pareto front", "Draw a box or a lasso: everything else follows.", "pair"), "front-picture",
      "Pareto front");
  const scale = card("scaling", "Time against GPUs, or another axis", "", "pair");
  scale.append(element("div", {class: "controls", id: "scaling-choices"}));
  scalingPicture = new Picture(scale, "scaling-picture", "Best rows against the number of GPUs");
  const heatCard = card("heat", "Layouts");
  heatCard.append(
      element("div", {class: "controls", id: "heat-choices"}), element("div", {
        class: "scroll",
        id: "heat-table",
        tabindex: "0",
        role: "region",
        "aria-label": "Best of each pair of values"
      }),
      element("ul", {class: "legend", id: "heat-legend"}));
  const time = card("time", "Where the time goes", "", "pair");
  time.append(element("div", {class: "controls", id: "slicing"}));
  timePicture = new Picture(time, "time-picture", "Step time by cause");
  memoryPicture =
      new Picture(card("memory", "Where the memory goes", "", "pair"), "memory-picture", "Memory by content");
  card("funnel", "From combinations to ranked rows", "", "half").append(element("div", {id: "funnel-list"}));
  const levers = card("levers", "What moves it", "", "half");
  levers.append(
      element("div", {id: "lever-bars"}), element("h3", {text: "What faster hardware would save"}),
      element("div", {id: "sensitivities"}));
  const tax = card("overlap", "What overlap costs"), taxPlace = element("div");
  tax.append(element("div", {class: "two"}, taxPlace, element("div", {id: "overlap-text"})));
  taxPicture = new Picture(taxPlace, "tax-picture", "Slowdown tax");
  card("kernels", "Worth measuring next", "Kernels of the best rows by share of the step times error of their price.")
      .append(element("div", {id: "kernel-table"}));
  card(
      "rows", "All rows",
      allOnPage ?
          "" :
          `The page holds ${grouped(rowCount)} of ${
              grouped(
                  facts
                      .rows_in_file)} rows: the best, the front, the best of each pair of values, and of the others one in so many. Counts, bests and shares above are of all rows.`)
      .append(element("div", {id: "rows-table"}));
  card("provenance", "Provenance").append(provenance());
}

function provenance() {
  const {facts: said, digests, runs, inputs, sweep_toml} = facts.provenance, list = element("dl");
  for (const [name, value] of [...Object.entries(said), ...Object.entries(digests)])
    list.append(element("dt", {text: name.replace(/_/g, " ")}), element("dd", {}, element("code", {text: value})));
  const columnsTable = (of, caption) => {
    const names = Object.keys(of);
    return table(
        names.map((text) => ({text})), names.length ? of[names[0]].map((_, i) => names.map((name) => of[name][i])) : [],
        caption);
  };
  return element(
      "div", {}, list, element("details", {}, element("summary", {text: "Launches"}), columnsTable(runs, "Launches")),
      element(
          "details", {}, element("summary", {text: "Files that were read, with their digests"}),
          columnsTable(inputs, "Input files")),
      element(
          "details", {}, element("summary", {text: "The sweep"}),
          element("pre", {tabindex: "0", "aria-label": "Sweep file", text: sweep_toml})));
}

function drawHead() {
  document.getElementById("title").textContent = facts.name || facts.file;
  const {counts} = facts,
        said = Object.entries(counts)
                   .filter(([, count]) => count)
                   .map(([name, count]) => `${grouped(count)} ${name.replace("_", " ")}`);
  document.getElementById("subtitle").textContent = `${plural(facts.rows_in_file, "configuration")}: ${
      said.join(", ")} \u00b7 ranked by ${labelOf(facts.metric)} \u00b7 ${facts.file}`;
  document.getElementById("notices").replaceChildren(
      ...facts.notices.map((text) => element("p", {class: "notice", role: "note", text})));
  document.getElementById("footer").textContent = `Written ${facts.written} from ${facts.file}, rows digest ${
      (facts.provenance.digests.rows_digest || "").slice(0, 12)}. Pictures: plotly.js, MIT licence.`;
  const titles = {
    answer: "Answer",
    ties: "Ties",
    front: "Pareto front",
    scaling: "GPUs",
    heat: "Layouts",
    time: "Time",
    memory: "Memory",
    funnel: "Funnel",
    levers: "Levers",
    overlap: "Overlap",
    kernels: "Measure",
    rows: "Rows",
    provenance: "Provenance"
  };
  document.getElementById("sections")
      .replaceChildren(...Object.entries(titles).map(([id, text]) => element("a", {href: "#" + id, text})));
}

function drawBar() {
  const field = document.getElementById("filter"), model = document.getElementById("model"),
        show = document.getElementById("show");
  model.replaceChildren(...facts.order.map(
      (i) => element(
          "option",
          {value: String(i), text: `${facts.models[i].name} (${grouped(facts.models[i].counts.ranked)} ranked)`})));
  document.getElementById("models-field").hidden = facts.models.length < 2;
  model.addEventListener("change", () => update({model: Number(model.value), region: null, filter: "", sort: null}));
  let typed = 0;
  field.addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(() => update({filter: field.value}), 250);
  });
  show.addEventListener("change", () => update({show: show.value}));
  document.getElementById("reset").addEventListener(
      "click", () => update({filter: "", region: null, show: currentModel().best === null ? "all" : "ranked"}));
  listeners.push((problem) => {
    if (document.activeElement !== field) field.value = state.filter;
    field.setAttribute("aria-invalid", String(Boolean(problem)));
    model.value = String(state.model);
    show.value = state.show;
    const all = modelRows.filter({ranked: isRanked, feasible: isFeasible, all: () => true}[state.show]).length;
    document.getElementById("count").textContent = problem ?
        `Not understood: ${problem}.` :
        `${grouped(visible.length)} of ${grouped(all)} rows${allOnPage ? "" : " on this page"}${
            state.region ? ", in the region drawn" : ""}`;
  });
  const theme = document.getElementById("theme");
  theme.addEventListener("change", () => {
    document.documentElement.dataset.theme = theme.value;
    drawAll();
  });
  for (const query
           of ["(prefers-color-scheme: dark)", "(max-width: 560px)", "(max-width: 760px)", "(min-width: 1700px)"])
    matchMedia(query).addEventListener("change", drawAll);
}

const GUARDED = [drawFront, drawScaling, drawHeat, drawShares, drawTax, drawTable];
function drawAll() {
  drawAnswer();
  drawTies();
  drawLevers();
  drawFunnel();
  drawKernels();
  for (const draw of GUARDED) draw();
  if (!document.getElementById("row-page").hidden) followAddress();
}

function start() {
  drawHead();
  drawPlaces();
  drawBar();
  let drawnModel = null;
  listeners.push((problem, change) => {
    if (drawnModel !== state.model) {
      drawnModel = state.model;
      if (currentModel().best === null && state.show === "ranked") return update({show: "all"});
      drawScalingChoices();
      drawHeatChoices();
      drawSlicingChoices();
      drawAll();
    } else if ("sort" in change || "page" in change) {
      drawTable();
    } else {
      for (const draw of GUARDED) draw();
    }
  });
  update({model: state.model, show: currentModel().best === null ? "all" : "ranked"});
  window.addEventListener("hashchange", followAddress);
  followAddress();
  window.report = {facts, state, columns, rowIds, update, rows: () => visible, sweepOf: rowSweep, ready: true};
}

start();
