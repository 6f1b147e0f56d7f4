#include "config/measured/measured_goodputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "config/measured/every_row.hpp"
#include "config/toml/did_you_mean.hpp"

namespace echo::config {
namespace {

constexpr std::array<const char*, 6> needed{"run", "preset", "gpus", "gpus_per_node", "kind", "goodput"};
constexpr std::array<std::string_view, 3> kinds{"reported", "at_least", "derived"};

const ReliabilityFile& preset_of(const CsvTable& table, std::size_t row, const CatalogInputs& presets) {
  const std::string name(table.text(row, "preset"));
  const auto found = std::ranges::find(presets.reliability, name, &ReliabilityFile::name);
  if (found != presets.reliability.end()) return *found;
  std::vector<std::string> names;
  for (const ReliabilityFile& one : presets.reliability) names.push_back(one.name);
  throw UserError({{table.place(row, "preset"), "unknown reliability preset \"" + name + "\"",
                    suggest(name, names, "echo-sweep presets list reliability")}});
}

// A cell within [low, high]; `otherwise` where it is blank, a problem where that is NaN.
double number_in(const CsvTable& table, std::size_t row, const char* column, Range range, double otherwise) {
  const auto cell = table.number(row, column);
  if (!cell && !std::isnan(otherwise)) return otherwise;
  if (cell && *cell >= range.low && *cell <= range.high) return *cell;
  throw UserError(
      {{table.place(row, column), std::string(column) + (cell ? " is out of range" : " is missing"),
        "write a number from " + std::to_string(range.low) + " to " + std::to_string(range.high)}});
}

MeasuredGoodput read(const CsvTable& table, std::size_t row, const CatalogInputs& presets) {
  constexpr double required = std::numeric_limits<double>::quiet_NaN();
  constexpr Range counts{1.0, 1e7};
  MeasuredGoodput out;
  out.run = table.text(row, "run"), out.preset = table.text(row, "preset"),
  out.kind = table.text(row, "kind");
  out.line = table.place(row).line;
  if (std::ranges::find(kinds, out.kind) == kinds.end())
    throw UserError(
        {{table.place(row, "kind"), "unknown kind \"" + out.kind + "\"", "reported, at_least or derived"}});
  out.reliability = preset_of(table, row, presets).spec;
  out.reliability.every =
      number_in(table, row, "checkpoint_every_s", {1e-3, 1e9}, std::max(0.0, out.reliability.every));
  out.reliability.write_time =
      number_in(table, row, "checkpoint_write_s", {0.0, 1e9}, out.reliability.write_time);
  out.job.gpus = std::llround(number_in(table, row, "gpus", counts, required));
  const auto each = std::llround(number_in(table, row, "gpus_per_node", counts, required));
  out.job.nodes = (out.job.gpus + each - 1) / each;
  out.job.checkpoint_bytes = number_in(table, row, "checkpoint_bytes", {0.0, 1e18}, 0.0);
  out.job.step = 1e-3;  // a checkpoint may follow any step
  out.goodput = number_in(table, row, "goodput", {1e-3, 1.0}, required);
  return out;
}

}  // namespace

bool is_goodput_table(const CsvTable& table) {
  return std::ranges::all_of(needed, [&](const char* column) { return table.has(column); });
}

std::string goodput_table_columns() {
  std::string text;
  for (const char* column : needed) text += (text.empty() ? "" : ", ") + std::string(column);
  return text;
}

std::vector<MeasuredGoodput> read_measured_goodputs(const CsvTable& table, const CatalogInputs& presets) {
  return every_row<MeasuredGoodput>(table, [&](std::size_t row) { return read(table, row, presets); });
}

}  // namespace echo::config
