// Learned slowdown models that a sweep names.
#pragma once

#include <optional>
#include <string>

#include "base/problems.hpp"

namespace echo::config {

struct LearnedInput {
  std::string image;   // for slowdown::LearnedView
  std::string digest;  // of the file, XXH3-128
};

// The file at `path`, which is named at `place`. Errors: no such file, no model or a damaged one, one of what
// profilers measure, which a sweep does not know. A warning where the model's own evidence says that it is no
// better than a baseline on rows it was not trained on, or says nothing.
[[nodiscard]] std::optional<LearnedInput> read_learned_model(const std::string& path, const Place& place,
                                                             Problems&);

}  // namespace echo::config
