// Activities of a flow-level simulation in progress: routes of every phase, and the state of each activity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/flow_level.hpp"
#include "network/flow_routes.hpp"

namespace echo::network {

struct RoutedPhase {
  FlowRoutes routes;  // of transfers
  std::vector<double> bytes;
  std::vector<SimTime> latency;  // of the route
  std::int64_t repeat = 1;
};

// One activity in progress.
struct Course {
  std::vector<RoutedPhase> phases;
  SimTime latency{}, end{};
  std::int32_t group = 0;  // which component
  // Its state: before its phase until `wake`, then during its transfers.
  std::size_t phase = 0;
  std::int64_t left = 0;  // repeats, including the current one
  SimTime wake{}, began{}, arrived{};
  bool started = false, transferring = false;
  std::vector<double> bytes_left;  // < 0: done
  std::int32_t transfers_left = 0;

  [[nodiscard]] bool done() const { return phase == phases.size(); }
  [[nodiscard]] const RoutedPhase& now() const { return phases[phase]; }
};

// Routes of all phases. `number` identifies the activity: another one may take different paths.
[[nodiscard]] Course course_of(const Activity&, std::uint64_t number, Router&, Repeats);

// Numbers the components of courses that share links, directly or through others; returns their count.
[[nodiscard]] std::int32_t find_components(std::span<Course>, std::size_t links);

}  // namespace echo::network
