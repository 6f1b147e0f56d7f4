// Pieces that sections are made of: cards, bars, tables of data, choices, pictures.

// size: "" takes the whole width, "half" and "pair" share it where there is room.
function card(id, title, said, size = "") {
  const found = element(
      "section", {id, class: "card " + size, "aria-labelledby": id + "-title"},
      element("h2", {id: id + "-title", text: title}), said ? element("p", {class: "muted", text: said}) : null);
  document.getElementById("main").append(found);
  return found;
}

// A list of bars: [{label, share of the longest 0..1, text, colour, hatched}].
function bars(items, attributes = {}) {
  const longest = Math.max(1e-300, ...items.map((item) => item.share));
  return element("ul", {class: "bars", ...attributes}, ...items.map((item) => {
    const fill = element("div", {class: "fill" + (item.hatched ? " hatched" : "")});
    fill.style.width = Math.max(0, 100 * item.share / longest).toFixed(2) + "%";
    if (item.colour) fill.style.setProperty("--fill", item.colour);
    return element(
        "li", {}, element("span", {class: "label", text: item.label}),
        element("div", {class: "track", "aria-hidden": "true"}, fill),
        element("span", {class: "value", text: item.text}));
  }));
}

// A table: heads [{text, number}], rows of texts or elements. It scrolls by itself where it is too wide.
function table(heads, rows, caption) {
  const cell = (value, i, tag = "td") => {
    const made = element(
        tag,
        {class: heads[i].number ? "n" :
             heads[i].words     ? "words" :
                                  null,
         scope: tag === "th" ? "row" : null});
    made.append(value instanceof Node ? value : String(value));
    return made;
  };
  return element(
      "div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
      element(
          "table", {},
          element(
              "thead", {},
              element(
                  "tr", {},
                  ...heads.map(
                      (head) => element("th", {scope: "col", class: head.number ? "n" : null, text: head.text})))),
          element(
              "tbody", {},
              ...rows.map(
                  (row) => element("tr", {}, ...row.map((value, i) => cell(value, i, i === 0 ? "th" : "td")))))));
}

function rowLink(row, text) {
  return element("a", {href: "#row=" + rowIds[row], class: text ? null : "id", text: text || rowIds[row].slice(0, 8)});
}

function choice(label, options, chosen, change) {
  const id = "choice-" + label.replace(/\W/g, "-") + "-" + choice.count++;
  const select = element(
      "select", {id, onchange: () => change(select.value)},
      ...options.map(([value, text]) => element("option", {value, selected: value === chosen, text})));
  return element("div", {class: "field"}, element("label", {for: id, text: label
                 }), select);
}
choice.count = 0;

function csvOf(heads, rows) {
  const cell = (value) => /[",\n]/.test(String(value)) ? '"' + String(value).replace(/"/g, '""') + '"' : String(value);
  return [heads, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

function saveText(name, text) {
  const link = element("a", {href: URL.createObjectURL(new Blob([text], {type: "text/plain"})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A picture with what it says in words, and its data as a table once somebody asks.
class Picture {
  constructor(parent, id, label) {
    this.id = id;
    this.label = label;
    this.plot = element("div", {class: "plot", id: id + "-plot", role: "img", "aria-label": label});
    this.caption = element("figcaption");
    this.inside = element("div");
    this.details = element(
        "details", {ontoggle: () => this.fill()}, element("summary", {text: "The data of this picture"}), this.inside);
    parent.append(element("figure", {}, this.plot, this.caption), this.details);
  }

  fill() {
    this.inside.replaceChildren();
    if (!this.details.open || !this.data) return;
    const {heads, rows} = this.data;
    const all = rows();
    this.inside.append(
        element(
            "button",
            {type: "button", text: "Save as CSV", onclick: () => saveText(this.id + ".csv", csvOf(heads, all))}),
        table(
            heads.map((text, i) => ({text, number: i > 0 && !Number.isNaN(Number(all[0] && all[0][i]))})),
            all.slice(0, 200), this.label + ", data"));
    if (all.length > 200)
      this.inside.append(
          element("p", {class: "muted", text: `The first 200 of ${grouped(all.length)} rows; the CSV has all.`}));
  }

  // data: {heads: texts, rows: () => rows}.
  draw(traces, layout, said, data) {
    this.plot.setAttribute("aria-label", this.label + ". " + said);
    this.caption.textContent = said;
    this.data = data;
    this.fill();
    const {height = 400, ...rest} = layout;
    this.plot.style.height = height + "px";  // Plotly fills it, also when the window changes
    Plotly.react(this.plot, traces, {...baseLayout(), ...rest}, {
      responsive: true,
      displaylogo: false,
      displayModeBar: isPhone() ? false : "hover",
      doubleClick: "reset",
      modeBarButtonsToRemove:
          ["autoScale2d", "zoomIn2d", "zoomOut2d", "toggleSpikelines", "hoverCompareCartesian", "hoverClosestCartesian"]
    });
    if (!this.isLinked) follow(this.plot);
    this.isLinked = true;
  }
}

// A region drawn in a picture chooses its rows; a click opens the row's page.
function follow(plot) {
  const rowsOf = (event) =>
      ((event && event.points) || []).map((point) => point.customdata).filter((row) => Number.isInteger(row));
  plot.on("plotly_selected", (event) => {
    if (rowsOf(event).length) update({region: new Set(rowsOf(event))});
  });
  plot.on("plotly_deselect", () => {
    if (state.region) update({region: null});
  });
  plot.on("plotly_click", (event) => {
    if (rowsOf(event).length) location.hash = "row=" + rowIds[rowsOf(event)[0]];
  });
}

function axisOf(title, more = {}) {
  return {
    title: {text: plain(title), standoff: 8},
    gridcolor: cssOf("grid"),
    zerolinecolor: cssOf("line"),
    linecolor: cssOf("line"),
    automargin: true,
    ...more
  };
}

// Too narrow for tools beside a picture.
function isPhone() { return document.documentElement.clientWidth < 560; }

function baseLayout() {
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: {family: cssOf("sans"), size: 13, color: cssOf("text")},
    margin: {l: 56, r: isPhone() ? 10 : 40, t: 12, b: 48},
    hovermode: "closest",
    autosize: true,
    hoverlabel: {
      bgcolor: cssOf("card"),
      bordercolor: cssOf("muted"),
      font: {color: cssOf("text"), family: cssOf("sans")},
      align: "left"
    },
    legend: {orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: {size: 12}},
    modebar: {bgcolor: "rgba(0,0,0,0)", color: cssOf("muted"), activecolor: cssOf("accent"), orientation: "v"},
  };
}

// An axis of a metric: [values in a unit that reads well, axis]. Logarithmic where values differ by more than a factor
// of 6.
function metricAxis(name, values) {
  const finite = values.filter((value) => Number.isFinite(value));
  const high = Math.max(...finite.map(Math.abs), 0), low = Math.min(...finite);
  const share = SHARES.has(name);
  const [factor, unit] = share ? [0.01, "%"] :
      name in UNITS            ? [1, UNITS[name]] :
                                 scaleOf(columns.get(name).units, high);
  const logarithmic = low > 0 && high / low > 6;
  const isCount =
      ["gpus", "tp", "pp", "dp", "cp", "ep", "vpp", "micro_batch", "global_batch", "seq_len"].includes(name);
  const distinct = [...new Set(finite)].sort((a, b) => a - b);
  const ticks = isCount && distinct.length <= 12 ?
      {tickvals: distinct.map((value) => value / factor), ticktext: distinct.map((value) => digits(value / factor))} :
      {};
  const spread = logarithmic ? {type: "log", ...(ticks.tickvals ? {} : logTicks(low / factor, high / factor))} : {};
  return {
    factor,
    unit,
    axis: axisOf(labelOf(name) + (unit && !(name in UNITS) ? ` [${unit}]` : ""), {...spread, ...ticks}),
    logarithmic
  };
}

// 1, 2 and 5 of each power of ten within a range.
function logTicks(low, high) {
  const steps = high / low > 1000 ? [1] : [1, 2, 5], found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    for (const step of steps)
      if (step * 10 ** power >= low / 2 && step * 10 ** power <= 2 * high) found.push(step * 10 ** power);
  return {tickvals: found, ticktext: found.map((value) => digits(value))};
}

// Hover text of a row; Plotly shows it as it is, so names are made plain.
function hoverOf(row, names) {
  const lines = [`<b>${rowIds[row].slice(0, 8)}</b>  ${plain(nameOf(row, names))}`];
  for (const name of ["step_time", "mem_peak", "mfu"]) {
    if (!columns.has(name)) continue;
    const band = bandOf(lawOf(name), row);
    const range = band ?
        ` (8 of 10: ${rangeText(name, valueOf(name, row) * Math.exp(-band), valueOf(name, row) * Math.exp(band))})` :
        "";
    lines.push(`${labelOf(name)} ${told(name, valueOf(name, row))}${name === "mfu" ? "" : plain(range)}`);
  }
  return lines.join("<br>");
}
