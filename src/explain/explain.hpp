// Recomputes figures of a row that the file does not store: the memory of every stage, and the costs of
// kernels and collectives.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "explain/slowdown_costs.hpp"
#include "ops/kernel.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/prices/packet_memory.hpp"
#include "simulate/report.hpp"
#include "simulate/step/shared_time.hpp"
#include "training/config.hpp"
#include "training/memory/memory.hpp"

namespace echo::explain {

// One distinct collective of a step, on one GPU rank of the busiest stage.
struct CollectiveCost {
  std::string part, kind, algorithm, protocol;  // "tp_comm", "all_gather", "ring", "Simple"
  Bytes payload;
  std::int32_t ranks = 1, nodes = 1, channels = 0;
  std::int64_t count = 0;   // times per step
  SimTime each{}, total{};  // without overlap; hidden behind computation or not
};

// One distinct kernel of a step, on one GPU rank of the busiest stage.
struct KernelCost {
  ops::KernelKey key;
  ops::Grade grade{};       // evidence for its price
  double error = 0.0;       // of the price, relative
  std::int64_t count = 0;   // times per step
  SimTime each{}, total{};  // without overlap, with the gap to the next kernel
};

// A kernel, collective or other cause on the critical path.
struct PathCost {
  std::string what;
  SimTime time{};
};

struct Explanation {
  simulate::StepReport report;
  std::vector<std::string> overruled;        // axes that the sweep set otherwise than the recipe
  std::vector<training::MemoryUse> memory;   // [stages]; empty if the config is unsupported
  std::vector<CollectiveCost> collectives;   // largest total first; empty unless the report is ok
  std::vector<KernelCost> kernels;           // same
  std::vector<PathCost> path;                // longest first; sums to the step
  std::vector<PathCost> production;          // what a production run adds, by cause; empty in a benchmark
  std::vector<SimTime> path_by_stage;        // [stages]; the rest of the step is between stages
  std::vector<simulate::SharedTime> shared;  // of one GPU of the busiest stage in a step; longest first
  std::vector<SlowdownCost> slowed;          // same
};

// `answers`: where packets are simulated.
[[nodiscard]] Explanation explain(const training::TrainingConfig&, const simulate::Catalog&,
                                  const simulate::Calibration&, const simulate::PacketMemory& answers = {});

// One collective that runs `count` times.
[[nodiscard]] CollectiveCost cost_of(TimeCategory part, const ops::CollectiveQuery& query,
                                     const ops::CollectiveEstimate& estimate, std::int64_t count);

[[nodiscard]] std::string explanation_text(const Explanation&);

}  // namespace echo::explain
