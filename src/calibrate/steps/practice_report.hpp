// The command that derives which choices published runs have exercised.
#pragma once

#include <map>
#include <span>
#include <string>

#include "config/measured/measured_steps.hpp"
#include "simulate/calibration.hpp"

namespace echo::calibrate {

// By publication: the scored runs of a table that the simulator accepts.
using Practices = std::map<std::string, simulate::Practice>;
[[nodiscard]] Practices practices_of(const config::MeasuredSteps&, const simulate::Calibration&);

// Those of all publications but one.
[[nodiscard]] simulate::Practice practice_without(const Practices&, const std::string& publication);

// `echo-calibrate practice [--table FILE] [--out FILE]`: prints or writes the file of the catalog.
int run_practice(std::span<char*> args);

}  // namespace echo::calibrate
