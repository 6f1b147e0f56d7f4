// What kind of place the output goes to.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace echo::cli {

[[nodiscard]] bool is_terminal(std::FILE*);
// Colour only on a terminal, and never with --no-color or NO_COLOR (no-color.org) in the environment.
[[nodiscard]] bool wants_colour(std::FILE*, bool no_colour_flag);
[[nodiscard]] std::string bold(std::string_view text, bool colour);
[[nodiscard]] std::string red(std::string_view text, bool colour);

// Whether mpirun, srun or the like started this process, by the launchers' own rank variables: MPI itself
// takes a second to start alone, which a command of a fraction of that can do without.
[[nodiscard]] bool is_launched();

// Whether this process speaks for all before MPI is up: likewise.
[[nodiscard]] bool is_first_process();

}  // namespace echo::cli
