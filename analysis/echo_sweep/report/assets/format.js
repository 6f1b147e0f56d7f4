// Numbers and names as people read them; the units are those of the Python package.

const facts = JSON.parse(document.getElementById("facts").textContent);

function scaleOf(units, largest) {
  const steps = facts.scales[units];
  if (!steps || !Number.isFinite(largest) || largest === 0) {
    const plain = {byte: "B", "1": "", "s-1": "1/s", currency: facts.currency, "currency-1": "1/" + facts.currency};
    return [1, units in plain ? plain[units] : units];
  }
  const whole = units === "s" ? 2 : 1;  // 90 s, not 1.5 min
  return steps.find(([factor]) => Math.abs(largest) >= whole * factor) || steps[steps.length - 1];
}

function digits(value, count = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "-";
  if (!Number.isFinite(value)) return "never";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return grouped(value);
  const text = Number(value.toPrecision(count));
  return Math.abs(text) >= 1e4 ? grouped(Math.round(text)) :
      Math.abs(text) < 1e-4    ? text.toExponential() :
                                 String(text);
}

// 12 345 with narrow blanks that do not break.
function grouped(value) { return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f"); }

function shown(value, units = "1", count = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "-";
  const [factor, unit] = scaleOf(units, value);
  return unit ? digits(value / factor, count) + "\u00a0" + unit : digits(value, count);
}

function percent(share, count = 3) { return Number.isFinite(share) ? digits(100 * share, count) + "\u00a0%" : "-"; }

function plural(count, word) { return grouped(count) + "\u00a0" + word + (count === 1 ? "" : "s"); }

// Plotly reads its texts as a few tags of HTML: names stay names.
function plain(text) { return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"); }

const SHARES = new Set([
  "mfu", "fit_chance", "slowdown_tax", "goodput", "bubble_frac", "exposed_comm_frac", "overlap_frac", "rel_error",
  "rel_error_p90", "mem_rel_error", "limit_excess", "measured_share"
]);

// Words for units that numbers alone do not say.
const UNITS = {
  tokens_per_s: "tokens/s",
  tokens_per_s_per_gpu: "tokens/s"
};

// A value of a column, with its unit.
function told(name, value) {
  const column = columns.get(name);
  if (!column) return "-";
  if (column.words) return column.words[value];
  if (name in UNITS) return digits(value) + "\u00a0" + UNITS[name];
  return SHARES.has(name) ? percent(value) : shown(value, column.units);
}

// A range of a value that the page knows to three digits.
function rangeText(name, low, high) {
  const said = name in UNITS ? (value) => digits(value, 3) : (value) => shown(value, columns.get(name).units, 3);
  return said(low) + " to " + said(high);
}

function labelOf(name) {
  const own = {
    step_time: "step time",
    mfu: "MFU",
    mem_peak: "peak memory",
    gpus: "GPUs",
    zero: "ZeRO",
    tokens_per_s: "tokens/s",
    tokens_per_s_per_gpu: "tokens/s per GPU",
    fit_chance: "chance to fit",
    train_time: "training time"
  };
  return own[name] || facts.labels[name] || name.replace(/_/g, " ");
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on"))
      made.addEventListener(name.slice(2), value);
    else if (name === "text")
      made.textContent = value;
    else if (value !== null && value !== false)
      made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function cssOf(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }
