// Cache of subtrees of the search without any surviving combination. Subtrees with the same relevant values
// are skipped: rules that read the last axis would otherwise be evaluated again below every combination of
// the earlier axes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "sweep/space/relevance.hpp"

namespace echo::sweep {

class DeadEnds {
 public:
  explicit DeadEnds(const Program& program);  // keeps pointers into it
  void restart();                             // a walk begins, at the root
  void jump(std::size_t depth);               // nodes below `depth` are left where they stood
  // The search enters a node at `depth`; `whole`: from its first combination. False where it is known dead.
  bool enter(std::size_t depth, const PointState& state, bool whole);
  // The node at `depth` is exhausted; `state` still holds what was fixed above it.
  void leave(std::size_t depth, const PointState& state);
  void found_one();  // the search stands on a survivor

 private:
  Relevance relevance_;
  std::vector<bool> watched_;      // [depth] where equal values can come up again
  std::vector<bool> may_be_dead_;  // [depth] of the current node: entered whole, no survivor so far
  std::vector<std::unordered_set<std::string>> dead_;  // [depth] looked up, never iterated
  std::size_t known_ = 0;                              // dead ends of all depths
  std::string key_;
};

}  // namespace echo::sweep
