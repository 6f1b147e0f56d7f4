// The slots of a program that are still relevant at a given depth of the search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/language/point_state.hpp"
#include "sweep/language/program.hpp"

namespace echo::sweep {

// Depth d means: the first d dimensions are fixed and levels 0..d of the program have run.
struct Relevance {
  std::vector<std::vector<const Step*>> steps;   // [level] those that test, or feed a test
  std::vector<bool> dimension;                   // [dimension] whether any of those reads it
  std::size_t last_test = 0;                     // level of the last test; nothing to learn beyond it
  std::vector<std::vector<std::int32_t>> carry;  // [depth] slots written so far that a later step reads
};

// Where only rules before `cutoff` are of interest. Keeps pointers into `program`.
[[nodiscard]] Relevance relevance_of(const Program& program, std::int32_t cutoff);

// The values that decide everything below `depth`: equal texts, equal subtrees. Appends to `key`.
void append_carried(const Relevance&, std::size_t depth, const PointState&, std::string& key);

}  // namespace echo::sweep
