// The learned slowdown model of a result file, read again, or of an option.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "results/provenance.hpp"
#include "simulate/calibration.hpp"

namespace echo::explain {

inline constexpr const char* learned_mark = "slowdown:";  // before its name among a file's inputs

// Its image, for slowdown::LearnedView; empty where the rows were priced without one. `problem` says where it
// is gone or holds something else now; it is left out then.
[[nodiscard]] std::string learned_again(const std::vector<results::InputFile>&, std::string& problem);

// As [simulate] slowdown has it: auto, off, contention, or the file of a learned model, from where the
// program runs. Returns what known.learned looks at, null where that is nothing. UserError, 2.
[[nodiscard]] std::unique_ptr<const std::string> choose_slowdown(const std::string& choice,
                                                                 simulate::Calibration& calibration);

}  // namespace echo::explain
