// The best of the metric over two inputs: a table of buttons, so that keyboards and screen readers reach every cell.

const heat = {
  x: "tp",
  y: "pp"
};

function heatAxes() {
  const varying = varyingInputs(modelRows);
  const found = currentModel().axes.filter((name) => varying.includes(name));
  return found.length ? found :
                        varying.filter((name) => new Set(modelRows.map((row) => valueOf(name, row))).size <= 40);
}

function drawHeatChoices() {
  const axes = heatAxes(), options = axes.map((name) => [name, labelOf(name)]);
  const preferred = (name, other) => axes.includes(name) ? name : axes.find((one) => one !== other) || axes[0];
  heat.x = preferred("tp", null);
  heat.y = axes.includes("pp") && heat.x !== "pp" ? "pp" : axes.find((one) => one !== heat.x) || heat.x;
  document.getElementById("heat-choices").replaceChildren(...(axes.length < 2 ? [] : [
    choice(
        "across", options, heat.x,
        (name) => {
          heat.x = name;
          drawHeat();
        }),
    choice(
        "down", options, heat.y,
        (name) => {
          heat.y = name;
          drawHeat();
        })
  ]));
}

// The row that stands for a cell: the best ranked one, else the likeliest to fit, else the one that lacks least.
function isRather(a, b) {
  const kind = (row) => isRanked(row) ? 0 : isFeasible(row) ? 1 : Number.isNaN(lackSize(row)) ? 3 : 2;
  if (kind(a) !== kind(b)) return kind(a) < kind(b);
  return [costOf, (row) => -valueOf("fit_chance", row), lackSize, () => 0][kind(a)](a) <
      [costOf, (row) => -valueOf("fit_chance", row), lackSize, () => 0][kind(a)](b);
}
function lackSize(row) {
  const memory = valueOf("reason_margin", row) / valueOf("mem_limit", row);
  return Number.isNaN(memory) ? valueOf("limit_excess", row) : memory;
}

function cellsOf(rows, x, y) {
  const found = new Map();
  for (const row of rows) {
    const key = valueOf(x, row) + "|" + valueOf(y, row), before = found.get(key);
    if (before === undefined || isRather(row, before)) found.set(key, row);
  }
  return found;
}

// Light to dark in one hue: readable with any kind of colour vision, and in print. Better is stronger.
function heatColour(share) {
  const steps = [[239, 245, 250], [190, 217, 236], [126, 181, 215], [62, 139, 188], [9, 96, 151]];
  const place = Math.max(0, Math.min(1, share)) * (steps.length - 1),
        low = Math.min(steps.length - 2, Math.floor(place));
  const mixed = steps[low].map((value, i) => Math.round(value + (steps[low + 1][i] - value) * (place - low)));
  const luminance = mixed.map((value) => value / 255)
                        .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = 0.2126 * luminance[0] + 0.7152 * luminance[1] + 0.0722 * luminance[2];
  return [`rgb(${mixed.join(",")})`, light > 0.2 ? "#10161d" : "#ffffff"];
}

function drawHeat() {
  document.getElementById("heat").hidden = !heat.x;
  if (!heat.x) return;  // nothing varies
  const {x, y} = heat, place = document.getElementById("heat-table"), legend = document.getElementById("heat-legend");
  const cells = cellsOf([...visible, ...outside], x, y);
  const values = (name) => [...new Set(modelRows.map((row) => valueOf(name, row)))].sort((a, b) => a - b);
  const xs = values(x), ys = values(y).reverse(), rows = [...cells.values()].filter(isRanked);
  const costs = rows.map(costOf), low = Math.min(...costs), high = Math.max(...costs);
  const unit = scaleOf(columns.get(facts.metric).units, Math.max(...rows.map((row) => valueOf(facts.metric, row)), 0));
  const cellOf = (xv, yv) => {
    const row = cells.get(xv + "|" + yv);
    if (row === undefined)
      return element(
          "td", {},
          element("span", {class: "muted small", "aria-label": "not in the sweep, or filtered out", text: "\u00b7"}));
    const where = `${labelOf(x)} ${told(x, xv)}, ${labelOf(y)} ${told(y, yv)}`;
    const button = element(
        "button", {type: "button", onclick: () => toggleTerms(termsFor(x, xv).concat(x === y ? [] : termsFor(y, yv)))});
    if (!isRanked(row)) {
      button.className = "unfit";
      button.append(element("span", {text: lackOf(row)}));
      button.setAttribute("aria-label", `${where}: no ranked row; the nearest: ${lackOf(row)}. Filter by this cell`);
      return element("td", {}, button);
    }
    const [colour, text] = heatColour(high > low ? (high - costOf(row)) / (high - low) : 1);
    button.style.background = colour;
    button.style.color = text;
    if (costOf(row) === low) button.className = "first";
    button.textContent =
        SHARES.has(facts.metric) ? percent(valueOf(facts.metric, row)) : digits(valueOf(facts.metric, row) / unit[0]);
    button.setAttribute(
        "aria-label", `${where}: ${told(facts.metric, valueOf(facts.metric, row))}. Filter by this cell`);
    return element("td", {}, button);
  };
  const head = element(
      "tr", {}, element("td", {class: "muted small", text: `${labelOf(y)} \u2193  ${labelOf(x)} \u2192`}),
      ...xs.map((xv) => element("th", {scope: "col", text: told(x, xv)})));
  const body = x === y ?
      [element("tr", {}, element("th", {scope: "row", text: labelOf(x)}), ...xs.map((xv) => cellOf(xv, xv)))] :
      ys.map(
          (yv) =>
              element("tr", {}, element("th", {scope: "row", text: told(y, yv)}), ...xs.map((xv) => cellOf(xv, yv))));
  place.replaceChildren(element("table", {class: "heat"}, element("thead", {}, head), element("tbody", {}, ...body)));
  legend.replaceChildren(
      element("li", {
        text: `Best ${labelOf(facts.metric)}${
            unit[1] ? " in " + unit[1] : ""} of the ranked rows; darker is better, framed is the best.`
      }),
      element(
          "li", {}, hatchSwatch(),
          "hatched: no ranked row; what the nearest lacks (memory, a limit, the chance to fit)"),
      element("li", {text: "A cell filters all pictures and the table by its values."}));
}
function hatchSwatch() {
  const made = element("span", {class: "swatch", "aria-hidden": "true"});
  made.style.background = `repeating-linear-gradient(45deg, ${cssOf("card")} 0 3px, ${cssOf("hatch")} 3px 4.5px)`;
  return made;
}
function termsFor(name, value) {
  const column = columns.get(name);
  return [name + "=" + (column.words ? column.words[value] : value)];
}
