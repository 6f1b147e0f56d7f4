// The time that a step takes longer in a production run than in a benchmark.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/units.hpp"
#include "machine/cluster.hpp"
#include "simulate/report.hpp"
#include "simulate/report/production_model.hpp"
#include "training/config.hpp"

namespace echo::simulate {

// gpu_spread: waiting for the slowest GPU, beyond the wait that benchmarks contain; slow_nodes: for a slow
// node; host: for a late host (input, garbage collection, logging); temperature: hot hours; checkpoint:
// saves, spread over all steps.
enum class ProductionPart : std::int8_t { gpu_spread, slow_nodes, host, temperature, checkpoint };
inline constexpr std::int32_t production_part_count = 5;
inline constexpr std::array<std::string_view, production_part_count> production_part_names{
    "slowest GPU", "slow nodes", "late host", "temperature", "checkpoints"};

struct ProductionTime {
  std::array<SimTime, production_part_count> part{};
  double error = 0.0;  // of the longer step, relative, one standard deviation
  [[nodiscard]] SimTime total() const;
};

// The job: its GPUs and the nodes that hold them.
struct JobSize {
  std::int64_t gpus = 1, nodes = 1;
};

[[nodiscard]] JobSize job_size(const training::TrainingConfig&, const machine::ClusterSpec&);

// The expected slowest of n standard normal draws. Contract: n >= 1. Error below 0.03 up to a million.
[[nodiscard]] double expected_largest(double n);

// How much longer arithmetic takes on the slowest of n GPUs than on the median one, as a share of itself.
[[nodiscard]] double slowest_excess(const ProductionModel&, double gpus);

// Contract: `report` is that of a benchmark, with its step, bottleneck, bubble_fraction
// and errors.
[[nodiscard]] ProductionTime production_time(const ProductionModel&, const JobSize&,
                                             const StepReport& report);

// Turns the report of a benchmark into that of a production run: the step, its parts, rates, shares and
// errors; and each of the `drawn` steps of unequal GPUs. `p90`: ErrorModel::p90. Contract: `report` is ok and
// complete, but for its percentiles.
void add_production(const ProductionModel&, const JobSize&, double p90, std::span<SimTime> drawn,
                    StepReport& report);

}  // namespace echo::simulate
