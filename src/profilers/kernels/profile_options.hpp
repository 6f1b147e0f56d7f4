// The command line of echo-profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace echo::profilers {

struct ProfileOptions {
  std::string out;                 // the profile; empty only where nothing is written
  std::string gaps, kernels;       // tables; both empty = the built-in grid
  std::vector<std::string> kinds;  // of kernels; empty = all
  std::string gpu;                 // a preset's name in place of the driver's
  std::string samples;             // every launch is written there too, as text
  std::string replay;              // such a file in place of a GPU
  std::int32_t device = 0;
  double budget = 600.0;  // seconds, from start to end
  std::int32_t trains = 3;
  std::uint64_t seed = 1;
  bool is_warm = false;   // operands in L2
  bool is_again = false;  // also what the file has
  bool is_dry_run = false;
  std::string command;  // as it was typed
};

// Nothing where the user asked for help, which is printed. UserError, 2, for what does not parse or is out of
// range.
[[nodiscard]] std::optional<ProfileOptions> parse_profile_options(const std::vector<std::string>& arguments);

}  // namespace echo::profilers
