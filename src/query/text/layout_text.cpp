#include "query/text/layout_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "query/text/value_text.hpp"

namespace echo::query {

using results::Table;

namespace {

constexpr std::array<std::string_view, 12> in_layout{"tp",       "pp",   "dp",        "cp",
                                                     "ep",       "etp",  "vpp",       "micro_batch",
                                                     "schedule", "zero", "recompute", "sequence_parallel"};

bool differs(const Table& table, const results::ColumnInfo& column) {
  for (std::int64_t row = 1; row < table.rows(); ++row)
    if (value_text(table, column, row) != value_text(table, column, 0)) return true;
  return false;
}

}  // namespace

std::string layout_of(const Table& table, std::int64_t row) {
  std::string rare;
  for (const char* degree : {"cp", "ep", "etp"})
    if (table.integer(degree, row) > 1) rare += fmt::format(" {}{}", degree, table.integer(degree, row));
  return fmt::format("tp{} pp{} dp{}{} vpp{} mbs{} {} zero{} recompute={} sp={}", table.integer("tp", row),
                     table.integer("pp", row), table.integer("dp", row), rare, table.integer("vpp", row),
                     table.integer("micro_batch", row), table.text("schedule", row),
                     table.integer("zero", row), table.text("recompute", row),
                     value_text(table, table.at("sequence_parallel"), row));
}

std::vector<std::string> layouts_of(const Table& table, std::initializer_list<std::string_view> shown) {
  std::vector<std::string> layouts;
  for (std::int64_t row = 0; row < table.rows(); ++row) layouts.push_back(layout_of(table, row));
  for (const results::ColumnInfo& column : table.columns()) {
    if (column.role != "input" || column.width != 1 || std::ranges::count(in_layout, column.name) > 0 ||
        std::ranges::count(shown, column.name) > 0 ||
        std::ranges::count(table.state().axes, column.name) == 0 || !differs(table, column))
      continue;
    for (std::size_t row = 0; row < layouts.size(); ++row)
      layouts[row] +=
          fmt::format(" {}={}", column.name, value_text(table, column, static_cast<std::int64_t>(row)));
  }
  return layouts;
}

}  // namespace echo::query
