// Published training steps predicted with constants fitted without their publication.
#pragma once

#include <span>

namespace echo::calibrate {

// `echo-calibrate held-out [--table FILE] [--out FILE.csv]`: for each publication (`source`) of a table of
// steps, takes back what was fitted on its rows, fits again on the other publications where they allow it,
// and predicts its rows. Prints the errors by stratum and by publication beside those of the constants as
// shipped; the file has `row,source,stratum,measured,shipped,predicted`, times in seconds.
int run_held_out(std::span<char*> args);

}  // namespace echo::calibrate
