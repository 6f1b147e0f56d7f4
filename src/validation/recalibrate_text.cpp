#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "text/csv_cell.hpp"
#include "validation/recalibrate.hpp"
#include "validation/validated_table.hpp"

namespace echo::validation {

namespace {

using accuracy::Comparison;

std::vector<Comparison> compared(const Recalibration& r, bool held_out_only,
                                 double (*predicted)(const RecalibratedRow&)) {
  std::vector<Comparison> out;
  for (const RecalibratedRow& row : r.rows)
    if (!held_out_only || row.held_out) out.push_back({"", row.measured, predicted(row)});
  return out;
}

struct Errors {
  accuracy::ErrorSummary shipped, fitted, held_out_shipped, held_out;
};

Errors errors_of(const Recalibration& r) {
  const auto shipped = [](const RecalibratedRow& row) { return row.shipped; };
  return {accuracy::summarise(compared(r, false, shipped)),
          accuracy::summarise(compared(r, false, [](const RecalibratedRow& row) { return row.fitted; })),
          accuracy::summarise(compared(r, true, shipped)),
          accuracy::summarise(compared(r, true, [](const RecalibratedRow& row) { return *row.held_out; }))};
}

std::string constants_text(const Recalibration& r) {
  text::TextTable table({"<constant", "<of", "<shipped", "<here", "factor", "one sigma", "prior", "rows"});
  std::string kept;
  for (const RecalibratedConstant& c : r.constants) {
    const auto& facts = config::facts_of(c.fitted.constant.quantity);
    if (!c.is_informed) {
      kept += fmt::format("{}{} of {}", kept.empty() ? "" : ", ", facts.name, c.fitted.constant.preset);
      continue;
    }
    table.add({std::string(facts.name), c.fitted.constant.preset, c.before, c.after,
               fmt::format("{:.3f}", c.fitted.factor), fmt::format("{:.1f} %", 100 * c.fitted.sigma),
               fmt::format("{:.1f} %", 100 * c.fitted.constant.prior_sigma), std::to_string(c.fitted.rows)});
  }
  return table.text() + (kept.empty() ? "" : "not informed by these rows, kept as shipped: " + kept + "\n");
}

std::string outliers_text(const Recalibration& r) {
  std::vector<const RecalibratedRow*> odd;
  for (const RecalibratedRow& row : r.rows)
    if (row.weight < 0.5) odd.push_back(&row);
  std::stable_sort(odd.begin(), odd.end(),
                   [](const auto* a, const auto* b) { return a->weight < b->weight; });
  if (odd.empty()) return "";
  std::string out =
      fmt::format("rows that disagree with the rest and count for less than half, {}:", odd.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(odd.size(), 5); ++i)
    out += fmt::format("{} {} ({:+.0f} %)", i == 0 ? "" : ",", odd[i]->row,
                       100 * (odd[i]->fitted / odd[i]->measured - 1.0));
  return out + (odd.size() > 5 ? ", ...\n" : "\n");
}

std::string held_out_text(const Recalibration& r) {
  if (r.folds == 0)
    return "one row: nothing could be held out, so nothing says whether this helps elsewhere\n";
  const HeldOutGain gain = held_out_gain(r);
  const std::string what =
      r.setups >= 3 ? fmt::format("{} models at a GPU count, held out whole in {} folds", r.setups, r.folds)
                    : fmt::format("rows held out in {} folds", r.folds);
  const double points = 100 * gain.gain(), error = 100 * gain.error_of_gain;
  const std::string verdict = !gain.is_better() ? "recalibration does not help rows it has not seen"
                              : points < error  ? "better, but by less than one standard error"
                                                : "better";
  return fmt::format("{}: {:+.1f} +- {:.1f} points of mean error: {}\n", what, -points, error, verdict);
}

}  // namespace

std::string recalibration_text(const Recalibration& r) {
  const Errors errors = errors_of(r);
  text::TextTable table = error_columns("step time");
  table.add(error_cells("as shipped", errors.shipped));
  table.add(error_cells("recalibrated, on the same rows", errors.fitted));
  if (r.folds > 0) table.add(error_cells("recalibrated, each row held out", errors.held_out));
  return constants_text(r) + "\n" + table.text() + "\n" + held_out_text(r) + outliers_text(r) +
         fmt::format("{} rows read, {} fitted; a row errs by {:.1f} %\n", r.rows_read, r.rows.size(),
                     100 * r.noise) +
         skipped_text(r.skipped);
}

std::string recalibration_json(const Recalibration& r) {
  const Errors errors = errors_of(r);
  text::Json json;
  json.open_object().member("rows", r.rows_read).member("fitted", r.rows.size());
  json.member("setups", r.setups).member("folds", r.folds).member("row_error", r.noise);
  add_skipped(json, r.skipped);
  json.key("constants").open_array();
  for (const RecalibratedConstant& c : r.constants) {
    const auto& facts = config::facts_of(c.fitted.constant.quantity);
    json.open_object().member("name", facts.name).member("section", facts.section);
    json.member("preset", c.fitted.constant.preset).member("meaning", facts.meaning);
    json.member("shipped", c.before).member("here", c.after);
    json.member("factor", c.fitted.factor).member("sigma", c.fitted.sigma);
    json.member("prior_sigma", c.fitted.constant.prior_sigma).member("prior_from", facts.evidence);
    json.member("rows", c.fitted.rows).member("informed", c.is_informed).close();
  }
  json.close();
  for (const auto& [name, summary] : {std::pair{"shipped", &errors.shipped},
                                      {"recalibrated", &errors.fitted},
                                      {"held_out_shipped", &errors.held_out_shipped},
                                      {"held_out_recalibrated", &errors.held_out}}) {
    json.key(name).open_object();
    add_errors(json, *summary);
    json.close();
  }
  const HeldOutGain gain = held_out_gain(r);
  json.member("held_out_gain", gain.gain()).member("held_out_gain_error", gain.error_of_gain);
  return json.member("no_better_because", why_no_better(r)).close().text();
}

std::string recalibration_csv(const Recalibration& r) {
  std::string out = "row,measured,shipped,recalibrated,held_out,weight\n";
  for (const RecalibratedRow& row : r.rows)
    fmt::format_to(std::back_inserter(out), "{},{:.6g},{:.6g},{:.6g},{},{:.3f}\n", text::csv_cell(row.row),
                   row.measured, row.shipped, row.fitted,
                   row.held_out ? fmt::format("{:.6g}", *row.held_out) : "", row.weight);
  return out;
}

}  // namespace echo::validation
