#include "query/text/path_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::query {

namespace {

struct Lever {
  std::string_view column, what;
};
constexpr std::array<Lever, 6> levers{{{"sens_flops", "1 % more FLOP/s"},
                                       {"sens_hbm", "1 % more HBM bandwidth"},
                                       {"sens_scale_up", "1 % more scale-up bandwidth"},
                                       {"sens_scale_out", "1 % more scale-out bandwidth"},
                                       {"sens_latency", "1 % less communication latency"},
                                       {"sens_host", "1 % less launch and host time"}}};
constexpr int bar_width = 40;

}  // namespace

std::string path_text(const results::Table& table, std::int64_t row) {
  if (table.find("sens_flops") == nullptr || !std::isfinite(table.number("sens_flops", row))) return "";
  std::vector<std::pair<double, std::string_view>> gains;
  double rest = 1.0;
  for (const Lever& lever : levers) {
    gains.emplace_back(table.number(lever.column, row), lever.what);
    rest -= gains.back().first;
  }
  std::stable_sort(gains.begin(), gains.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  text::TextTable text({"<  change", "saves", "<"});
  for (const auto& [gain, what] : gains)
    text.add({"  " + std::string(what), fmt::format("{:.3f} %", gain), text::show_bar(gain, bar_width)});
  text.add({"  not affected", fmt::format("{:.3f} %", rest), text::show_bar(rest, bar_width)});
  std::string out = "\nsensitivities of the step time (critical path, choices held fixed)\n" + text.text();
  const double step = table.number("step_time", row), median = table.number("step_time_p50", row);
  if (std::isfinite(median))
    out += fmt::format("\nwith GPUs of unequal speed: median {} (+{})\n", text::show_time(median),
                       text::show_share(median / step - 1.0));
  if (const double p90 = table.number("step_time_p90", row); std::isfinite(p90))
    out += fmt::format("{}nine of ten runs take no longer than {} (+{})\n", std::isfinite(median) ? "" : "\n",
                       text::show_time(p90), text::show_share(p90 / step - 1.0));
  return out;
}

}  // namespace echo::query
