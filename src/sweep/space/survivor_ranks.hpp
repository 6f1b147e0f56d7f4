// The n-th combination that no rule removes, found without enumerating those before it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sweep/space/raw_space.hpp"
#include "sweep/space/subtree_counter.hpp"

namespace echo::sweep {

// The program with all its rules counted as one: for counts in which it does not matter which of them fails.
[[nodiscard]] Program with_one_rule(Program program);

class SurvivorRanks {
 public:
  // Counts the survivors of every sub-space; nothing where that takes more than `node_budget` values.
  [[nodiscard]] static std::optional<SurvivorRanks> of(const RawSpace& space, std::int64_t node_budget);

  [[nodiscard]] std::int64_t size() const { return total_; }  // survivors, repeats included
  // The raw index of survivor `rank`. Contract: 0 <= rank < size().
  [[nodiscard]] std::int64_t raw_at(std::int64_t rank);

 private:
  struct Group {
    std::unique_ptr<Program> program;  // all rules counted as one: which of them fails does not matter
    std::unique_ptr<SubtreeCounter> counter;
    std::int64_t survivors = 0;
  };
  explicit SurvivorRanks(const RawSpace& space) : space_(&space) {}
  [[nodiscard]] std::int64_t count_below(Group& group, SearchNode node, PointState& state) const;
  const RawSpace* space_;
  std::vector<Group> groups_;
  std::int64_t total_ = 0;
};

}  // namespace echo::sweep
