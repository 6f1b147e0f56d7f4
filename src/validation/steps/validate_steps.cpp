// Each run is simulated as the table describes it; memory is compared where the table has a figure.
#include "validation/steps/validate_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/show_quantity.hpp"
#include "validation/steps/coverage_text.hpp"
#include "validation/steps/fit_text.hpp"
#include "validation/steps/predicted_step.hpp"
#include "validation/steps/step_ranking.hpp"
#include "validation/steps/step_rows.hpp"
#include "validation/steps/step_strata.hpp"
#include "validation/steps/worst_steps.hpp"

namespace echo::validation {

namespace {

using accuracy::Comparison;

struct Scores {
  std::vector<Comparison> steps, memory;
  std::map<std::string, std::vector<Comparison>> by;
  std::map<std::string, int> skipped;
  int memory_predicted = 0, too_full = 0, read_to_fit = 0;  // rows; of them not, or only so, fitting
};

void add_score(const PredictedStep& row, Scores& out) {
  if (!row.is_predicted()) {
    ++out.skipped[row.skipped];
    return;
  }
  if (row.step.outcome != config::MemoryOutcome::out_of_memory) {
    out.memory_predicted += row.prediction.has_memory ? 1 : 0;
    out.too_full += row.prediction.fits ? 0 : 1;
    out.read_to_fit += row.prediction.read_to_fit ? 1 : 0;
  }
  if (const auto predicted = row.memory_gib()) {
    const config::MeasuredMemory& measured = *row.step.peak_memory;
    out.memory.push_back({"", measured.gib, *predicted});
    out.by["memory_source"].push_back({row.step.source, measured.gib, *predicted});
    out.by["memory_kind"].push_back({measured.kind, measured.gib, *predicted});
  }
  if (!row.is_scored()) {
    ++out.skipped["no measurement"];  // predicted all the same
    return;
  }
  out.steps.push_back({"", *row.step.step_seconds, row.seconds()});
  for (const StepGrouping& grouping : step_groupings())
    for (const std::string& group : grouping.groups(row))
      out.by[grouping.name].push_back({group, *row.step.step_seconds, row.seconds()});
}

// The contents of the table are shown even if none of it is scored.
std::map<std::string, accuracy::GroupErrors> groups_of(const std::vector<PredictedStep>& rows,
                                                       const Scores& scores) {
  std::map<std::string, accuracy::GroupErrors> out;
  for (const std::string& name : step_grouping_names()) out[name];
  for (const auto& [name, comparisons] : scores.by) out[name] = accuracy::summarise_by_group(comparisons);
  for (const PredictedStep& row : rows) {
    if (row.step.stratum == "unscored") continue;
    out["stratum"][row.step.stratum], out["source"][row.step.source];
  }
  return out;
}

void add_json(text::Json& json, const std::vector<PredictedStep>& rows, const Scores& scores,
              const StepRanking& ranking, std::size_t worst) {
  json.member("rows", rows.size());
  json.member("memory_predicted", scores.memory_predicted).member("memory_too_full", scores.too_full);
  json.member("memory_read_to_fit", scores.read_to_fit);
  add_errors(json, accuracy::summarise(scores.steps));
  add_skipped(json, scores.skipped);
  json.key("memory").open_object();
  add_errors(json, accuracy::summarise(scores.memory));
  json.close().key("by").open_object();
  for (const auto& [name, groups] : groups_of(rows, scores)) {
    json.key(name).open_object();
    add_errors_by_group(json, groups);
    json.close();
  }
  json.close();
  add_ranking(json, ranking);
  add_coverage(json, rows);
  add_fit(json, fit_scores(rows));
  add_worst(json, worst_steps(rows, worst));
}

accuracy::ErrorSummary all_of(const std::string& grouping, const Scores& scores,
                              const ValidatedTable& table) {
  return grouping.starts_with("memory") ? accuracy::summarise(scores.memory) : table.all;
}

std::string memory_line(const Scores& scores) {
  const accuracy::ErrorSummary s = accuracy::summarise(scores.memory);
  if (s.scored == 0) return "";
  return fmt::format(
      "peak memory: {} rows, error {} median, {} mean, {} p90, {:+.1f} % bias (--by memory_source)\n",
      s.scored, text::show_share(s.median_ape), text::show_share(s.mean_ape), text::show_share(s.p90_ape),
      100 * s.bias);
}

std::string as_text(const std::vector<PredictedStep>& rows, const Scores& scores, const StepRanking& ranking,
                    const ValidatedTable& table, const ValidateOptions& options) {
  std::string out;
  for (const std::string& name : options.by)
    out += error_table(name, table.by.at(name), all_of(name, scores, table)).text() + "\n";
  out += ranking_text(ranking) + coverage_text(rows) + fit_text(fit_scores(rows));
  if (const auto worst = worst_steps(rows, options.worst); !worst.empty())
    out += "worst rows\n" + worst_text(worst) + "\n";
  out += memory_line(scores) + fmt::format("{} rows read, {} scored\n", table.rows, table.all.scored);
  out += skipped_text(scores.skipped);
  out += fmt::format(
      "{} of {} published runs would not fit their GPU; {} fit by recomputation or sharding "
      "that the table leaves open\n",
      scores.too_full, scores.memory_predicted, scores.read_to_fit);
  return out +
         "Errors are absolute percentage errors of the predicted step time (or peak memory); bias is the "
         "mean of predicted / measured - 1.\n";
}

}  // namespace

std::vector<std::string> step_grouping_names() {
  std::vector<std::string> out;
  for (const StepGrouping& grouping : step_groupings()) out.emplace_back(grouping.name);
  out.insert(out.end(), {"memory_source", "memory_kind"});
  return out;
}

ValidatedTable validate_steps(const config::MeasuredSteps& steps, const std::string& file,
                              const simulate::Calibration& calibration, const ValidateOptions& options) {
  const std::vector<PredictedStep> rows = predict_steps(steps, calibration, options.shares);
  Scores scores;
  for (const PredictedStep& row : rows) add_score(row, scores);
  const StepRanking ranking = rank_steps(rows);
  ValidatedTable out;
  out.file = file, out.form = "training steps", out.rows = rows.size();
  out.all = out.claimed = accuracy::summarise(scores.steps);
  out.claimed_rows = scores.steps;
  out.by = groups_of(rows, scores);
  out.text = as_text(rows, scores, ranking, out, options);
  for (const std::string& name : options.by)
    out.markdown += error_table(name, out.by.at(name), all_of(name, scores, out)).markdown() + "\n";
  if (options.wants_csv) {
    out.csv_header = step_csv_header();
    for (const PredictedStep& row : rows) add_step_csv(row, out.csv);
  }
  out.add_members = [rows, scores, ranking, worst_shown = options.worst](text::Json& json) {
    add_json(json, rows, scores, ranking, worst_shown);
  };
  return out;
}

}  // namespace echo::validation
