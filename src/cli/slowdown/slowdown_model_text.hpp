// Describes a learned slowdown model and the evidence for it.
#pragma once

#include <cstddef>
#include <string>

#include "slowdown/learned.hpp"

namespace echo::cli {

// `bytes`: size of its file.
[[nodiscard]] std::string model_text(const slowdown::LearnedModel&, const std::string& file,
                                     std::size_t bytes);
[[nodiscard]] std::string model_json(const slowdown::LearnedModel&, const std::string& file,
                                     std::size_t bytes);

}  // namespace echo::cli
