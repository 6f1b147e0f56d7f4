// Where the difference between a recorded and a simulated stretch of a step comes from.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "explain/beside/activity.hpp"
#include "explain/beside/match.hpp"

namespace echo::explain {

// One side: what ran, and how the time divides.
struct Side {
  std::vector<Activity> activities;
  Usage usage;
};
// `extent`: how long the stretch takes, where that is longer than from the first start to the last end; the
// rest counts as the host's.
[[nodiscard]] Side side_of(std::vector<Activity>, SimTime extent = {});

// Sums over the kernels of one role.
struct RoleSums {
  std::int64_t recorded = 0, simulated = 0;     // kernels
  SimTime recorded_time{}, simulated_time{};    // of all of them, as they ran
  std::int64_t alone = 0, beside = 0;           // pairs whose recorded kernel ran alone; beside communication
  SimTime alone_recorded{}, alone_simulated{};  // of the first: as recorded, and the simulated one's alone
  SimTime beside_recorded{}, beside_simulated{};  // of the second: both as they ran
  SimTime beside_predicted_alone{};               // of the second: the simulated one's alone
};

// One line of the difference; `difference`: what was recorded minus what was simulated.
struct LedgerLine {
  std::string what;
  SimTime recorded{}, simulated{};
  std::int64_t kernels = 0, ops = 0;  // behind them; 0 of gaps
  [[nodiscard]] SimTime difference() const { return recorded - simulated; }
};

struct Beside {
  Side recorded, simulated;
  std::vector<Match> matches;
  std::array<RoleSums, kernel_role_count> roles{};
  // Largest difference first. `recorded` of all lines add up to the recorded span, `simulated` to the
  // simulated one, to the picosecond.
  std::vector<LedgerLine> ledger;
};

// A recorded kernel counts as alone if communication ran beside it for less than this share of its time.
inline constexpr double alone_share = 0.05;

[[nodiscard]] Beside lay_beside(std::vector<Activity> recorded, std::vector<Activity> simulated,
                                bool passes_known, SimTime simulated_extent = {});

}  // namespace echo::explain
