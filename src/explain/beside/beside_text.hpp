// What a recorded step did, and how a simulated one differs, in words and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explain/beside/ledger.hpp"
#include "text/json.hpp"

namespace echo::explain {

// What a trace says about itself.
struct RecordedFacts {
  std::string file, gpu;               // gpu: as the driver names it; empty: not said
  std::string step;                    // its mark, "ProfilerStep#6"; empty: the whole file
  SimTime marked{};                    // duration of the mark on the host; zero: none
  std::int32_t rank = -1, world = -1;  // -1: not said
  std::vector<std::string> groups;     // "13: 2 ranks"; those whose communication was recorded
  std::vector<std::string> shapes;     // the commonest shapes of products, if any were recorded
  std::vector<std::string> notes;      // what could not be read off, and what follows
};

// The recorded side by itself: how its time divides, roles of kernels with their times alone and beside
// communication.
[[nodiscard]] std::string recorded_text(const RecordedFacts&, const Side&);
void add_recorded(text::Json&, const RecordedFacts&, const Side&);  // members of the open object

// Both sides: spans, exposed communication, kernels by role, and the ranked difference.
[[nodiscard]] std::string beside_text(const Beside&, const std::string& simulated_what);
void add_beside(text::Json&, const Beside&, const std::string& simulated_what);  // same

}  // namespace echo::explain
