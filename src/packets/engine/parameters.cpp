#include "packets/engine/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "base/named_table.hpp"

namespace echo::packets {
namespace {

constexpr std::array<std::string_view, 6> columns{"dcqcn", "dctcp", "hpcc", "none", "swift", "timely"};

std::size_t column_of(std::string_view congestion_control) {
  const auto* const found = std::find(columns.begin(), columns.end(), congestion_control);
  ECHO_EXPECT(found != columns.end());
  return static_cast<std::size_t>(found - columns.begin());
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::string plain(double value) {
  std::array<char, 64> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

std::string remedy_of(const ParameterInfo& row) {
  std::string remedy = "give ";
  const bool takes_number = row.least <= row.most;
  if (takes_number) {
    remedy += row.is_flag     ? std::string("0 or 1")
              : row.most <= 1 ? "a number of " + plain(row.least) + " to " + plain(row.most)
                              : "a number of at least " + plain(row.least);
    if (row.most > 1 && row.most < 1e15) remedy += " and at most " + plain(row.most);
    if (*row.unit != '\0') remedy += std::string(" (") + row.unit + ")";
  }
  for (std::size_t i = 0; i < row.words.size(); ++i)
    remedy += std::string(i > 0 || takes_number ? " or \"" : "\"") + row.words[i] + "\"";
  return remedy;
}

}  // namespace

Parameters default_parameters(std::string_view congestion_control) {
  const std::size_t column = column_of(congestion_control);
  Parameters parameters;
  for (const ParameterInfo& row : parameter_table())
    if (row.field != nullptr) parameters.*row.field = row.value[column];
  return parameters;
}

void set_parameter(Parameters& parameters, std::string_view name, std::string_view value) {
  const std::int32_t index = find_named(parameter_table(), name);
  if (index < 0)
    throw UserError("unknown parameter \"" + std::string(name) + "\"",
                    "names are those of ns3_params.csv; echo-sweep packets --parameters lists them");
  const ParameterInfo& row = parameter_table()[static_cast<std::size_t>(index)];
  for (std::size_t i = 0; i < row.words.size(); ++i) {
    if (value != row.words[i]) continue;
    if (row.field != nullptr) parameters.*row.field = row.first_word + static_cast<double>(i);
    return;
  }
  const auto number = number_of(value);
  const bool is_no_flag = row.is_flag && number && *number != 0 && *number != 1;
  if (!number || *number < row.least || *number > row.most || is_no_flag)
    throw UserError(std::string(name) + " cannot be \"" + std::string(value) + "\"", remedy_of(row));
  parameters.*row.field = *number;
}

MarkingThresholds marking_thresholds(const Parameters& parameters, std::int64_t bits_per_second) {
  const bool has_row = bits_per_second == 400'000'000'000;
  const double scale = has_row ? 1 : static_cast<double>(bits_per_second) / 1e11;
  const double least = has_row ? parameters.kmin_400g_kb : parameters.kmin_100g_kb;
  const double most = has_row ? parameters.kmax_400g_kb : parameters.kmax_100g_kb;
  return {std::llround(least * scale * 1000), std::llround(most * scale * 1000)};
}

}  // namespace echo::packets
