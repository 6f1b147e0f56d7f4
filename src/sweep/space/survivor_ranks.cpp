#include "sweep/space/survivor_ranks.hpp"

#include <array>

#include "base/contract.hpp"

namespace echo::sweep {

namespace {

constexpr std::int32_t passed = 1;  // cutoff of a program with one rule that has not failed

}  // namespace

Program with_one_rule(Program program) {
  for (std::vector<Step>& level : program.steps) {
    for (Step& step : level) step.rule = step.rule == no_rule ? no_rule : 0;
  }
  program.rules = {{"any", true}};
  return program;
}

std::optional<SurvivorRanks> SurvivorRanks::of(const RawSpace& space, std::int64_t node_budget) {
  SurvivorRanks ranks(space);
  for (std::size_t g = 0; g < space.groups(); ++g) {
    Group group{std::make_unique<Program>(with_one_rule(space.program(g))), nullptr, 0};
    group.counter = std::make_unique<SubtreeCounter>(*group.program, space.catalog());
    PointState state(*group.program);
    std::array<std::int64_t, 2> counts{};
    const SearchNode root{0, group.counter->run(0, passed, state)};
    if (!group.counter->add_below(root, 1, state, counts, node_budget)) return std::nullopt;
    group.survivors = counts[passed];
    ranks.total_ += group.survivors;
    ranks.groups_.push_back(std::move(group));
  }
  return ranks;
}

std::int64_t SurvivorRanks::count_below(Group& group, SearchNode node, PointState& state) const {
  if (node.cutoff != passed) return 0;
  std::array<std::int64_t, 2> counts{};
  std::int64_t unbounded = INT64_MAX;
  const bool counted = group.counter->add_below(node, 1, state, counts, unbounded);
  ECHO_ENSURE(counted);
  return counts[passed];
}

std::int64_t SurvivorRanks::raw_at(std::int64_t rank) {
  ECHO_EXPECT(rank >= 0 && rank < total_);
  std::size_t g = 0;
  while (rank >= groups_[g].survivors) rank -= groups_[g++].survivors;
  Group& group = groups_[g];
  const Relevance& relevance = group.counter->relevance(passed);
  PointState state(*group.program);
  (void)group.counter->run(0, passed, state);
  std::vector<std::int64_t> digits(group.program->dimensions.size(), 0);
  for (std::size_t d = 0; d < digits.size(); ++d) {
    if (relevance.last_test <= d || !relevance.dimension[d]) {  // every digit has as many below it
      const std::int64_t each = count_below(group, {d + 1, passed}, state);
      digits[d] = rank / each;
      rank %= each;
      continue;
    }
    for (;; ++digits[d]) {
      ECHO_ENSURE(digits[d] < group.program->size_of(d));
      assign(*group.program, d, digits[d], state);
      const SearchNode child{d + 1, group.counter->run(d + 1, passed, state)};
      const std::int64_t below = count_below(group, child, state);
      if (rank < below) break;
      rank -= below;
    }
  }
  return space_->raw_of(g, digits);
}

}  // namespace echo::sweep
