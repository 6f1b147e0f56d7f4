// The manual page echo-sweep(1), in roff.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/command.hpp"

namespace echo::cli {

// Every command with its options. The page has no date, so that one version has one text.
[[nodiscard]] std::string manual_page(std::span<const DeclaredCommand> commands, std::string_view version);

}  // namespace echo::cli
