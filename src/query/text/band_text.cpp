#include "query/text/band_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/at.hpp"
#include "base/error_source.hpp"
#include "query/text/practice_text.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::query {

namespace {

using results::Table;

constexpr std::array<std::string_view, beyond_count> beyond_words{
    "kernel shapes outside the measured range", "a GPU priced with the constants of a related GPU",
    "a network without measured collectives", "collectives over more nodes than were measured",
    "a framework with assumed host times"};
constexpr std::array<std::string_view, beyond_count> beyond_parts{"kernel shapes", "GPU", "network",
                                                                  "number of nodes", "host time"};
static_assert(beyond_words.size() == beyond_names.size());

bool has_bands(const Table& table) {
  return table.find("rel_error") != nullptr && table.find("rel_error_p90") != nullptr;
}

bool reaches(const Table& table, std::int64_t row, std::int32_t part) {
  return table.find("out_of_range") != nullptr &&
         (table.integer("out_of_range", row) & bit_of(static_cast<Beyond>(part))) != 0;
}

}  // namespace

std::string band_text(const Table& table, std::int64_t row) {
  if (!has_bands(table) || !std::isfinite(table.number("rel_error", row))) return "";
  const double step = table.number("step_time", row), wide = std::exp(table.number("rel_error_p90", row));
  std::string text = fmt::format("+- {} one sigma; 80 % of runs within {} to {}",
                                 text::show_share(table.number("rel_error", row)),
                                 text::show_time(step / wide), text::show_time(step * wide));
  if (table.find("mem_rel_error") != nullptr && std::isfinite(table.number("mem_rel_error", row)))
    text += fmt::format("; memory +- {}", text::show_share(table.number("mem_rel_error", row)));
  return text + "\n";
}

std::string error_sources_text(const Table& table, std::int64_t row) {
  if (!has_bands(table) || !std::isfinite(table.number("rel_error", row))) return "";
  std::vector<std::pair<double, std::string_view>> sources;
  for (const std::string_view name : error_source_names) {
    const std::string column = "error_" + std::string(name);
    if (table.find(column) != nullptr) sources.emplace_back(table.number(column, row), name);
  }
  std::stable_sort(sources.begin(), sources.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  const double all = std::pow(table.number("rel_error", row), 2);
  text::TextTable lines({"<  source of error", "one sigma", "of variance"});
  for (const auto& [error, name] : sources)
    lines.add({"  " + std::string(name), text::show_share(error),
               text::show_share(all > 0.0 ? error * error / all : 0.0)});
  std::string text = "\nuncertainty of the step time\n" + lines.text();
  for (std::int32_t part = 0; part < beyond_count; ++part)
    if (reaches(table, row, part))
      text += fmt::format("  no measurement supports: {}\n", beyond_words[at(part)]);
  if (const std::string untried = untried_text(table, row); !untried.empty())
    text += fmt::format("  no published run of the GPU kind had: {}\n", untried);
  return text;
}

std::string beyond_text(const Table& table) {
  std::string text;
  for (std::int32_t part = 0; part < beyond_count; ++part) {
    std::int64_t rows = 0;
    for (std::int64_t row = 0; row < table.rows(); ++row) rows += reaches(table, row, part) ? 1 : 0;
    if (rows == 0) continue;
    text +=
        fmt::format("{}{} ({})", text.empty() ? "no measurement supports: " : ", ", beyond_parts[at(part)],
                    rows == table.rows() ? "all rows" : fmt::format("{} of {} rows", rows, table.rows()));
  }
  return (text.empty() ? text : text + "\n") + untried_text(table);
}

}  // namespace echo::query
