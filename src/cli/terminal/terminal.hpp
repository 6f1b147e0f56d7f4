// Properties of the output stream and of the launch: terminal, colour, rank.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace echo::cli {

[[nodiscard]] bool is_terminal(std::FILE*);
// Characters of a line: COLUMNS of the environment, else what the terminal says; 0 where it is none, so that
// pipes and files have whole lines.
[[nodiscard]] std::int64_t line_width(std::FILE*);
// Colour only on a terminal, and never with --no-color or NO_COLOR (no-color.org) in the environment.
[[nodiscard]] bool wants_colour(std::FILE*, bool no_colour_flag);
[[nodiscard]] std::string bold(std::string_view text, bool colour);
[[nodiscard]] std::string red(std::string_view text, bool colour);

// Whether mpirun, srun or a similar launcher started this process, judged by the launchers' rank variables:
// starting MPI takes about a second, too long for commands that finish in less.
[[nodiscard]] bool is_launched();

// Whether this process prints for all before MPI is initialised; also judged by the rank variables.
[[nodiscard]] bool is_first_process();

}  // namespace echo::cli
