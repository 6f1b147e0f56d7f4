// The command line of echo-overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profilers/overlap/communication_plan.hpp"

namespace echo::profilers {

struct OverlapOptions {
  std::string out;      // the dataset; empty only where nothing is written
  std::string kernels;  // a table; empty = the built-in list
  CommunicationChoices beside;
  std::int32_t device = 0;
  double budget = 480.0;  // seconds, from start to end
  std::int32_t rounds = 5;
  std::uint64_t seed = 1;
  bool names_beside = false;  // the user chose what runs beside
  bool counters = true, is_dry_run = false, collects_counters = false;
  std::string command;  // as it was typed
};

// Nothing where the user asked for help, which is printed. UserError, 2, for what does not parse or is out of
// range.
[[nodiscard]] std::optional<OverlapOptions> parse_options(const std::vector<std::string>& arguments);

// Arguments of the process that collects counters for the same kernels on the same GPU.
[[nodiscard]] std::vector<std::string> counter_arguments(const OverlapOptions&);

}  // namespace echo::profilers
