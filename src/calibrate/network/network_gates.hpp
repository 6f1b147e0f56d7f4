// Accuracy gates of collective times, on rows held out of the fits.
#pragma once

#include <span>

namespace echo::calibrate {

// Prints every gate with its figure, its limit and what it is made of; 0 where all hold, 1 otherwise. The
// tables are in `folder`.
[[nodiscard]] int check_networks(const char* folder, bool shows_families);

}  // namespace echo::calibrate
