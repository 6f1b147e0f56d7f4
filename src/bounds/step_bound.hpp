// Lower bounds of step times as the simulator has them: of one config, and of sets of configs.
//
// They are made of the simulator's own work and prices, so that they follow it. What they rest on:
//   - Lanes run in order and an op waits for a fixed set of others, so that the time of a block, a pass and a
//     pipeline never falls where an op takes longer. Slowdown factors are at least 1
//     (timeline/block/block.hpp): no op takes less than alone, whichever model of slowdown and of contention
//     there is. Production losses, host time and unequal GPUs only add.
//   - One config: its passes as composed, with slowdown; pipeline_bound.hpp in place of the pipeline; the end
//     of the step as it is.
//   - A set that differs in axes that reach `beside` the passes: passes alone, without slowdown and host, of
//     the config that has ZeRO stage 0, no recomputation and no offloading: all that these add to a pass are
//     ops and waits. Weight gradients cost less or more with an fp32 buffer; where that is open, each takes
//     the smaller time.
//   - A set that differs in axes that reach `around` the products: the sum, stage by stage, of matrix
//   products
//     and fused attention alone, which every member runs at least. Without fused attention its scores are
//     products of their own; where that choice is open, neither is counted.
// What the second and third say of the generated work is a claim on src/workload: tests/property/bounds_test
// holds every axis to it.
// A replayed trace has no bound.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bounds/open_axes.hpp"
#include "bounds/pipeline_bound.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/step/workspace.hpp"
#include "training/config.hpp"
#include "workload/workload.hpp"

namespace echo::bounds {

class StepBounds {
 public:
  // Keeps references. `workspace` may serve simulate() as well.
  StepBounds(const simulate::Catalog&, const simulate::Calibration&, simulate::Workspace& workspace);

  // No config that agrees with `member` on every axis but the `open` ones has a shorter step. Nothing where
  // no such bound is known. Contract: the values of `member` are those that its space gives, not normalised.
  [[nodiscard]] std::optional<SimTime> of_set(const training::TrainingConfig& member,
                                              const sweep::AxisSet& open);
  // The config's own step is no shorter. Contract: it breaks no rule.
  [[nodiscard]] std::optional<SimTime> of_point(const training::TrainingConfig&);

 private:
  bool lay_out(const training::TrainingConfig&);
  std::optional<SimTime> of_products(const training::TrainingConfig&, const sweep::AxisSet& open);
  std::optional<SimTime> of_passes(const training::TrainingConfig&, const sweep::AxisSet& open);
  SimTime products_of(const workload::OpGraph&, const training::TrainingConfig&, const sweep::AxisSet& open);
  SimTime least_time(ops::KernelKey, const training::TrainingConfig&, const sweep::AxisSet& open);
  SimTime end_of_passes(const simulate::StepInput&, bool with_tail, bool with_hops);

  const simulate::Catalog& catalog_;
  const simulate::Calibration& known_;
  simulate::Workspace& ws_;
  workload::Workload products_;
  std::vector<SimTime> alone_, block_times_, ends_;
  std::vector<ChunkPasses> passes_;
};

}  // namespace echo::bounds
