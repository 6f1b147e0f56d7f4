// Reads the learned slowdown model of a result file again, or one named by an option.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "results/provenance.hpp"
#include "simulate/calibration.hpp"

namespace echo::explain {

inline constexpr const char* learned_mark = "slowdown:";  // before its name among a file's inputs

// Its image, for slowdown::LearnedView; empty if the rows were priced without one. A model that is gone or
// has changed is left out and named in `problem`.
[[nodiscard]] std::string learned_again(const std::vector<results::InputFile>&, std::string& problem);

// As [simulate] slowdown: auto, off, contention, or the file of a learned model, relative to the working
// folder. Returns the bytes that known.learned refers to, or null. UserError 2.
[[nodiscard]] std::unique_ptr<const std::string> choose_slowdown(const std::string& choice,
                                                                 simulate::Calibration& calibration);

}  // namespace echo::explain
