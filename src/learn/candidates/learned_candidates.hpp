// Learned candidates: rates by name, and functions of the features on top of a foundation.
#pragma once

#include "learn/candidates/candidates.hpp"

namespace echo::learn {

enum class Function : std::int8_t { trees, network };

// The base of a function, which learns its residual.
enum class Foundation : std::int8_t {
  nothing,
  families,             // feature set `metrics`
  white_box,            // feature set `simulator`
  white_box_of_metrics  // feature set `metrics`; shown only
};

// Feature set `metrics`.
[[nodiscard]] Candidate families();
[[nodiscard]] Candidate learned(Function, Foundation);

}  // namespace echo::learn
