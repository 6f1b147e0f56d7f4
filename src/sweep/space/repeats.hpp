// Detects combinations that repeat an earlier config once irrelevant values are ignored, without a table of
// previous configs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sweep/space/point_configs.hpp"
#include "sweep/space/raw_cursor.hpp"

namespace echo::sweep {

class RepeatTest {
 public:
  explicit RepeatTest(const RawSpace& space);  // keeps a reference
  // The first kept combination before the one `at` stands on that has its normalised config; nothing where
  // there is none.
  [[nodiscard]] std::optional<std::int64_t> first_twin(const RawCursor& at);
  [[nodiscard]] bool is_repeat(const RawCursor& at) { return first_twin(at).has_value(); }
  // The normalised config of the combination `at` stands on.
  [[nodiscard]] const training::TrainingConfig& config_of(const RawCursor& at);

 private:
  // The digits of one dimension in the order of their first column's value.
  struct Dimension {
    std::vector<std::pair<std::int64_t, std::int64_t>> by_value;  // (value, digit), ascending
    bool lists_twice = false;                                     // two digits of it are the same values
  };
  struct Group {
    std::vector<Dimension> dimensions;
    std::unique_ptr<PointState> state;
    std::vector<std::int64_t> digits;                   // of the combination under trial
    std::vector<std::vector<std::int64_t>> candidates;  // [dimension] digits a twin may have, ascending
    bool alive = true;                                  // level 0 removes nothing
    bool lists_twice = false;                           // any dimension does
    AxisSet loose;                                      // those listed that may not matter
    // Whether two combinations can be one config.
    [[nodiscard]] bool may_differ() const { return lists_twice || loose.any(); }
  };
  bool find_own_candidates(const RawCursor& at, const AxisSet& irrelevant);
  bool find_candidates(std::size_t group, std::size_t dimension, const PointState&,
                       const AxisSet& irrelevant);
  bool search(std::size_t group, std::size_t depth, const RawCursor& at, bool earlier);

  const RawSpace* space_;
  std::vector<Group> groups_;
  PointConfigs own_, tried_;  // of the combination under test; of those that may be its twins
  std::size_t first_ = 0;     // dimension of the combination under test from which on twins may differ
};

}  // namespace echo::sweep
