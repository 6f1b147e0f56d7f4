// Reads launch files of any framework, and finds out which framework one is of.
#pragma once

#include <string>
#include <vector>

#include "base/problems.hpp"
#include "launch_flags/table.hpp"

namespace echo::config {

struct LaunchFile {
  launch_flags::Settings settings;
  const launch_flags::Table* table = nullptr;  // of `tables`; null where there is a problem
};

// `framework`: the name of a table; empty: that table of the file's format which knows most of its keys. The
// format follows from the file's name: .toml, .json, .yaml, .yml, else a script or flags. YAML may also hold
// what is said by flags, as Megatron-LM's --yaml-cfg reads it: the last part of a key is the flag's name.
[[nodiscard]] LaunchFile read_launch_file(const std::string& path, const std::string& text,
                                          const std::vector<launch_flags::Table>& tables,
                                          const std::string& framework, Problems&);

}  // namespace echo::config
