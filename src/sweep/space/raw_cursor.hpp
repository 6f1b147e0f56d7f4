// Iterates over the combinations that no rule removes, in order, and skips whole subtrees as early as a rule
// decides.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sweep/language/point_state.hpp"
#include "sweep/space/dead_ends.hpp"
#include "sweep/space/raw_space.hpp"

namespace echo::sweep {

class RawCursor {
 public:
  explicit RawCursor(const RawSpace& space);  // keeps a reference
  // Goes to the first kept combination in [raw, end); false where there is none. Contract: 0 <= raw.
  bool find(std::int64_t raw, std::int64_t end);
  // The next one before `end`. Contract: the last find() or next() was true.
  bool next(std::int64_t end);

  // The current combination.
  [[nodiscard]] std::int64_t raw() const { return raw_; }
  [[nodiscard]] std::size_t group() const { return group_; }
  [[nodiscard]] const std::vector<std::int64_t>& digits() const { return digits_; }
  [[nodiscard]] const PointState& state() const { return *state_; }
  [[nodiscard]] std::int64_t nodes() const { return nodes_; }  // digits tried so far: the cost of the walk

 private:
  void enter(std::size_t group);
  bool settle(std::int64_t end);
  bool step_over();
  const RawSpace* space_;
  std::vector<std::unique_ptr<DeadEnds>> dead_ends_;  // [group], made when entered
  std::unique_ptr<PointState> state_;
  std::size_t group_ = SIZE_MAX, depth_ = 0;  // the first depth_ digits are in the state
  std::int64_t raw_ = 0, nodes_ = 0;
  bool is_found_ = false;  // digits_ are those of raw_, a kept combination
  bool empty_ = false;     // a rule that reads no axis removes the whole group
  std::vector<std::int64_t> digits_, scratch_;
};

}  // namespace echo::sweep
