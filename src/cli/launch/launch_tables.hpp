// The tables of launch settings that the command line names.
#pragma once

#include <string>
#include <vector>

#include "launch_flags/table.hpp"

namespace echo::cli {

// Those of the folders that --preset-path names, and the built-in ones.
[[nodiscard]] std::vector<launch_flags::Table> launch_tables(const std::vector<std::string>& preset_paths);

// UserError, which lists them, for want of one of this name.
[[nodiscard]] const launch_flags::Table& table_named(const std::vector<launch_flags::Table>&,
                                                     const std::string& name);

// The table of the framework that a config is simulated as: "torchtitan" of "torchtitan-2025", too.
// UserError, which lists all tables, where none is of that framework.
[[nodiscard]] const launch_flags::Table& table_of_framework(const std::vector<launch_flags::Table>&,
                                                            const std::string& framework);

}  // namespace echo::cli
