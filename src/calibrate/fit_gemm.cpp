// Matrix products.
//   1. 16-bit products (bf16 rows): rate, tiles, waves, memory, ramp, throttle.
//   2. 8-bit products: what differs. Their rows include quantising the activation (two passes, 5 bytes an
//      element), whose bandwidth and start are nuisances: fitted, then dropped.
//   3. Layouts, from training tables of other machines of the kind: only the ratios to TN are kept; the
//      machine's own rate, ramp and throttle are nuisances.
#include "calibrate/kernel_recipe.hpp"

namespace echo::calibrate {

namespace {

using C = profile::KernelConstants;
using config::MeasuredKernel;
using machine::Precision;
using ops::KernelKind;

// Decode shapes and router products teach nothing here; long products most.
double weight_of_product(const ops::KernelKey& key) {
  if (key.m < 256 || key.n < 256 || key.k < 256) return 0.0;
  if (key.m < 1024 || key.n < 1024 || key.k < 1024) return 0.1;
  return static_cast<double>(key.m) * key.n * key.k >= 1e11 ? 2.0 : 1.0;
}

Rows products_of(const Recipe& r, const std::string& library, Precision precision) {
  return read_kernels(r.table("gemm_" + r.sources.file + ".csv"), r.presets, [&](const MeasuredKernel& row) {
    const bool taken = row.library == library && row.key.precision == precision && row.skipped.empty();
    return taken ? weight_of_product(row.key) : 0.0;
  });
}

void fit_16_bit(Recipe& r) {
  const Rows rows = products_of(r, r.sources.gemm_library, Precision::bf16);
  r.fit("gemm_bf16",
        {.rows = rows,
         .free = {{&C::gemm_rate_16, 0.5, 1.0},
                  {&C::gemm_tile_loss, 0, 128},
                  {&C::gemm_prologue, 0, 3000},
                  {&C::gemm_wave_loss, 0, 1},
                  {&C::gemm_bandwidth, 0.4, 1.0},
                  {&C::gemm_overlap_leak, 0, 0.5},
                  {&C::gemm_ramp, 0, 1e-5},
                  {&C::gemm_throttle, 0, 0.4},
                  {&C::gemm_throttle_half, 1e-4, 1e-2}},
         .gpu = r.gpu,
         .error = &C::error_gemm_16},
        9, "gemm_" + r.sources.file + ".csv, " + r.sources.gemm_library + " bf16");
}

void fit_8_bit(Recipe& r) {
  if (r.sources.gemm_8_library.empty()) return;
  const Rows rows = products_of(r, r.sources.gemm_8_library, Precision::fp8);
  // memory_read and memory_half stand in for the bandwidth and the start of quantisation while this fit runs.
  const Prediction with_quantisation = [&r](const KernelMeasurement& row, const C& c) {
    const double passes = 5.0 * row.key.m * row.key.k / c.memory_read + c.memory_half;
    return r.price(row, c) + passes / r.gpu.memory_bandwidth.value;
  };
  r.fit("gemm_fp8_with_quantisation",
        {.rows = rows,
         .free = {{&C::gemm_rate_8, 0.4, 1.0},
                  {&C::gemm_tile_loss_8, 0, 128},
                  {&C::gemm_prologue_8, 0, 4000},
                  {&C::gemm_throttle_8, 0, 0.4},
                  {&C::memory_read, 0.2, 2.0},
                  {&C::memory_half, 0, 8e7}},
         .gpu = r.gpu,
         .predict = with_quantisation,
         .error = &C::error_gemm_8},
        4, "gemm_" + r.sources.file + ".csv, " + r.sources.gemm_8_library + " fp8");
}

void fit_layouts(Recipe& r) {
  if (r.sources.training_gpu.empty()) return;
  const Rows rows =
      read_kernels(r.table("training_efficiency_simumax.csv"), r.presets, [&](const MeasuredKernel& row) {
        const bool taken =
            row.gpu_name == r.sources.training_gpu && row.key.kind == KernelKind::gemm && !row.key.grouped;
        return taken ? 1.0 : 0.0;
      });
  r.fit("gemm_training_layouts",
        {.rows = rows,
         .free = {{&C::gemm_nn, 0.9, 1.5},
                  {&C::gemm_nt, 0.9, 1.5},
                  {&C::gemm_rate_16, 0.3, 1.0},
                  {&C::gemm_ramp, 0, 3e-5},
                  {&C::gemm_throttle, 0, 0.4}},
         .gpu = r.gpu},
        2,
        "training_efficiency_simumax.csv, " + r.sources.training_gpu + ", ratio to TN on the same machine");
}

}  // namespace

void fit_gemm(Recipe& r) {
  fit_16_bit(r);
  fit_8_bit(r);
  fit_layouts(r);
}

}  // namespace echo::calibrate
