#include "sweep/space/count_space.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "sweep/space/tree_estimate.hpp"

namespace echo::sweep {

namespace {

// Sums over sub-spaces, [bucket].
struct Totals {
  explicit Totals(std::size_t buckets)
      : exact(buckets, 0), mean(buckets, 0.0), variance(buckets, 0.0), unseen(buckets, 0.0) {}
  std::vector<std::int64_t> exact;
  std::vector<double> mean, variance;
  std::vector<double> unseen;  // how much may hide where no descent found any
  bool estimated = false;

  [[nodiscard]] Count count(std::size_t bucket, std::int64_t raw) const {
    if (!estimated || (mean[bucket] == 0.0 && unseen[bucket] == 0.0)) return exactly(exact[bucket]);
    constexpr double two_sided_95 = 1.959964;
    const auto base = static_cast<double>(exact[bucket]), top = static_cast<double>(raw);
    const double half = two_sided_95 * std::sqrt(variance[bucket]);
    const auto whole = [&](double x) { return static_cast<std::int64_t>(std::clamp(x, 0.0, top)); };
    return {whole(std::round(base + mean[bucket])),
            whole(std::floor(base + std::max(0.0, mean[bucket] - half))),
            whole(std::ceil(base + mean[bucket] + half + unseen[bucket]))};
  }
};

// Exact counts where the budget allows, else estimates.
void add_group(const Program& program, const simulate::Catalog& catalog, std::uint64_t seed,
               std::int64_t node_budget, Totals& totals) {
  SubtreeCounter counter(program, catalog);
  PointState state(program);
  std::vector<std::int64_t> counts(counter.buckets(), 0);
  std::int64_t budget = node_budget;
  const SearchNode root{0, counter.run(0, counter.nothing_failed(), state)};
  if (counter.add_below(root, 1, state, counts, budget)) {
    for (std::size_t b = 0; b < counts.size(); ++b) totals.exact[b] += counts[b];
    return;
  }
  totals.estimated = true;
  const Estimate estimate = estimate_counts(program, counter, seed, node_budget);
  for (std::size_t b = 0; b < counts.size(); ++b) {
    totals.mean[b] += estimate.mean[b];
    totals.variance[b] += estimate.variance[b];
    // A descent meets a combination at least as often as a uniform draw does, so the probability that n
    // descents miss a share s of them is at most (1 - s)^n: 5 % at s = 3 / n.
    if (estimate.mean[b] == 0.0)
      totals.unseen[b] +=
          3.0 / static_cast<double>(estimate.descents) * static_cast<double>(counter.below(0));
  }
}

// The program with `rule` as its only rule.
Program only_rule(Program program, std::int32_t rule) {
  for (std::vector<Step>& level : program.steps) {
    for (Step& step : level) step.rule = step.rule == rule ? 0 : no_rule;
  }
  program.rules = {program.rules[at(rule)]};
  return program;
}

void add_rule(const RuleName& rule, Count removed, std::vector<RuleCount>& out) {
  if (!rule.implied || removed.value > 0) out.push_back({rule.name, removed, rule.tests});
}

}  // namespace

const Rule* written_rule(const SweepSpec& spec, const std::string& name) {
  const auto found = std::ranges::find_if(spec.rules, [&](const Rule& rule) {
    return (rule.kind == RuleKind::derive ? "derive " : "") + rule.name == name;
  });
  return found == spec.rules.end() ? nullptr : &*found;
}

SpaceCount count_space(const RawSpace& space, const CountOptions& options) {
  const std::vector<RuleName>& rules = space.program(0).rules;
  Totals totals(rules.size() + 1);
  const auto groups = static_cast<std::int64_t>(space.groups());
  for (std::size_t g = 0; g < space.groups(); ++g) {
    add_group(space.program(g), space.catalog(), options.seed + g, options.node_budget / groups, totals);
  }
  SpaceCount found{.raw = space.size(), .exact = !totals.estimated, .rules = {}, .kept = {}};
  for (std::size_t r = 0; r < rules.size(); ++r)
    add_rule(rules[r], totals.count(r, space.size()), found.rules);
  found.kept = totals.count(rules.size(), space.size());
  return found;
}

std::vector<RuleCount> count_rules_alone(const RawSpace& space, const CountOptions& options) {
  const std::vector<RuleName>& rules = space.program(0).rules;
  const auto shares = static_cast<std::int64_t>(space.groups() * std::max<std::size_t>(rules.size(), 1));
  std::vector<RuleCount> found;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    Totals totals(2);
    for (std::size_t g = 0; g < space.groups(); ++g) {
      const Program alone = only_rule(space.program(g), static_cast<std::int32_t>(r));
      add_group(alone, space.catalog(), options.seed + g, options.node_budget / shares, totals);
    }
    add_rule(rules[r], totals.count(0, space.size()), found);
  }
  return found;
}

}  // namespace echo::sweep
