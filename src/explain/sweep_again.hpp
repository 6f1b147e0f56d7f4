// The sweep of a result file, to simulate more of its points.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/sweep_file/sweep_file.hpp"
#include "results/read_rows.hpp"

namespace echo::explain {

struct SweepAgain {
  config::SweepInputs inputs;                   // ready to simulate
  std::unique_ptr<const std::string> measured;  // data of its measured kernels
};

// From the text that the file keeps; presets, profiles, models and traces as their files are now. `sets`: as
// --set. Throws UserError where one of them is missing, or a profile has changed.
[[nodiscard]] SweepAgain sweep_again(const results::ResultFile&, const std::vector<std::string>& preset_paths,
                                     const std::vector<std::string>& sets = {});

}  // namespace echo::explain
