// Reads a learned slowdown model named in a sweep.
#pragma once

#include <optional>
#include <string>

#include "base/problems.hpp"

namespace echo::config {

struct LearnedInput {
  std::string image;   // for slowdown::LearnedView
  std::string digest;  // of the file, XXH3-128
};

// Reads the file at `path`, named at `place`. Errors: no such file, not a model, a damaged model, or a model
// of profiler metrics, which a sweep does not have. Warns if the model does not beat a baseline on held-out
// rows, or has no such comparison.
[[nodiscard]] std::optional<LearnedInput> read_learned_model(const std::string& path, const Place& place,
                                                             Problems&);

}  // namespace echo::config
