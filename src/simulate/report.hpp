// The result for one config. Plain and trivially copyable: it passes through MPI and the journal as bytes.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "base/bottleneck.hpp"
#include "base/error_source.hpp"
#include "base/lane.hpp"
#include "base/units.hpp"
#include "training/feasibility.hpp"
#include "training/memory/memory.hpp"

namespace echo::simulate {

struct StepReport {
  training::Status status = training::Status::pending;
  training::Reason reason = training::Reason::none;
  std::int32_t rule = 0;                               // code_of the Refusal where unsupported; else 0
  double reason_margin = 0.0;                          // bytes short for `memory`; else 0
  SimTime step{}, step_no_slowdown{};                  // zero unless status is ok
  SimTime step_no_contention{};                        // without contention of collectives; zero as above
  std::array<SimTime, time_category_count> exposed{};  // of the busiest stage; sums to step exactly
  std::array<SimTime, time_category_count> total{};    // busy time by part on that stage, hidden or not
  std::array<Bytes, training::memory_part_count> memory{};  // of the stage with the highest peak
  Bytes memory_peak, memory_limit;
  std::int32_t memory_stage = 0, critical_stage = 0;
  double mfu = 0.0, tokens_per_second = 0.0;
  double measured_share = 0.0;  // share of compute time priced from an imported measurement
  double bubble_fraction = 0.0, exposed_comm_fraction = 0.0, overlap_fraction = 0.0;
  std::array<SimTime, time_category_count> path{};    // the critical path by part; sums to step exactly
  std::array<double, bottleneck_count> bottleneck{};  // and by driver, as shares of step: its elasticities
  KernelTimes kernels;                                // of the busiest stage, hidden or not, without slowdown
  SimTime step_median{};                              // over draws of unequal GPUs; zero unless asked for
  SimTime step_p90{};                                 // over those draws and the prediction's error
  ops::Grade evidence = ops::Grade::modelled;         // worst grade that carries a tenth of the step or more
  std::int8_t out_of_range = 0;                       // bits of Beyond
  std::int32_t untried = 0;                           // bits of Choice
  float best_published_mfu = 0.0F;                    // of such runs (PublishedBest); 0 if there is none
  ErrorShares error{};     // contributions to the relative error of step, by ErrorSource
  float rel_error = 0.0F;  // of step: one standard deviation, root of their squares' sum
  float rel_error_p90 =
      0.0F;  // a run takes longer than step times exp of it, or less than over, 1 in 10 each
  float mem_rel_error = 0.0F;  // of memory_peak, one standard deviation
  float fit_chance = 0.0F;     // that the memory in use stays below memory_limit; 0 if memory is unknown
  friend bool operator==(const StepReport&, const StepReport&) = default;
};
static_assert(std::is_trivially_copyable_v<StepReport>);

}  // namespace echo::simulate
