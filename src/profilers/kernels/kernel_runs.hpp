// Times of the launches of one kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/kernel.hpp"
#include "profilers/sample_summary.hpp"

namespace echo::profilers {

// Launches one behind the other, in the order of their start.
struct LaunchTrain {
  std::vector<double> seconds;
  double clock_mhz = 0.0;  // of the SMs meanwhile; 0 = not known
  friend bool operator==(const LaunchTrain&, const LaunchTrain&) = default;
};

// Where and how, in words: what an origin of a profile holds.
struct RunOrigin {
  std::string library, how, date;
  friend auto operator<=>(const RunOrigin&, const RunOrigin&) = default;
};

// `machine`: GPU, driver and libraries. A warm origin is one whose operands were in L2.
[[nodiscard]] std::string how_text(const std::string& command, const std::string& machine, bool is_warm);
[[nodiscard]] bool is_warm(const std::string& how);

struct KernelRuns {
  std::string gpu;  // preset
  ops::KernelKey key;
  RunOrigin origin;
  std::vector<LaunchTrain> trains;
  friend bool operator==(const KernelRuns&, const KernelRuns&) = default;
};

// Launches in a train: 10 ms of them, 8 at least, and never so many that they fill the launch queue.
[[nodiscard]] std::int32_t launches_in_train(double kernel_seconds, std::int32_t kernels_per_launch);

// Median and spread of all launches but those at rest; nothing where fewer than three are left.
[[nodiscard]] std::optional<SampleSummary> summary_of(const std::vector<LaunchTrain>&);

// Whether enough has been measured: `least` trains, whose medians lie within 3 % of each other, or three
// times as many.
[[nodiscard]] bool is_settled(const std::vector<LaunchTrain>&, std::int32_t least);

}  // namespace echo::profilers
