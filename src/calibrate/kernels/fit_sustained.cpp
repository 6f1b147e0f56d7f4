// The power limit of a training step: the factor by which products are slower there than in a
// micro-benchmark. Hopper and Blackwell: derived from published steps, see training_rate.cpp. A100: the mean
// of two indications in kernel tables: the longest kernels of the micro-benchmark, and another team's
// products, timed back to back for seconds (their launch gap is a nuisance that temporarily uses
// memory_half, in ns).
#include <algorithm>
#include <cmath>

#include "calibrate/kernels/kernel_recipe.hpp"
#include "calibrate/steps/training_rate.hpp"

namespace echo::calibrate {

void fit_sustained(Recipe& r) {
  using C = kernels::KernelConstants;
  C& constants = r.constants();
  const double benchmark = constants.gemm_throttle;
  for (const TrainingRate& rate : training_rates()) {
    if (r.sources.gpu != rate.gpu) continue;
    r.set(&C::gemm_sustained, rate.sixteen_bit, rate.error, rate.source);
    r.set(&C::gemm_sustained_8, rate.eight_bit, rate.error, rate.source);
    if (rate.four_bit >= 0.0) r.set(&C::gemm_sustained_4, rate.four_bit, rate.error, rate.source);
    return;
  }
  r.set(&C::gemm_sustained_8, 0.05, 0.05, "assumed: as 16 bit; the GPU has no such products");
  const std::string table = "gemm_" + r.sources.file + ".csv";
  r.set(&C::gemm_sustained, benchmark, 0.05, "fitted: the longest kernels of " + table);
  if (r.sources.layer_gpu.empty()) return;
  const Rows products =
      read_kernels(r.table("layer_ops_vidur.csv"), r.presets, [&](const config::MeasuredKernel& row) {
        const bool taken = row.gpu_name == r.sources.layer_gpu && row.key.kind == ops::KernelKind::gemm;
        return taken && row.key.m >= 1024 ? 1.0 : 0.0;
      });
  r.fit("layer_products_power_only",
        {.rows = products,
         .free = {{&C::gemm_sustained, 0.001, 0.4}, {&C::memory_half, 0.0, 5000.0}},
         .gpu = r.gpu,
         .predict = [&r](const KernelMeasurement& row,
                         const C& c) { return r.price(row, c) + c.memory_half * 1e-9; }},
        1, "");
  const double elsewhere = constants.gemm_sustained;
  r.set(&C::gemm_sustained, (benchmark + elsewhere) / 2, std::max(0.02, std::abs(benchmark - elsewhere) / 2),
        "fitted: mean of the longest kernels of " + table + " and of layer_ops_vidur.csv");
}

}  // namespace echo::calibrate
