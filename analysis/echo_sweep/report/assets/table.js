// The table of rows: sorted by any column, filtered with everything else, fifty at a time.

const PAGE = 50;

function tableColumns() {
  const inputs = varyingInputs(modelRows);
  const metrics = [...new Set([
                    facts.metric, ...Object.keys(facts.objectives), "step_time", "tokens_per_s_per_gpu", "mfu",
                    "mem_peak", "fit_chance", "slowdown_tax", "train_time", "cost"
                  ])].filter((name) => columns.has(name) && visible.some((row) => Number.isFinite(valueOf(name, row))));
  return {inputs, metrics};
}

function sortedRows() {
  if (!state.sort)
    return [
      ...bestFirst(visible.filter(isRanked)), ...visible.filter((row) => !isRanked(row) || Number.isNaN(costOf(row)))
    ];
  const {name, up} = state.sort, column = columns.get(name);
  const key = (row) => column.words ? column.words[column.values[row]] : column.values[row];
  return [...visible].sort((a, b) => {
    const x = key(a), y = key(b);
    if (x !== x || y !== y) return (x !== x) - (y !== y) || a - b;  // missing values last
    return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1) || a - b;
  });
}

function drawTable() {
  const {inputs, metrics} = tableColumns(), place = document.getElementById("rows-table"), rows = sortedRows();
  const pages = Math.max(1, Math.ceil(rows.length / PAGE)), first = Math.min(state.page, pages - 1) * PAGE;
  const head = (name) => {
    const active = state.sort && state.sort.name === name;
    const button = element("button", {
      type: "button",
      text: labelOf(name) + (active ? (state.sort.up ? " \u2191" : " \u2193") : ""),
      onclick: () => {
        update({sort: {name, up: active ? !state.sort.up : metricOrder(name)}, page: 0});
        document.querySelector(`#rows-table [data-name="${name}"] button`).focus();
      }
    });
    return element(
        "th", {
          scope: "col",
          class: columns.get(name).words ? null : "n",
          "data-name": name,
          "aria-sort": active ? (state.sort.up ? "ascending" : "descending") : "none"
        },
        button);
  };
  const hasLack = rows.some((row) => !isRanked(row));
  const line = (row) => element(
      "tr", {}, element("th", {scope: "row"}, rowLink(row)),
      ...[...inputs, ...metrics].map(
          (name) => element("td", {
            class: columns.get(name).words ? null : "n",
            text: told(name, valueOf(name, row)) +
                (name === "step_time" && bandOf("step_time", row) ? ` \u00b1${percent(bandOf("step_time", row), 2)}` :
                                                                    "")
          })),
      hasLack ? element("td", {text: lackOf(row)}) : null);
  place.replaceChildren(element(
      "div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows"},
      element(
          "table", {},
          element(
              "thead", {},
              element(
                  "tr", {}, element("th", {scope: "col", text: "id"}), ...[...inputs, ...metrics].map(head),
                  hasLack ? element("th", {scope: "col", text: "lacks"}) : null)),
          element("tbody", {}, ...rows.slice(first, first + PAGE).map(line)))));
  const go = (page) => () => {
    state.page = page;
    drawTable();
  };
  const here = first / PAGE;
  place.append(element(
      "div", {class: "pages"},
      element("button", {type: "button", text: "Previous", disabled: here === 0, onclick: go(here - 1)}),
      element("button", {type: "button", text: "Next", disabled: here + 1 >= pages, onclick: go(here + 1)}),
      element("span", {
        class: "muted",
        text: rows.length ? `${grouped(first + 1)} to ${grouped(Math.min(first + PAGE, rows.length))} of ${
                                plural(rows.length, "row")}` :
                            "no row meets the conditions"
      }),
      element("button", {
        type: "button",
        text: "Save as CSV",
        disabled: !rows.length,
        onclick: () => saveText(
            "rows.csv",
            csvOf(
                ["config_id", ...inputs, ...metrics],
                rows.map(
                    (row) =>
                        [rowIds[row],
                         ...[...inputs, ...metrics].map((name) => wordOf(name, row) || valueOf(name, row))])))
      })));
}
// Less is better: ascending first.
function metricOrder(name) { return columns.get(name).role !== "metric" || metricSign(name) > 0; }
