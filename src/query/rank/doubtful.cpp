#include "query/rank/doubtful.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "base/at.hpp"
#include "query/text/layout_text.hpp"
#include "query/text/result_text.hpp"
#include "simulate/report/memory_fit.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::query {

namespace {

constexpr std::ptrdiff_t shown = 3, most = 200;  // that are looked at

// Parts of memory that a choice of the layout reduces, and that choice.
struct Reducible {
  std::string_view part, choice;
};
constexpr std::array<Reducible, 5> reducible{
    {{"activations", "recompute, a smaller micro-batch or more tp, cp or pp"},
     {"optimizer", "a higher ZeRO stage or offload_optimizer"},
     {"grads", "ZeRO 2 or 3, or 16-bit gradients"},
     {"weights", "ZeRO 3, or more tp or pp"},
     {"logits", "a smaller micro-batch or more tp"}}};

// The memory, in bytes, by which the estimate would have to be lower.
double excess_of(const results::Table& table, std::int64_t row, double least) {
  return simulate::needed_memory(table.number("mem_peak", row),
                                 table.part("breakdown/mem", row, "fragmentation")) -
         simulate::memory_that_fits(table.number("mem_limit", row), table.number("mem_rel_error", row),
                                    least);
}

const Reducible& largest_of(const results::Table& table, std::int64_t row) {
  return *std::ranges::max_element(
      reducible, {}, [&](const Reducible& one) { return table.part("breakdown/mem", row, one.part); });
}

// The value of the best sure row of a group; none is beaten by everything.
double best_of(const std::string& name, const std::vector<RankedGroup>& sure) {
  for (const RankedGroup& group : sure)
    if (group.name == name && !group.values.empty()) return group.values.front();
  return std::numeric_limits<double>::quiet_NaN();
}

struct Doubtful {
  std::int64_t row = 0;
  double value = 0.0, best = 0.0;  // of the row, and of the best sure row of its group
};

std::string list_of(const results::ResultRows& rows, const std::vector<Doubtful>& found) {
  std::vector<std::int64_t> numbers;
  for (const Doubtful& one : found) numbers.push_back(one.row);
  const results::Table table = rows.pick(numbers);
  const std::vector<std::string> layouts = layouts_of(table);
  const auto digits = static_cast<std::size_t>(key_digits(rows, table));
  text::TextTable text(
      {"<id", "<layout", "fits", "gain", "too much by", "<largest part that a choice reduces"});
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    const Doubtful& one = found[at(row)];
    const Reducible& part = largest_of(table, row);
    text.add({config_key(table, row).substr(0, digits), layouts[at(row)],
              text::show_share(table.number("fit_chance", row)),
              std::isnan(one.best) ? "-" : text::show_share(std::abs(one.value / one.best - 1.0)),
              text::show_gib(excess_of(table, row, rows.state().min_fit_chance)),
              fmt::format("{} {}: {}", part.part, text::show_gib(table.part("breakdown/mem", row, part.part)),
                          part.choice)});
  }
  return text.text();
}

}  // namespace

std::string doubtful_text(const results::ResultRows& rows, const RankQuery& query,
                          const std::vector<RankedGroup>& sure) {
  if (rows.find("fit_chance") == nullptr || rows.find("mem_rel_error") == nullptr) return "";
  RankQuery asked = query;
  asked.which = Ranked::doubtful, asked.count = most;
  const double sign = query.by.goal == sweep::Goal::min ? 1.0 : -1.0;
  std::vector<Doubtful> found;
  std::int64_t above = 0;
  for (const RankedGroup& group : ranked(rows, asked)) {
    const double best = best_of(group.name, sure);
    const auto worse = std::ranges::find_if(
        group.values, [&](double value) { return sign * value >= sign * best; });  // best first
    const auto better = worse - group.values.begin();
    above += better;
    for (std::ptrdiff_t i = 0; i < std::min(better, shown); ++i)
      found.push_back({group.rows[at(i)], group.values[at(i)], best});
  }
  if (above == 0) return "";
  const bool has_first = std::ranges::any_of(sure, [](const RankedGroup& one) { return !one.rows.empty(); });
  return fmt::format(
      "may not fit (chance below {}), not ranked: {}{}\n{}", text::show_share(rows.state().min_fit_chance),
      above == 1 ? "1 row" : text::show_count(above) + (above < most ? " rows" : " rows or more"),
      has_first ? " better than #1" : "", list_of(rows, found));
}

}  // namespace echo::query
