// Launches of one sweep in a simulated world that a seed determines: a user who starts them, on one host or
// another, with 1 to 4 workers, and whatever goes wrong meanwhile. What runs is the launch itself: the lock,
// the hand-out of points, journals, claims, quarantine, carry-over, assembly in its order of steps. What
// stands in for the world: the disk, clocks, processes, messages, and the format of result files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace echo::simulation {

// A mistake of earlier versions, put back: the simulation must find it.
enum class Mistake : std::int8_t {
  none,
  one_worker_waits_for_others,  // a relaunch on one worker with a suspect never ends
  shared_temporary_names,       // a launch that was frozen goes on in the file of another
  no_fence,                     // ... or moves its own over it
  unbound_rows,                 // rows of another sweep in a journal are taken
  damaged_file_blocks,          // a damaged snapshot keeps the journals from being used
};

enum class Fault : std::int8_t {
  kill_worker,
  crash_in_point,
  kill_job,
  freeze_worker,
  freeze_host,
  lose_host,
  power,
  stop,
  stop_at_once,
  disk_full,
  disk_read_only,
  disk_errors,
  disk_stalls,
  second_launch,
  foreign_rows,
  damaged_snapshot,
  links,
  extend,
  fresh
};
inline constexpr int fault_count = 19;
[[nodiscard]] const char* name_of(Fault);

struct SimulationOptions {
  Mistake mistake = Mistake::none;
  bool traces = false;
};

struct SimulationOutcome {
  std::string broken;  // the promise that was; "" = none
  std::vector<std::string> trace;
  std::int64_t steps = 0, launches = 0, finished = 0, takeovers = 0;
  std::array<std::int64_t, fault_count> faults{};
};

[[nodiscard]] SimulationOutcome simulate_launches(std::uint64_t seed, const SimulationOptions& = {});

}  // namespace echo::simulation
