// Problem: whether an expression ever has a value depends on the combinations that reach it. Idea: walk the
// tree of combinations depth first, as the search does, until every rule that divides has had a value. In a
// sweep as it should be, that is after the first few; what has had none when the whole tree was walked never
// has one.
#include "sweep/space/divided_by_zero.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/at.hpp"
#include "sweep/language/point_state.hpp"

namespace echo::sweep {

namespace {

constexpr std::int64_t most_nodes = 200'000;  // some tens of milliseconds

bool divides(const Code& code) {
  return std::any_of(code.instructions.begin(), code.instructions.end(), [](const Instruction& one) {
    return one.op == Op::divide_exact || one.op == Op::divide_real || one.op == Op::floor_divide ||
           one.op == Op::floor_divide_real || one.op == Op::modulo || one.op == Op::modulo_real;
  });
}

RuleProblem problem_of(std::int32_t rule, std::int32_t place, std::string what) {
  return {rule, {place, 1, std::move(what), "mend the divisor", "", {}}, {}, false};
}

class Walk {
 public:
  explicit Walk(const simulate::Catalog& catalog) : catalog_(catalog) {}

  void go(const Program& program) {
    PointState state(program);
    for (const std::vector<Step>& level : program.steps)
      for (const Step& step : level) {
        const bool is_written = step.rule != no_rule && program.rules[at(step.rule)].source >= 0;
        if (is_written && divides(step.code)) without_value_.try_emplace(step.rule, -1);
      }
    for (const std::int32_t rule : with_value_) without_value_.erase(rule);
    below(program, 0, state);
  }

  // What was found, by rule: the place of the division.
  [[nodiscard]] std::map<std::int32_t, std::int32_t> found() const {
    return nodes_ > most_nodes ? std::map<std::int32_t, std::int32_t>() : without_value_;
  }

 private:
  void look_at(const Step& step, const PointState& state) {
    const auto open = without_value_.find(step.rule);
    if (open == without_value_.end()) return;
    if (std::any_of(step.reads.begin(), step.reads.end(),
                    [&](std::int32_t slot) { return state.defined[at(slot)] == 0; }))
      return;
    const auto zero_at = divides_by_zero(step.code, state.slot);
    if (zero_at) {
      open->second = *zero_at;
    } else {  // it has one, or none for another reason
      with_value_.insert(step.rule);
      without_value_.erase(open);
    }
  }

  void below(const Program& program, std::size_t depth, PointState& state) {
    if (without_value_.empty() || ++nodes_ > most_nodes) return;
    for (const Step& step : program.steps[depth]) {
      look_at(step, state);
      if (!run_step(program, catalog_, step, state)) return;
    }
    if (depth == program.dimensions.size()) return;
    for (std::int64_t digit = 0; digit < program.size_of(depth); ++digit) {
      assign(program, depth, digit, state);
      below(program, depth + 1, state);
    }
  }

  const simulate::Catalog& catalog_;
  std::map<std::int32_t, std::int32_t> without_value_;  // rule, place of its division; -1: not met yet
  std::set<std::int32_t> with_value_;
  std::int64_t nodes_ = 0;
};

}  // namespace

std::vector<RuleProblem> rules_divided_by_zero(std::span<const Program> programs,
                                               const simulate::Catalog& catalog) {
  std::vector<RuleProblem> out;
  if (programs.empty()) return out;
  Walk walk(catalog);
  for (const Program& program : programs) walk.go(program);
  std::int32_t rules = 0;  // of the spec
  for (const RuleName& rule : programs.front().rules) rules = std::max(rules, rule.source + 1);
  for (const auto& [rule, place] : walk.found()) {
    const RuleName& name = programs.front().rules[at(rule)];
    if (place >= 0)
      out.push_back(problem_of(name.source, place,
                               "this divides by zero in every combination, so that no point is left"));
  }
  const std::vector<CompiledLimit>& limits = programs.front().limits;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const Code& bound = limits[i].bound;
    const auto zero_at = bound.reads.empty() ? divides_by_zero(bound, {}) : std::nullopt;
    if (zero_at)
      out.push_back(problem_of(rules + static_cast<std::int32_t>(i), *zero_at,
                               "this divides by zero, so that the limit is never broken"));
  }
  return out;
}

}  // namespace echo::sweep
