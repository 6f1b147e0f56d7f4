#include "query/text/value_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/at.hpp"
#include "text/show_quantity.hpp"
#include "training/axis.hpp"

namespace echo::query {

using results::ColumnInfo;

std::string value_text(const ColumnInfo& column, double value) {
  const auto number = static_cast<std::int64_t>(value);
  if (!column.meanings.empty())
    return number >= 0 && number < std::ssize(column.meanings) ? column.meanings[at(number)]
                                                               : std::to_string(number);
  const auto axis = training::find_axis(column.name);
  if (axis && std::isfinite(value)) {
    const training::AxisKind kind = training::info_of(*axis).kind;
    const auto code = static_cast<std::int32_t>(number);
    if (kind == training::AxisKind::version) return code > 0 ? training::version_text(code) : "-";
    if (kind == training::AxisKind::words)
      return training::text_of_bits(training::member_of(*axis).words, code);
  }
  return fmt::format("{}", value);
}

std::string value_text(const results::Table& table, const ColumnInfo& column, std::int64_t row) {
  return column.meanings.empty() ? value_text(column, table.number(column.name, row))
                                 : table.text(column.name, row);
}

std::string metric_text(const ColumnInfo& column, double value) {
  constexpr double hour = 3600.0, day = 86400.0;
  if (std::isnan(value)) return "-";
  if (column.units == "s") {
    if (std::abs(value) >= 2.0 * day) return fmt::format("{:.1f} d", value / day);
    return std::abs(value) >= 2.0 * hour ? fmt::format("{:.1f} h", value / hour) : text::show_time(value);
  }
  if (column.units == "byte") return text::show_gib(value);
  if (column.units == "J") return text::show_energy(value);
  if (column.units == "kg") return text::show_mass(value);
  if (column.units == "W") return fmt::format("{:.0f} W", value);
  if (column.name == "cost") return text::show_amount(value) + " " + column.units;
  if (column.units == "1" && column.is_real()) return text::show_share(value);
  if (column.units == "s-1") return fmt::format("{:.0f}", value);
  if (!column.is_real()) return fmt::format("{:.0f}", value);
  return std::abs(value) >= 1e5 ? fmt::format("{:.0f}", value) : fmt::format("{:.5g}", value);
}

}  // namespace echo::query
