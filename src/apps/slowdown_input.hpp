// The learned slowdown model of a result file, read again.
#pragma once

#include <string>
#include <vector>

#include "results/provenance.hpp"

namespace echo::apps {

inline constexpr const char* learned_mark = "slowdown:";  // before its name among a file's inputs

// Its image, for slowdown::LearnedView; empty where the rows were priced without one. `problem` says where it
// is gone or holds something else now; it is left out then.
[[nodiscard]] std::string learned_again(const std::vector<results::InputFile>&, std::string& problem);

}  // namespace echo::apps
