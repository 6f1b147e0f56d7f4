// Completion of echo-sweep's command line, as scripts that bash and zsh load.
#pragma once

#include <span>
#include <string>

#include "cli/command.hpp"

namespace echo::cli {

// Complete commands, options and the values of choices; file names everywhere else.
[[nodiscard]] std::string bash_completion(std::span<const DeclaredCommand> commands);
[[nodiscard]] std::string zsh_completion(std::span<const DeclaredCommand> commands);

}  // namespace echo::cli
