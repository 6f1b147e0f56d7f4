// Published training steps predicted with constants fitted without their publication.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "calibrate/steps/step_errors.hpp"

namespace echo::calibrate {

// `echo-calibrate held-out [--stock] [--table FILE] [--out FILE.csv]`: for each publication (`source`) of a
// table of steps, takes back what was fitted on its rows, fits again on the other publications where they
// allow it, and predicts its rows. Prints the errors by stratum and by publication beside those of the
// constants as shipped; the file has `row,source,stratum,measured,shipped,predicted`, times in seconds.
// --stock: without what publications state about their runs either, frameworks as they come.
int run_held_out(std::span<char*> args);

// The errors of what `held-out`, or with Facts::stock `held-out --stock`, predicts, with the evidence that
// these predictions have.
[[nodiscard]] std::vector<StepError> unseen_errors(const std::string& table, Facts);

}  // namespace echo::calibrate
