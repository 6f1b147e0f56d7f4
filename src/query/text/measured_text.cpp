#include "query/text/measured_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <vector>

#include "query/text/band_text.hpp"
#include "query/text/layout_text.hpp"
#include "query/text/result_text.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::query {

namespace {

struct MeasuredRows {
  std::vector<results::RunOfRow> runs;
  results::Table after, before;  // their rows
};

MeasuredRows measured_rows(const results::UpdatedFile& updated, const results::ResultFile& predictions) {
  std::vector<results::RunOfRow> runs = results::read_measured(updated.file());
  std::vector<std::int64_t> rows;
  for (const results::RunOfRow& run : runs) rows.push_back(run.row);
  return {std::move(runs), updated.pick(rows), predictions.pick(rows)};
}

}  // namespace

std::string measured_line(const results::FileState& state) {
  if (state.measured.runs == 0) return "";
  return fmt::format(
      "conditioned on {} measured run{}: steps, rates and their errors are those to expect after {}\n",
      state.measured.runs, state.measured.runs == 1 ? "" : "s", state.measured.runs == 1 ? "it" : "them");
}

std::string measured_text(const results::UpdatedFile& updated, const results::ResultFile& predictions) {
  const MeasuredRows rows = measured_rows(updated, predictions);
  const auto digits = static_cast<std::size_t>(key_digits(updated, rows.after));
  text::TextTable lines({"<id", "<layout", "steps", "measured", "predicted", "off by", "expected", "+-80%"});
  const std::vector<std::string> layouts = layouts_of(rows.after);
  for (std::size_t i = 0; i < rows.runs.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    const double predicted = rows.before.number("step_time", row);
    lines.add({config_key(rows.after, row).substr(0, digits), layouts[i], std::to_string(rows.runs[i].steps),
               text::show_time(rows.runs[i].step_time), text::show_time(predicted),
               fmt::format("{:+.1f} %", 100.0 * (rows.runs[i].step_time / predicted - 1.0)),
               text::show_time(rows.after.number("step_time", row)),
               text::show_share(rows.after.number("rel_error_p90", row))});
  }
  const double spread = updated.state().measured.spread;
  return measured_line(updated.state()) + lines.text() +
         fmt::format("together they are {} than the error model has it: remaining errors times {:.2f}\n",
                     spread > 1.0 ? "further off" : "less far off", spread);
}

std::string measured_row_text(const results::UpdatedFile& updated, std::int64_t row) {
  const std::int64_t runs = updated.state().measured.runs;
  const results::Table table = updated.pick(std::span(&row, 1));
  if (runs == 0 || !std::isfinite(table.number("step_time", 0))) return "";
  return fmt::format("\nafter {} measured run{} (echo-sweep update) expect {}{}", runs, runs == 1 ? "" : "s",
                     text::show_time(table.number("step_time", 0)), ", " + band_text(table, 0));
}

void add_measured(text::Json& json, const results::UpdatedFile& updated,
                  const results::ResultFile& predictions) {
  const MeasuredRows rows = measured_rows(updated, predictions);
  json.member("rows_digest", updated.state().rows_digest).member("spread", updated.state().measured.spread);
  json.key("runs").open_array();
  for (std::size_t i = 0; i < rows.runs.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    json.open_object().member("config_id", config_key(rows.after, row)).member("steps", rows.runs[i].steps);
    json.member("measured", rows.runs[i].step_time);
    json.member("predicted", rows.before.number("step_time", row));
    json.member("expected", rows.after.number("step_time", row));
    json.member("rel_error_p90", rows.after.number("rel_error_p90", row)).close();
  }
  json.close();
}

}  // namespace echo::query
