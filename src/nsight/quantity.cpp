#include "nsight/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace echo::nsight {
namespace {

// The text without the commas between groups of three digits; empty where one stands elsewhere.
std::string without_commas(std::string_view cell) {
  const std::size_t end = std::min(cell.find_first_of(".eE"), cell.size());
  std::string out;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] != ',') {
      out += cell[i];
      continue;
    }
    const bool is_between_groups = i > 0 && i < end && (end - i) % 4 == 0;
    if (!is_between_groups) return "";
  }
  return out;
}

using UnitTable = std::array<std::pair<std::string_view, double>, 8>;

std::optional<double> find_unit(const UnitTable& table, std::string_view unit) {
  for (const auto& [name, value] : table)
    if (name == unit) return value;
  return std::nullopt;
}

}  // namespace

std::optional<double> number_in(std::string_view cell) {
  const std::string plain = without_commas(cell);
  double value = 0.0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (plain.empty() || error != std::errc() || end != plain.data() + plain.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<double> seconds_of(std::string_view unit) {
  static constexpr UnitTable table{{{"nsecond", 1e-9},
                                    {"usecond", 1e-6},
                                    {"msecond", 1e-3},
                                    {"second", 1.0},
                                    {"ns", 1e-9},
                                    {"us", 1e-6},
                                    {"ms", 1e-3},
                                    {"s", 1.0}}};
  return find_unit(table, unit);
}

std::optional<double> bytes_of(std::string_view unit) {
  static constexpr UnitTable table{{{"byte", 1.0},
                                    {"Kbyte", 1e3},
                                    {"Mbyte", 1e6},
                                    {"Gbyte", 1e9},
                                    {"byte/block", 1.0},
                                    {"Kbyte/block", 1e3},
                                    {"Mbyte/block", 1e6},
                                    {"Gbyte/block", 1e9}}};
  return find_unit(table, unit);
}

std::optional<double> share_of(double percent) {
  if (!(percent >= 0.0 && percent <= most_percent)) return std::nullopt;
  return std::min(percent / 100.0, 1.0);
}

}  // namespace echo::nsight
