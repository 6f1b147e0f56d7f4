// Ops of a decoder layer as vidur timed them: one op repeated, including a launch gap, with warm L2.
//   1. Copy, rope and embedding for training, from rows larger than L2. The norm and activation kernels there
//      are a server's, slower than training's, and are not used.
//   2. All memory-bound ops as they were timed, for the library `vidur`: a share of the bandwidth for each,
//      and one start, one reuse of L2.
//   3. Products as they were timed, after training's have been fitted: rate, start, memory and power of that
//      machine.
#include "calibrate/kernels/kernel_recipe.hpp"

namespace echo::calibrate {

namespace {

using C = kernels::KernelConstants;
using ops::KernelKind;

Rows rows_of(const Recipe& r, const std::function<bool(const config::MeasuredKernel&)>& taken) {
  return read_kernels(r.table("layer_ops_vidur.csv"), r.presets, [&](const config::MeasuredKernel& row) {
    if (row.gpu_name != r.sources.layer_gpu || !row.skipped.empty() || !taken(row)) return 0.0;
    return row.in_region ? 1.0 : 0.1;
  });
}

void fit_large_rows(Recipe& r) {
  const auto one = [&](const char* family, KernelKind kind, double C::*member, double upper) {
    const Rows rows = rows_of(r, [&](const config::MeasuredKernel& row) {
      const double width = kind == KernelKind::elementwise ? row.key.n / 3 * 2 : row.key.n;
      return row.key.kind == kind && row.key.m * width * 2 >= static_cast<double>(r.gpu.l2.value);
    });
    r.fit(family, {.rows = rows, .free = {{member, 0.05, upper}}, .gpu = r.gpu}, 1,
          "layer_ops_vidur.csv, " + r.sources.layer_gpu);
  };
  // 0.93: the best published STREAM-like fraction.
  one("layer_add", KernelKind::elementwise, &C::memory_copy, 0.93);
  one("layer_rope", KernelKind::rope, &C::memory_rope, 1.0);
  one("layer_embedding", KernelKind::embedding_forward, &C::memory_embedding, 1.0);
}

void fit_as_timed(Recipe& r) {
  const Rows rows =
      rows_of(r, [](const config::MeasuredKernel& row) { return row.key.kind != KernelKind::gemm; });
  r.fit("layer_ops",
        {.rows = rows,
         .free = {{&C::memory_copy, 0.5, 1.0},
                  {&C::memory_norm, 0.1, 1.0},
                  {&C::memory_activation, 0.2, 1.0},
                  {&C::memory_rope, 0.2, 1.0},
                  {&C::memory_embedding, 0.05, 0.5},
                  {&C::memory_reuse, 0.0, 1.0},
                  {&C::memory_l2, 1.0, 6.0},
                  {&C::memory_half, 0.0, 2e7}},
         .gpu = r.gpu,
         .error = &C::error_memory},
        8, "layer_ops_vidur.csv, " + r.sources.layer_gpu);
}

}  // namespace

void fit_layer_ops(Recipe& r) {
  if (r.sources.layer_gpu.empty()) return;
  fit_large_rows(r);
}

void fit_layer_library(Recipe& r) {
  if (r.sources.layer_gpu.empty()) return;
  r.turn_to(ops::KernelLibrary::vidur);
  fit_as_timed(r);
  const Rows products =
      rows_of(r, [](const config::MeasuredKernel& row) { return row.key.kind == KernelKind::gemm; });
  r.fit("layer_products",
        {.rows = products,
         .free = {{&C::gemm_rate_16, 0.4, 1.1},
                  {&C::gemm_ramp, 0, 3e-5},
                  {&C::gemm_bandwidth, 0.3, 1.0},
                  {&C::gemm_throttle, 0, 0.6},
                  {&C::gemm_throttle_half, 1e-4, 1e-2}},
         .gpu = r.gpu,
         .error = &C::error_gemm_16},
        5, "layer_ops_vidur.csv, " + r.sources.layer_gpu);
  r.now = &r.out.training;
}

}  // namespace echo::calibrate
