#include "cli/slowdown/slowdown_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/at.hpp"
#include "learn/evaluate/train_model.hpp"
#include "text/csv_cell.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"
#include "validation/validated_table.hpp"

namespace echo::cli {

namespace {

using learn::CandidateReport;
using learn::ErrorMeasures;

std::string signed_share(double share) {
  return std::isfinite(share) ? fmt::format("{:+.1f} %", 100.0 * share) : "-";
}
std::string share(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100.0 * share) : "-";
}
std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.3f}", value) : "-"; }

std::vector<std::string> cells_of(const CandidateReport& report) {
  const ErrorMeasures &all = report.all, &overlapping = report.overlapping;
  return {report.name,
          share(all.mean),
          share(overlapping.mean),
          signed_share(all.total),
          share(all.within[0]),
          share(all.within[1]),
          share(all.within[2]),
          number(overlapping.r2),
          share(overlapping.slowdown_mean),
          number(overlapping.slowdown_r2)};
}

// "families (2 sizes per octave, prior 0.5) 3 times, no_slowdown"
std::string counted(const std::vector<std::string>& chosen) {
  std::map<std::string, std::int32_t> count;
  for (const std::string& one : chosen) ++count[one];
  std::vector<std::string> parts;
  for (const auto& [one, times] : count)
    parts.push_back(times == 1 ? one : fmt::format("{} ({} folds)", one, times));
  return fmt::format("{}", fmt::join(parts, "; "));
}

void add_measures(text::Json& json, const ErrorMeasures& found) {
  json.member("rows", found.rows).member("mean", found.mean).member("median", found.median);
  json.member("total", found.total).member("r2", found.r2).key("within").open_object();
  for (std::size_t i = 0; i < learn::tolerances.size(); ++i)
    json.member(fmt::format("{:.2f}", learn::tolerances[i]), found.within[i]);
  json.close().key("slowdown").open_object().member("mean", found.slowdown_mean);
  json.member("rows", found.slowed).member("r2", found.slowdown_r2).close();
}

void add_candidate(text::Json& json, const CandidateReport& report) {
  json.open_object().member("name", report.name).member("what", report.what);
  json.member("role", report.role == learn::Role::baseline ? "baseline"
                      : report.role == learn::Role::shown  ? "shown"
                                                           : "learned");
  json.key("all").open_object();
  add_measures(json, report.all);
  json.close().key("overlapping").open_object();
  add_measures(json, report.overlapping);
  json.close().key("chosen").open_array();
  for (const std::string& chosen : report.chosen) json.value(chosen);
  json.close().close();
}

bool tells_of_communication(const SlowdownData& data) {
  return std::any_of(data.examples.rows.begin(), data.examples.rows.end(), [](const learn::Example& example) {
    return example.row.beside.channels > 0 || example.row.beside.payload > 0.0;
  });
}
constexpr const char* untold =
    "no row records the communication: these errors apply to kernels with the communication of this dataset, "
    "and not to other collectives, sizes, channels or GPUs\n";

std::string heading(const SlowdownReport& report) {
  const auto rows = std::ssize(report.data.examples.rows);
  std::string text = fmt::format(
      "{}: {} rows, {} overlap with communication; features: {}\n", report.data.file, text::show_count(rows),
      text::show_count(report.data.overlapping()),
      report.data.examples.features == slowdown::FeatureSet::metrics ? "measured metrics"
                                                                     : "properties known to the simulator");
  for (const auto& [why, count] : report.data.left_out)
    text += fmt::format("  left out {:>6}  {}\n", text::show_count(count), why);
  for (const std::string& one : assumed_lines(report.data)) text += "  assumed for " + one + "\n";
  return text + fmt::format("nested cross-validation, held out {}, {} folds, seed {}\n\n",
                            learn::folds_in_words(report.folds.grouping), report.nested.chosen.chosen.size(),
                            report.folds.seed);
}

}  // namespace

std::string verdict_of(const learn::NestedReport& nested) {
  return nested.beats_baselines ? "beats the baselines on unseen rows"
                                : "does not beat the baselines on unseen rows, so it stays off by default";
}

std::string report_text(const SlowdownReport& report) {
  text::TextTable table({"<error of the overlapped time", "all rows", "overlapped", "total", "within 5 %",
                         "10 %", "15 %", "R2", "of slowdown", "R2"});
  for (const CandidateReport& candidate : report.nested.candidates) table.add(cells_of(candidate));
  table.add(cells_of(report.nested.chosen));
  std::string text = heading(report) + table.text() + "\n";
  text += fmt::format(
      "means of |predicted - measured| / measured; R2 and \"of slowdown\" (rows slowed by {:.0f} % or "
      "more) of the rows that overlap\n",
      100.0 * learn::visible_slowdown);
  text += "nested_choice: " + counted(report.nested.chosen.chosen) + "\n";
  for (const learn::Margin& margin : learn::margins_of(report.nested, report.nested.chosen))
    text += fmt::format("  its mean error is {:.2f} +- {:.2f} percentage points below that of {}\n",
                        100 * margin.advantage, 100 * margin.doubt, margin.baseline);
  text += "verdict: the choice of the folds " + verdict_of(report.nested) + "\n";
  return text + (tells_of_communication(report.data) ? "" : untold);
}

std::string report_json(const SlowdownReport& report) {
  text::Json json;
  json.open_object().member("data", report.data.file).member("digest", report.data.digest);
  json.member("rows", report.data.examples.rows.size()).member("overlapping", report.data.overlapping());
  json.key("left_out").open_object();
  for (const auto& [why, count] : report.data.left_out) json.member(why, count);
  json.close().key("assumed").open_object();
  for (const auto& [what, count] : report.data.assumed) json.member(what, count);
  json.close();
  json.member("features",
              report.data.examples.features == slowdown::FeatureSet::metrics ? "metrics" : "simulator");
  json.member("group", learn::grouping_names[at(report.folds.grouping)]);
  json.member("folds", report.nested.chosen.chosen.size()).member("seed", report.folds.seed);
  json.key("candidates").open_array();
  for (const CandidateReport& candidate : report.nested.candidates) add_candidate(json, candidate);
  json.close().key("nested_choice");
  add_candidate(json, report.nested.chosen);
  json.key("margins").open_array();
  for (const learn::Margin& margin : learn::margins_of(report.nested, report.nested.chosen)) {
    json.open_object().member("baseline", margin.baseline);
    json.member("advantage", margin.advantage).member("doubt", margin.doubt).close();
  }
  json.close().member("beats_baselines", report.nested.beats_baselines).close();
  return json.text();
}

std::string report_csv(const SlowdownReport& report) {
  std::string text = "row,kernel,fold,alone_s,overlapped_s,overlap_ratio,slowdown";
  for (const CandidateReport& candidate : report.nested.candidates) text += "," + candidate.name;
  text += "," + report.nested.chosen.name + "\n";
  for (std::size_t i = 0; i < report.nested.fold.size(); ++i) {
    const learn::Outcome& outcome = report.nested.chosen.outcomes[i];
    text += fmt::format("{},{},{},{},{},{},{}", i, text::csv_cell(report.data.examples.rows[i].row.kernel),
                        report.nested.fold[i], outcome.alone, outcome.overlapped, outcome.overlap_ratio,
                        learn::measured_slowdown(outcome));
    for (const CandidateReport& candidate : report.nested.candidates)
      text += fmt::format(",{}", learn::predicted_time(candidate.outcomes[i]));
    text += fmt::format(",{}\n", learn::predicted_time(outcome));
  }
  return text;
}

}  // namespace echo::cli
