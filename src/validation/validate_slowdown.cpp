#include "validation/validate_slowdown.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <variant>

#include "config/toml/read_file.hpp"
#include "learn/candidates/white_box.hpp"
#include "slowdown/model_file.hpp"
#include "text/csv_cell.hpp"
#include "text/show_quantity.hpp"

namespace echo::validation {

namespace {

using accuracy::Comparison;
using slowdown::OverlapRow;

constexpr const char* unable = "the model is told of shapes and collectives, which the table does not have";

struct Scores {
  std::vector<Comparison> model, none;  // all rows
  std::vector<Comparison> model_overlapping, none_overlapping;
};

Scores score(const std::vector<OverlapRow>& rows, const SlowdownChoice& choice) {
  Scores out;
  for (const OverlapRow& row : rows) {
    const double predicted = slowdown::overlapped_time(row.alone, row.overlap_ratio, choice.of_row(row));
    out.model.push_back({"", row.overlapped, predicted});
    out.none.push_back({"", row.overlapped, row.alone});
    if (row.overlap_ratio <= 0.0) continue;
    out.model_overlapping.push_back(out.model.back());
    out.none_overlapping.push_back(out.none.back());
  }
  return out;
}

// Error of the summed times: (predicted - measured) / measured.
double total_of(const std::vector<Comparison>& rows) {
  double measured = 0.0, predicted = 0.0;
  for (const Comparison& row : rows) measured += row.measured, predicted += row.predicted;
  return measured > 0.0 ? predicted / measured - 1.0 : 0.0;
}

struct Line {
  std::string name;
  const std::vector<Comparison>* rows;
};

std::array<Line, 4> lines_of(const Scores& scores, const std::string& model) {
  return {{{model + ", rows that overlap", &scores.model_overlapping},
           {"no slowdown, rows that overlap", &scores.none_overlapping},
           {model + ", all rows", &scores.model},
           {"no slowdown, all rows", &scores.none}}};
}

// Errors of rows that a model saw say what it remembers, not what it predicts. The digest of a table tells
// whether it is the one that the model was trained on; a dataset that was made of the table has another.
std::string what_was_seen(const SlowdownChoice& choice, const std::string& file) {
  constexpr const char* cross = "cross-validated errors of learned models: echo-sweep slowdown evaluate";
  if (choice.trained_on.empty()) return fmt::format("No row was fitted on here; {}.\n", cross);
  const auto bytes = config::read_whole_file(file);
  if (bytes && config::fingerprint(*bytes) == choice.trained_on)
    return fmt::format("{} was trained on these rows: these are not errors of a prediction; {} {}.\n",
                       choice.name, cross, file);
  return fmt::format("{} was trained on another file (digest {}); if that has rows of this one, {}.\n",
                     choice.name, choice.trained_on.substr(0, 8),
                     "their errors are not those of a prediction");
}

std::string as_text(const Scores& scores, const std::string& model) {
  text::TextTable table = error_columns("overlapped time");
  std::string totals;
  for (const Line& line : lines_of(scores, model)) {
    table.add(error_cells(line.name, accuracy::summarise(*line.rows)));
    totals += fmt::format("{}{} {:+.1f} %", totals.empty() ? "total: " : "; ", line.name,
                          100.0 * total_of(*line.rows));
  }
  const double gain = accuracy::summarise(scores.none).mean_ape - accuracy::summarise(scores.model).mean_ape;
  const std::string verdict = gain > 0.0 ? "beats \"no slowdown\"" : "does not beat \"no slowdown\"";
  return table.text() + totals +
         fmt::format("\n{} {}: its mean error of all rows is {:.1f} points {}\n", model, verdict,
                     100.0 * std::abs(gain), gain > 0.0 ? "lower" : "higher");
}

void add_json(text::Json& json, const Scores& scores, const std::string& model, std::size_t rows) {
  json.member("table", "slowdown").member("rows", rows).member("model", model);
  const std::array<const char*, 4> keys{"overlapping", "no_slowdown_overlapping", "all", "no_slowdown"};
  const auto lines = lines_of(scores, model);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    json.key(keys[i]).open_object();
    add_errors(json, accuracy::summarise(*lines[i].rows));
    json.member("total", total_of(*lines[i].rows)).close();
  }
}

std::string csv_of(const std::vector<OverlapRow>& rows, const Scores& scores) {
  std::string out;
  for (std::size_t i = 0; i < scores.model.size(); ++i) {
    const Comparison& one = scores.model[i];
    fmt::format_to(std::back_inserter(out), "{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}\n", i + 1,
                   text::csv_cell(rows[i].kernel), rows[i].alone, rows[i].overlap_ratio, one.measured,
                   one.predicted, one.predicted / one.measured);
  }
  return out;
}

}  // namespace

SlowdownChoice slowdown_on_metrics(const std::string& choice, const config::CatalogInputs& presets) {
  if (choice == "off") return {"no model", [](const OverlapRow&) { return 0.0; }};
  if (choice == "auto" || choice == "contention") {
    const auto* shipped = std::get_if<slowdown::Contention>(&presets.calibration.slowdown);
    const slowdown::Contention constants = shipped != nullptr ? *shipped : slowdown::Contention{};
    return {"contention", [constants](const OverlapRow& row) {
              learn::Example example;
              example.row = row;
              const learn::Pair pair = learn::pair_of_metrics(example, learn::pcie_pair);
              return 1.0 / learn::kept_beside(pair, constants, learn::Side::kernel) - 1.0;
            }};
  }
  const auto bytes = config::read_whole_file(choice);
  if (!bytes)
    throw UserError("--slowdown: cannot read " + choice, "auto, off, contention or the file of a model");
  const slowdown::LearnedModel model = slowdown::model_from_bytes(*bytes, choice);
  if (model.features != slowdown::FeatureSet::metrics) return {model.name, {}, model.evidence.dataset};
  return {model.name, [model](const OverlapRow& row) { return 1.0 / slowdown::kept_rate(model, row) - 1.0; },
          model.evidence.dataset};
}

ValidatedTable validate_slowdown(const nsight::EchoTable& table, const std::string& file,
                                 const SlowdownChoice& choice, const ValidateOptions& options) {
  ValidatedTable out;
  out.file = file, out.form = "slowdown", out.rows = table.rows.size();
  if (options.wants_csv) out.csv_header = "row,kernel,alone_s,overlap_ratio,measured,predicted,ratio\n";
  if (!choice.of_row) {
    const std::map<std::string, int> skipped{{unable, static_cast<int>(table.rows.size())}};
    out.text = skipped_text(skipped);
    out.add_members = [skipped](text::Json& json) { add_skipped(json.member("table", "slowdown"), skipped); };
    return out;
  }
  const Scores scores = score(table.rows, choice);
  out.claimed = out.all = accuracy::summarise(scores.model);
  out.claimed_rows = scores.model;
  out.by["model"][choice.name] = out.all;
  out.by["model"]["no slowdown"] = accuracy::summarise(scores.none);
  out.text = as_text(scores, choice.name) + what_was_seen(choice, file);
  if (options.wants_csv) out.csv = csv_of(table.rows, scores);
  out.add_members = [scores, name = choice.name, rows = out.rows](text::Json& json) {
    add_json(json, scores, name, rows);
  };
  return out;
}

}  // namespace echo::validation
