// The rows that the page holds, decoded from the facts.

const READERS = {
  u1: Uint8Array,
  i2: Int16Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array
};

function bytesOf(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function valuesOf(packed, count) {
  if ("same" in packed) return new Float64Array(count).fill(packed.same === null ? NaN : packed.same);
  return new READERS[packed.type](bytesOf(packed.data).buffer);
}

const rowCount = facts.rows.count;
const columns = new Map(facts.rows.columns.map((one) => {
  // a constant word is the first of its list
  const packed = "same" in one && one.words ? {...one, same: 0} : one;
  return [one.name, {...one, values: valuesOf(packed, rowCount)}];
}));
const parts = Object.fromEntries(
    Object.entries(facts.rows.parts)
        .map(([kind, one]) => [kind, {names: one.names, values: valuesOf(one, rowCount * one.names.length)}]));
const rowIds = (() => {
  const bytes = bytesOf(facts.rows.ids), ids = [];
  for (let i = 0; i < rowCount; ++i)
    ids.push(Array.from(bytes.subarray(8 * i, 8 * i + 8), (byte) => byte.toString(16).padStart(2, "0")).join(""));
  return ids;
})();
const rowOfId = new Map(rowIds.map((id, row) => [id, row]));
const allOnPage = facts.rows_in_file === rowCount;

function valueOf(name, row) {
  const column = columns.get(name);
  return column ? column.values[row] : NaN;
}
function wordOf(name, row) {
  const column = columns.get(name);
  return column && column.words ? column.words[column.values[row]] : "";
}
function partsOf(kind, row) {
  const {names, values} = parts[kind];
  return names.map((name, i) => [name, values[row * names.length + i]]).filter(([, value]) => value > 0);
}

function isFeasible(row) { return wordOf("status", row) === "ok"; }
function fits(row) {
  const chance = valueOf("fit_chance", row);
  return !(facts.least_fit > 0 && chance < facts.least_fit);
}
function isRanked(row) { return isFeasible(row) && fits(row); }

// Less is better.
const sign = facts.goal === "min" ? 1 : -1;
function costOf(row) { return sign * valueOf(facts.metric, row); }
function bestFirst(rows) {
  return rows.filter((row) => !Number.isNaN(costOf(row))).sort((a, b) => costOf(a) - costOf(b) || a - b);
}

// Half the 80 % band of ln(metric); 0 where it is not known. 1.2816 standard deviations of the memory's error.
function bandOf(law, row) {
  if (law === "step_time" || law === "1/step_time") return valueOf("rel_error_p90", row) || 0;
  return law === "mem_peak" ? 1.2815515655446004 * (valueOf("mem_rel_error", row) || 0) : 0;
}
function lawOf(name) { return (columns.get(name) || {}).follows || "none"; }

// What tells rows of one model apart: inputs that vary among them.
function varyingInputs(rows) {
  return facts.told_by.filter(
      (name) => name !== "model" && rows.some((row) => valueOf(name, row) !== valueOf(name, rows[0])));
}
function termOf(name, row) {
  const column = columns.get(name), value = column.values[row];
  if (!column.words) return (facts.labels[name] || labelOf(name)) + "\u00a0" + digits(value);
  const word = column.words[value];
  if (word === "off") return "";
  if (word === "on") return facts.labels[name] || labelOf(name);
  return ["cluster", "gpu", "framework", "schedule", "precision"].includes(name) ? word :
                                                                                   labelOf(name) + "\u00a0" + word;
}
function nameOf(row, names) {
  return names.map((name) => termOf(name, row)).filter((term) => term).join(", ") || rowIds[row].slice(0, 8);
}

// Why a row has no place in the ranking; empty where it has one.
function lackOf(row) {
  if (isRanked(row)) return "";
  if (isFeasible(row)) return percent(valueOf("fit_chance", row)) + " to fit";
  const reason = wordOf("reason", row);
  if (reason === "memory") return "+" + shown(valueOf("reason_margin", row), "byte", 3);
  if (reason === "limit") return wordOf("limit", row) + " +" + percent(valueOf("limit_excess", row));
  const status = wordOf("status", row);
  return status === "infeasible" ? "not supported" : status.replace("_", " ");
}
