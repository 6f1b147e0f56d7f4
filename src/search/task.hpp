// The units of work of a search, and what comes of them. Both are values that travel between workers.
#pragma once

#include <cstdint>
#include <vector>

#include "search/aims.hpp"
#include "search/ordered_space.hpp"

namespace echo::search {

// What became of a set, or of a point. Values are fixed in hdf5_schemas/results_v1.toml.
enum class Fate : std::int8_t {
  open,         // not decided: its points may be among the best
  unsupported,  // every member breaks a rule of its framework or schedule
  memory,       // no member fits the memory with the chance that a ranking asks for
  repeat,       // the config of an earlier combination
  bound,        // no member can be among the best: its bound says so
  simulated     // a point, simulated
};

// A set that the search looks at, or a point: of the tier where combinations are single.
struct Node {
  Stretch stretch;
  std::int32_t group = 0, tier = 0;  // tier -1: a part of the whole space
  std::int64_t members = 0;          // combinations that no rule of the sweep removes
  std::int64_t first_filed = 0;      // the least number of a member, in the order of the file
  Fate fate = Fate::open;
  Costs least{no_bound, no_bound};  // of a simulated point: its costs
  bool is_sliced = false;           // all members are of one slice,
  std::vector<std::int64_t> slice;  // with these values of `per`
  friend bool operator==(const Node&, const Node&) = default;
};

// What a task leaves: parts that cover all members of its node; of a point, the point.
struct Outcome {
  std::vector<Node> parts;
  // These two are said of a point that was simulated.
  bool is_eligible = false;  // it may be ranked
  bool is_failed = false;
};

}  // namespace echo::search
