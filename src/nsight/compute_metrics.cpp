#include "nsight/compute_metrics.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

#include "nsight/quantity.hpp"

namespace echo::nsight {

using slowdown::KernelMetrics;

namespace {

enum class Kind : std::int8_t { share, time, bytes, count };

}  // namespace

// The destination of a metric. A details page has two metrics "Memory Throughput", of which the one in
// percent counts.
struct ComputeMetric {
  std::string_view name,
      shown;  // as --metrics names it, and as the details page does; empty where it does not
  Kind kind;
  double KernelMetrics::*metric = nullptr;
  double ComputeMetrics::*own = nullptr;  // where `metric` is null

  static std::span<const ComputeMetric> all() {
    using K = KernelMetrics;
    using C = ComputeMetrics;
    static constexpr std::array<ComputeMetric, 28> table{{
        {"gpu__time_duration.sum", "Duration", Kind::time, nullptr, &C::seconds_},
        {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput", Kind::share,
         &K::compute_throughput},
        {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "Memory Throughput", Kind::share,
         &K::memory_throughput},
        {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput", Kind::share,
         &K::dram_throughput},
        {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "", Kind::share, &K::dram_throughput},
        {"sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy", Kind::share,
         &K::achieved_occupancy},
        {"sm__maximum_warps_per_active_cycle_pct", "Theoretical Occupancy", Kind::share,
         &K::maximum_occupancy},
        {"l1tex__t_sector_hit_rate.pct", "L1/TEX Hit Rate", Kind::share, &K::l1_hit_rate},
        {"lts__t_sector_hit_rate.pct", "L2 Hit Rate", Kind::share, &K::l2_hit_rate},
        {"launch__registers_per_thread", "Registers Per Thread", Kind::count, &K::registers},
        {"launch__grid_size", "Grid Size", Kind::count, &K::blocks},
        {"launch__block_size", "Block Size", Kind::count, &K::threads},
        {"launch__shared_mem_per_block_static", "Static Shared Memory Per Block", Kind::bytes, nullptr,
         &C::static_memory_},
        {"launch__shared_mem_per_block_dynamic", "Dynamic Shared Memory Per Block", Kind::bytes, nullptr,
         &C::dynamic_memory_},
        {"launch__sm_count", "# SMs", Kind::count, nullptr, &C::sm_count_},
        {"device__attribute_multiprocessor_count", "", Kind::count, nullptr, &C::sm_count_},
        {"smsp__inst_executed.sum", "Executed Instructions", Kind::count, nullptr, &C::executed_},
        {"sm__inst_executed.sum", "", Kind::count, nullptr, &C::executed_},
        {"smsp__inst_executed_pipe_tensor.sum", "", Kind::count, nullptr, &C::tensor_},
        {"sm__inst_executed_pipe_tensor.sum", "", Kind::count, nullptr, &C::tensor_},
        {"smsp__inst_executed_pipe_fma.sum", "", Kind::count, nullptr, &C::fma_},
        {"sm__inst_executed_pipe_fma.sum", "", Kind::count, nullptr, &C::fma_},
        {"smsp__inst_executed_pipe_lsu.sum", "", Kind::count, nullptr, &C::memory_},
        {"sm__inst_executed_pipe_lsu.sum", "", Kind::count, nullptr, &C::memory_},
        // 2020: the details page calls shares of the peak "SOL"
        {"", "SOL SM", Kind::share, &K::compute_throughput},
        {"", "SOL Memory", Kind::share, &K::memory_throughput},
        {"", "SOL DRAM", Kind::share, &K::dram_throughput},
        {"", "L1 Hit Rate", Kind::share, &K::l1_hit_rate},
    }};
    return table;
  }

  static const ComputeMetric* find(std::string_view metric) {
    for (const ComputeMetric& one : all())
      if (!metric.empty() && (metric == one.name || metric == one.shown)) return &one;
    return nullptr;
  }
};

namespace {

// Empty cells are metrics that a chip does not have or that were not collected.
bool is_missing(std::string_view value) { return value.empty() || value == "n/a" || value == "nan"; }

std::optional<double> scaled(std::optional<double> unit, double value) {
  if (!unit) return std::nullopt;
  return *unit * value;
}

std::optional<double> in_our_unit(Kind kind, std::string_view unit, double value) {
  switch (kind) {
    case Kind::share:
      return share_of(value);
    case Kind::time:
      return scaled(seconds_of(unit), value);
    case Kind::bytes:
      return scaled(bytes_of(unit), value);
    case Kind::count:
      return value;
  }
  return std::nullopt;
}

}  // namespace

bool ComputeMetrics::is_wanted(std::string_view metric) { return ComputeMetric::find(metric) != nullptr; }

std::string ComputeMetrics::take(std::string_view metric, std::string_view unit, std::string_view value) {
  const ComputeMetric* found = ComputeMetric::find(metric);
  if (found == nullptr || is_missing(value) || (found->kind == Kind::share && unit != "%")) return "";
  const auto number = number_in(value);
  if (!number) return fmt::format("{}: \"{}\" is not a number", metric, value);
  const auto ours = in_our_unit(found->kind, unit, *number);
  if (!ours)
    return found->kind == Kind::share ? fmt::format("{}: {} is not a percentage", metric, value)
                                      : fmt::format("{}: unknown unit \"{}\"", metric, unit);
  (found->metric != nullptr ? metrics_.*found->metric : this->*found->own) = *ours;
  return "";
}

std::string ComputeMetrics::finish(ProfiledKernel& kernel) const {
  kernel.seconds = seconds_;
  kernel.metrics = metrics_;
  const auto share = [this](double part) {
    return executed_ > 0.0 ? part / executed_ : slowdown::not_measured;
  };
  kernel.metrics.tensor_share = share(tensor_);
  kernel.metrics.fma_share = share(fma_);
  kernel.metrics.memory_share = share(memory_);
  kernel.metrics.shared_memory = static_memory_ + dynamic_memory_;
  if (sm_count_ >= 1.0 && sm_count_ <= 4096.0) kernel.sm_count = static_cast<std::int32_t>(sm_count_);
  // A row of the kernel alone would be valid or not by these alone.
  slowdown::OverlapRow row{.kernel = kernel.name, .full_name = kernel.full_name, .gpu = "gpu"};
  row.metrics = kernel.metrics;
  row.alone = row.overlapped = std::isnan(seconds_) ? 1.0 : seconds_;
  const char* problem = slowdown::why_unsound(row);
  return problem == nullptr ? "" : problem;
}

}  // namespace echo::nsight
