// A bound ("above 90 %") is scored as the figure it names: the error is then how far the prediction is from
// it.
#include "validation/validate_goodputs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "text/csv_cell.hpp"
#include "text/show_quantity.hpp"

namespace echo::validation {

namespace {

using accuracy::Comparison;
using config::MeasuredGoodput;

text::TextTable table_of(const std::vector<MeasuredGoodput>& rows,
                         const std::vector<campaign::Goodput>& predictions) {
  text::TextTable table(
      {"<run", "<preset", "gpus", "checkpoint every", "<kind", "published", "predicted", "error"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MeasuredGoodput& row = rows[i];
    const double predicted = predictions[i].goodput;
    const bool known = !std::isnan(predicted);
    table.add({row.run, row.preset, std::to_string(row.job.gpus),
               known ? text::show_duration(predictions[i].interval) : "-", row.kind,
               fmt::format("{:.3f}", row.goodput), known ? fmt::format("{:.3f}", predicted) : "unknown",
               known ? fmt::format("{:+.1f} %", 100.0 * (predicted / row.goodput - 1.0)) : "-"});
  }
  return table;
}

}  // namespace

ValidatedTable validate_goodputs(const std::vector<MeasuredGoodput>& rows, const std::string& file,
                                 const ValidateOptions& options) {
  const auto predictions = options.shares.predict<campaign::Goodput>(
      rows.size(), [&](std::size_t i) { return campaign::goodput(rows[i].reliability, rows[i].job); });
  std::vector<Comparison> scored;
  ValidatedTable out;
  if (options.wants_csv) out.csv_header = "file,line,run,preset,gpus,kind,published,predicted,interval_s\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MeasuredGoodput& row = rows[i];
    const campaign::Goodput& predicted = predictions[i];
    if (predicted.goodput > 0.0) scored.push_back({row.kind, row.goodput, predicted.goodput});
    if (options.wants_csv)
      out.csv += fmt::format("{},{},{},{},{},{},{:.6g},{:.6g},{:.6g}\n", text::csv_cell(file), row.line,
                             text::csv_cell(row.run), text::csv_cell(row.preset), row.job.gpus, row.kind,
                             row.goodput, predicted.goodput, predicted.interval);
  }
  out.file = file, out.form = "goodputs", out.rows = rows.size();
  out.claimed = out.all = accuracy::summarise(scored);
  out.claimed_rows = scored;
  out.by["kind"] = accuracy::summarise_by_group(scored);
  const text::TextTable table = table_of(rows, predictions);
  out.text = table.text() + "\n" + error_table_text("kind", scored) +
             "\nAt_least rows are scored against the bound that they name.\n";
  out.markdown = table.markdown();
  out.add_members = [all = out.all, by = out.by["kind"], read = rows.size()](text::Json& json) {
    json.member("table", "goodputs").member("rows", read).key("all").open_object();
    add_errors(json, all);
    json.close().key("by").open_object().key("kind").open_object();
    add_errors_by_group(json, by);
    json.close().close();
  };
  return out;
}

}  // namespace echo::validation
