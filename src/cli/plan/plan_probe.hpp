// Simulates a few points to estimate the time and memory of the whole sweep.
#pragma once

#include <cstdint>
#include <string>

#include "cli/plan/plan_counts.hpp"
#include "simulate/calibration.hpp"
#include "sweep/spec.hpp"
#include "text/json.hpp"

namespace echo::cli {

struct Range {
  double middle = 0.0, low = 0.0, high = 0.0;  // low, high: 95 % interval
};

struct Probe {
  std::int64_t points = 0, workers = 1;
  bool is_search = false;  // the sweep simulates few of its points: `wall` and the file are those of a grid
  double median = 0.0, p99 = 0.0;  // seconds per point
  double feasible = 0.0;           // share of the points
  double memory = 0.0, limit = 0.0, unsupported = 0.0, failed = 0.0;
  Range wall;                                // seconds for `workers` workers to run all points
  double file_least = 0.0, file_most = 0.0;  // bytes
  double worker_bytes = 0.0;                 // resident memory of this process after the probe
};

// Simulates `wanted` points drawn at random with the sweep's seed, or all if there are fewer. Writes nothing.
[[nodiscard]] Probe probe_points(const sweep::SweepSpec& spec, const simulate::Catalog& catalog,
                                 const simulate::Calibration& calibration, const PlanCounts& counts,
                                 std::int64_t wanted, std::int64_t workers);

[[nodiscard]] std::string probe_text(const Probe& probe);
void add_probe(const Probe& probe, text::Json& json);  // adds the member "probe" to the open object

}  // namespace echo::cli
