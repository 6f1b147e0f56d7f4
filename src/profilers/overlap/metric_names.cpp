#include "profilers/overlap/metric_names.hpp"

#include <algorithm>

namespace echo::profilers {

using slowdown::KernelMetrics;

namespace {

// std::clamp keeps NaN as it is.
double share_of(double part, double whole) { return std::clamp(part / whole, 0.0, 1.0); }

}  // namespace

KernelMetrics metrics_of(std::span<const double, metric_names.size()> v) {
  KernelMetrics m;
  m.compute_throughput = share_of(v[1], 100.0);
  m.memory_throughput = share_of(v[2], 100.0);
  m.dram_throughput = share_of(v[3], 100.0);
  m.achieved_occupancy = share_of(v[4], 100.0);
  m.l1_hit_rate = share_of(v[5], 100.0);
  m.l2_hit_rate = share_of(v[6], 100.0);
  const double instructions = v[7];
  m.tensor_share = share_of(v[8], instructions);
  m.fma_share = share_of(v[9], instructions);
  m.memory_share = share_of(v[10], instructions);
  return m;
}

void add_shape(KernelMetrics& metrics, const LaunchShape& shape) {
  metrics.registers = shape.registers;
  metrics.shared_memory = shape.shared_memory;
  metrics.blocks = static_cast<double>(shape.blocks);
  metrics.threads = shape.threads;
}

}  // namespace echo::profilers
