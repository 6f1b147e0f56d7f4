// Readers of launch files, one for each format. Every mistake is a problem with its place.
#pragma once

#include <string>

#include "base/problems.hpp"
#include "launch_flags/settings.hpp"

namespace echo::launch_flags {

inline constexpr std::size_t most_settings = 20'000;       // of one file
inline constexpr std::size_t most_launch_bytes = 4 << 20;  // of one file

// A shell script, or the flags alone. Variables and arrays are followed, arithmetic is done; of if and for
// every branch is read, in order; case is passed over. Exported variables are settings "env:NAME", and so are
// #SBATCH lines "--nodes". A script whose commands have no flags gives those of its variables.
[[nodiscard]] Settings read_shell(const std::string& text, const std::string& file, Problems&);

// YAML: maps give "a.b", lists of scalars one value, other lists "a.0.b", or
// "a.[Name].b" of an object whose `_target_` is x.y.Name. ${a.b} is replaced by what stands there.
[[nodiscard]] Settings read_yaml(const std::string& text, const std::string& file, Problems&);

[[nodiscard]] Settings read_json(const std::string& text, const std::string& file, Problems&);

}  // namespace echo::launch_flags
