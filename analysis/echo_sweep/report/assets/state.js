// What is chosen: the model, the conditions, the rows to show and the region drawn in a picture. All views follow it.

const state = {
  model: facts.order[0],
  filter: "",
  show: "ranked",
  region: null,
  sort: null,
  page: 0
};
const listeners = [];
let modelRows = [], visible = [], isVisible = new Uint8Array(rowCount);

function currentModel() { return facts.models[state.model]; }

const OPERATORS = {
  "=": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

// "60GiB" in the unit of the column: bytes, seconds, joules or kilograms; a share also in %.
function quantityOf(text, column) {
  const found = /^(-?[\d.]+(?:e[-+]?\d+)?)\s*([a-zA-Z%]*)$/.exec(text);
  if (!found) return NaN;
  const value = Number(found[1]), unit = found[2];
  if (!unit) return value;
  if (unit === "%") return value / 100;
  const step = (facts.scales[column.units] || []).find(([, name]) => name.toLowerCase() === unit.toLowerCase());
  return step ? value * step[0] : NaN;
}

// A row's test, or a message. Words that are no condition are looked for in ids and in the words of inputs.
function testOf(term) {
  const found = /^([A-Za-z_]\w*)(<=|>=|!=|==|=|<|>)(.+)$/.exec(term);
  if (!found) {
    const word = term.toLowerCase();
    const worded = [...columns.values()].filter((one) => one.words && one.role === "input");
    return (row) => rowIds[row].startsWith(word) ||
        worded.some((one) => one.words[one.values[row]].toLowerCase().includes(word));
  }
  const [, asked, operator, text] = found;
  const name = columns.has(asked) ?
      asked :
      [...columns.keys()].find((one) => facts.labels[one] === asked || labelOf(one) === asked);
  if (!name) return `there is no column "${asked}"`;
  const column = columns.get(name), compare = OPERATORS[operator === "==" ? "=" : operator];
  if (column.words) {
    const wanted = text.replace(/^['"]|['"]$/g, "").toLowerCase();
    if (name === "zero" || !"<>".includes(operator[0])) {
      if (!column.words.some((word) => word.toLowerCase() === wanted))
        return `"${name}" is one of ${column.words.join(", ")}`;
      return (row) => compare(column.words[column.values[row]].toLowerCase(), wanted);
    }
    return `"${name}" holds words: use = or !=`;
  }
  const wanted = quantityOf(text, column);
  if (Number.isNaN(wanted)) return `"${text}" is no ${column.units === "1" ? "number" : "quantity in " + column.units}`;
  const exact = column.type === "f4" ? Math.fround(wanted) : wanted;
  return (row) => compare(column.values[row], exact);
}

// Blanks around an operator belong to it: "tp = 2".
function termsOf(text) {
  return text.replace(/\s*(<=|>=|!=|==|=|<|>)\s*/g, "$1").replace(/\band\b/g, " ").split(/\s+/).filter((term) => term);
}

// Rows of the model that meet the conditions, and what is wrong with a condition.
function matching() {
  const tests = termsOf(state.filter).map(testOf);
  const problem = tests.find((test) => typeof test === "string") || "";
  const usable = tests.filter((test) => typeof test !== "string");
  const shows = {ranked: isRanked, feasible: isFeasible, all: () => true}[state.show];
  const meets = (row) => usable.every((test) => test(row)) && (!state.region || state.region.has(row));
  return {
    rows: modelRows.filter((row) => shows(row) && meets(row)),
    outside: modelRows.filter((row) => !shows(row) && meets(row)),
    problem
  };
}

let outside = [];  // rows that meet the conditions and are not of the kind shown: the heat map needs them
function update(change = {}) {
  Object.assign(state, change);
  if ("model" in change || !modelRows.length) {
    const code = columns.get("model").words.indexOf(currentModel().name);
    modelRows = [];
    for (let row = 0; row < rowCount; ++row)
      if (columns.get("model").values[row] === code) modelRows.push(row);
  }
  if (!("page" in change)) state.page = 0;
  const found = matching();
  visible = found.rows;
  outside = found.outside;
  isVisible = new Uint8Array(rowCount);
  for (const row of visible) isVisible[row] = 1;
  for (const listen of listeners) listen(found.problem, change);
}

function isFiltered() { return Boolean(state.region) || termsOf(state.filter).length > 0; }

// Adds a condition, or takes it away where it is there.
function toggleTerms(terms) {
  const now = termsOf(state.filter);
  const all = terms.every((term) => now.includes(term));
  const names = terms.map((term) => term.split("=")[0]);
  const kept = now.filter((term) => !names.includes(term.split("=")[0]));
  update({filter: (all ? kept : [...kept, ...terms]).join(" ")});
}
