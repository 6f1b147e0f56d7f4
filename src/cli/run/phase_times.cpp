#include "cli/run/phase_times.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/text_table.hpp"

namespace echo::cli {

double PhaseTimes::take() {
  const auto now = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
}

void PhaseTimes::end(std::string name) { phases_.emplace_back(std::move(name), take()); }

void PhaseTimes::end_two(std::string first, double seconds, std::string second) {
  const double both = take();
  phases_.emplace_back(std::move(first), std::min(seconds, both));
  phases_.emplace_back(std::move(second), std::max(0.0, both - seconds));
}

std::string PhaseTimes::text() const {
  text::TextTable table({"<phase", "seconds"});
  for (const auto& [name, seconds] : phases_) table.add({name, fmt::format("{:.3f}", seconds)});
  return table.text();
}

}  // namespace echo::cli
