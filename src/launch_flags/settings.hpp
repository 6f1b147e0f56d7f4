// What a launch file says, whatever its format: a list of keys with their values and places.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace echo::launch_flags {

// One setting. Keys: "--tensor-model-parallel-size" of flags, dashes in place of underscores;
// "parallelism.tp" of nested files; "env:NCCL_ALGO" of the environment. The value is text: "true" of a flag
// by itself; the members of a list are joined by blanks.
struct Setting {
  std::string key, value;
  Place place;
  friend bool operator==(const Setting& a, const Setting& b) { return a.key == b.key && a.value == b.value; }
};
using Settings = std::vector<Setting>;  // in order of the file; of equal keys the last one holds

inline constexpr const char* environment_prefix = "env:";

enum class Format { flags, yaml, toml, json };

}  // namespace echo::launch_flags
