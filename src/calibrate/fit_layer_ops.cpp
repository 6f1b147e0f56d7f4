// Copy, rope and embedding from layer tables. The norm and activation kernels there are a server's, slower
// than training's: reported only.
#include "calibrate/kernel_recipe.hpp"

namespace echo::calibrate {

namespace {

using C = profile::KernelConstants;
using ops::KernelKind;

}  // namespace

void fit_layer_ops(Recipe& r) {
  if (r.sources.layer_gpu.empty()) return;
  // Rows larger than L2 only: small ones profit from it.
  const auto one = [&](const char* family, KernelKind kind, double C::*member, double upper,
                       std::size_t kept) {
    const Rows rows =
        read_kernels(r.table("layer_ops_vidur.csv"), r.presets, [&](const config::MeasuredKernel& row) {
          if (row.gpu_name != r.sources.layer_gpu || row.key.kind != kind || !row.skipped.empty()) return 0.0;
          const double width = kind == KernelKind::elementwise ? row.key.n / 3 * 2 : row.key.n;
          return row.key.m * width * 2 >= static_cast<double>(r.gpu.l2.value) ? 1.0 : 0.0;
        });
    r.fit(family, {.rows = rows, .free = {{member, 0.05, upper}}, .gpu = r.gpu}, kept,
          "layer_ops_vidur.csv, " + r.sources.layer_gpu);
  };
  // 0.93: the best published STREAM-like fraction.
  one("layer_add", KernelKind::elementwise, &C::memory_copy, 0.93, 1);
  one("layer_rope", KernelKind::rope, &C::memory_rope, 1.0, 1);
  one("layer_embedding", KernelKind::embedding_forward, &C::memory_embedding, 1.0, 1);
  one("layer_norm_of_a_server", KernelKind::norm_forward, &C::memory_norm, 1.0, 0);
  one("layer_activation_of_a_server", KernelKind::activation_forward, &C::memory_activation, 1.0, 0);
}

}  // namespace echo::calibrate
