#include "query/text/rule_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulate/schedule_rules.hpp"
#include "text/show_quantity.hpp"

namespace echo::query {

std::string rule_said(const std::string& word) {
  const Refusal refusal = simulate::refusal_named(word);
  if (!refusal) {
    std::string text = word;
    std::ranges::replace(text, '_', ' ');
    return text;
  }
  std::string axes = refusal.axes;
  for (std::size_t at = 0; (at = axes.find(' ', at)) != std::string::npos; at += 2) axes.replace(at, 1, ", ");
  return fmt::format("{} ({})", refusal.text, axes);
}

std::string rules_text(const std::vector<ReasonCount>& counts, std::size_t most) {
  std::string text;
  std::size_t shown = 0, rules = 0;
  for (const ReasonCount& count : counts) {
    if (count.rule.empty()) continue;
    ++rules;
    if (shown == most) continue;
    ++shown;
    text += fmt::format("  {:>9}  {}\n", text::show_count(count.rows), rule_said(count.rule));
  }
  if (rules > shown)
    text += fmt::format("  and {} rules more: echo-sweep top FILE --infeasible\n", rules - shown);
  return text;
}

}  // namespace echo::query
