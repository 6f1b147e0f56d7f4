#include "query/rank/levers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "results/rank/kept_findings.hpp"
#include "training/feasibility.hpp"

namespace echo::query {

static bool say_the_same(const results::ResultRows& rows, const std::string& a, const std::string& b) {
  const std::array<std::string, 3> columns{"status", a, b};
  std::map<double, double> second_of, first_of;
  for (results::Scan scan(rows, columns); scan.next();) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(scan.count()); ++i) {
      if (static_cast<training::Status>(scan.values(0)[i]) != training::Status::ok) continue;
      const double first = scan.values(1)[i], second = scan.values(2)[i];
      if (second_of.emplace(first, second).first->second != second) return false;
      if (first_of.emplace(second, first).first->second != first) return false;
    }
  }
  return true;
}

std::vector<results::MainEffect> levers_of(const results::ResultRows& rows, const std::string& metric) {
  const std::vector<std::string>& axes = rows.state().axes;
  std::vector<results::MainEffect> levers;
  auto effects = results::kept_effects(rows, metric);
  if (!effects) effects = results::main_effects(rows, metric, axes);
  for (results::MainEffect& effect : *effects) {
    if (!axes.empty() && std::ranges::find(axes, effect.axis) == axes.end()) continue;
    const bool is_alias =
        std::ranges::any_of(levers, [&](const results::MainEffect& other) {  // of equal groups
          return std::abs(other.share - effect.share) < 1e-9 && say_the_same(rows, other.axis, effect.axis);
        });
    if (!is_alias) levers.push_back(std::move(effect));
  }
  return levers;
}

}  // namespace echo::query
