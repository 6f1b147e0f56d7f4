// Counts the combinations that the rules of a sweep keep, and those that each rule removes, without visiting
// all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/space/raw_space.hpp"

namespace echo::sweep {

// A number of combinations; low = value = high where it is exact, else the ends of a 95 % interval.
struct Count {
  std::int64_t value = 0, low = 0, high = 0;
  [[nodiscard]] bool is_exact() const { return low == high; }
  friend bool operator==(const Count&, const Count&) = default;
};
[[nodiscard]] constexpr Count exactly(std::int64_t value) { return {value, value, value}; }

struct RuleCount {
  std::string name;
  Count removed;
  bool tests = false;  // a [[keep]]: it is there to remove something
  friend bool operator==(const RuleCount&, const RuleCount&) = default;
};

// The rule of the sweep that is counted under this name; null where the sweep does not write it.
[[nodiscard]] const Rule* written_rule(const SweepSpec&, const std::string& name);

struct SpaceCount {
  std::int64_t raw = 0;
  bool exact = true;  // every number here
  std::vector<RuleCount>
      rules;   // file order; those the file does not write stand here only if they remove something
  Count kept;  // by no rule removed; repeats included
};

struct CountOptions {
  std::uint64_t seed = 0;
  // Values tried before counting gives way to estimating, and again while estimating: a few seconds.
  std::int64_t node_budget = 2'000'000;
};

// Each combination counts for the first rule, in file order, that removes it. Where sub-spaces are counted
// exactly and others not, their numbers are added all the same. The same seed gives the same numbers.
[[nodiscard]] SpaceCount count_space(const RawSpace& space, const CountOptions& options);

// Each rule by itself, as if the others were not there; what cannot be derived is removed by its derivation
// alone.
[[nodiscard]] std::vector<RuleCount> count_rules_alone(const RawSpace& space, const CountOptions& options);

}  // namespace echo::sweep
