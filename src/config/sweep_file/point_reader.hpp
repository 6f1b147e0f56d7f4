// Reads the choices of one point from the command line.
#pragma once

#include <string>
#include <vector>

#include "config/sweep_file/sweep_file.hpp"

namespace echo::config {

// "tp=8", "tp=8,schedule=zb-h1": one value each, as [space] would read it. An NCCL version or layer split
// that is new is added to the catalog. Throws UserError with every problem.
[[nodiscard]] std::vector<sweep::AxisColumn> read_choices(const std::vector<std::string>& choices,
                                                          SweepInputs&);

}  // namespace echo::config
