#include "query/text/breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/lane.hpp"
#include "query/text/value_text.hpp"
#include "text/show_quantity.hpp"

namespace echo::query {

using results::Table;

double exposed(const Table& table, std::int64_t row, std::string_view part) {
  return table.part("breakdown/exposed_time", row, part);
}

// The share to which each part of the step belongs; an index into share_names.
static std::size_t share_of(TimeCategory part) {
  switch (part) {
    case TimeCategory::forward:
    case TimeCategory::backward:
    case TimeCategory::recompute:
      return 0;
    case TimeCategory::tp_comm:
      return 1;
    case TimeCategory::cp_comm:
      return 2;
    case TimeCategory::ep_comm:
      return 3;
    case TimeCategory::pp_comm:
      return 4;
    case TimeCategory::dp_comm:
    case TimeCategory::zero_comm:
      return 5;
    case TimeCategory::bubble:
      return 6;
    case TimeCategory::slowdown:
      return 7;
    case TimeCategory::optimizer:
    case TimeCategory::checkpoint:
    case TimeCategory::idle:
    case TimeCategory::other:
      return 8;
  }
  return 8;
}

Shares shares_of(const Table& table, std::int64_t row) {
  Shares shares{};
  const double step = table.number("step_time", row);
  for (std::int32_t i = 0; i < time_category_count; ++i) {
    shares[share_of(static_cast<TimeCategory>(i))] += exposed(table, row, time_category_names[at(i)]) / step;
  }
  return shares;
}

std::string why_it_wins(const Table& table, std::int64_t better, std::int64_t worse) {
  const bool alike =
      table.integer("gpus", better) == table.integer("gpus", worse) &&
      table.integer("global_batch_tokens", better) == table.integer("global_batch_tokens", worse);
  // GPU time per 1 000 tokens if batch or GPU count differ; otherwise the step time.
  const auto scale = [&](std::int64_t row) {
    return alike ? 1.0 : 1000.0 * table.number("gpus", row) / table.number("global_batch_tokens", row);
  };
  struct Difference {
    std::string_view part;
    double seconds;
  };
  std::vector<Difference> differences;
  double largest = 0.0;
  for (const std::string_view part : time_category_names) {
    const double seconds =
        exposed(table, better, part) * scale(better) - exposed(table, worse, part) * scale(worse);
    differences.push_back({part, seconds});
    largest = std::max(largest, std::abs(seconds));
  }
  // Differences below a picosecond are rounding: the file's seconds are whole picoseconds.
  const double floor = std::max(0.1 * largest, 5e-13);
  std::erase_if(differences, [floor](const Difference& d) { return std::abs(d.seconds) <= floor; });
  if (differences.empty()) return "every part of the step takes the same time";
  std::stable_sort(differences.begin(), differences.end(), [](const Difference& a, const Difference& b) {
    return std::abs(a.seconds) > std::abs(b.seconds);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(differences.size(), 5); ++i) {
    text += fmt::format("{}{}{} {}", i > 0 ? ", " : "", differences[i].seconds > 0 ? "+" : "",
                        text::show_time(differences[i].seconds), differences[i].part);
  }
  return alike ? text : text + " (GPU time per 1 000 tokens)";
}

std::string what_differs(const Table& table, std::int64_t first, std::int64_t second) {
  std::string text;
  for (const auto& column : table.columns()) {
    const bool derived =
        column.name == "microbatches" || column.name == "global_batch_tokens" || column.name == "gpu";
    if (column.role != "input" || derived || column.width != 1) continue;
    const std::string from = value_text(table, column, first), to = value_text(table, column, second);
    if (from != to) text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", column.name, from, to);
  }
  return text;
}

}  // namespace echo::query
