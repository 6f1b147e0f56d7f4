// A small profile with something in every column.
#pragma once

#include "kernels/database/measurement.hpp"

namespace echo::testing {

inline kernels::Profile sample_profile() {
  using ops::KernelKind;
  kernels::Profile profile{
      {"h100-sxm", "a100-sxm"}, {{"2.27.3", "gemm.csv", "2025-11-02"}, {"", "größe.csv", ""}}, {}};
  const auto add = [&](std::int32_t gpu, const ops::KernelKey& key, double seconds) -> kernels::Measurement& {
    profile.rows.push_back({.gpu = gpu, .key = key, .seconds = seconds});
    return profile.rows.back();
  };
  add(0, {.kind = KernelKind::gemm, .precision = ops::Precision::fp8, .m = 4096, .n = 4096, .k = 4096}, 1e-4);
  add(0,
      {.kind = KernelKind::gemm,
       .layout = ops::GemmLayout::nt,
       .fp32_accumulate = true,
       .m = 64,
       .n = 8,
       .k = 3},
      3e-6)
      .sustained = true;
  ops::KernelKey attention{
      .kind = KernelKind::attention_forward, .causal = true, .chunked = true, .m = 8192, .n = 8192};
  attention.k = 192, attention.batch = 32, attention.groups = 4, attention.value_dim = 128,
  attention.span = 1024;
  attention.attention = ops::AttentionKernel::flash_2, attention.library = ops::KernelLibrary::trtllm;
  kernels::Measurement& served = add(1, attention, 2e-3);
  served.spread = 0.031, served.scope = kernels::RowScope::serving;
  ops::KernelKey experts{.kind = KernelKind::expert_ffn, .gated = true, .m = 4096, .n = 768, .k = 2048};
  experts.batch = 16, experts.groups = 8, experts.library = ops::KernelLibrary::sglang;
  experts.routing = {.experts = 128, .rows = 4200, .reached = 3000, .unevenness = 100, .tuned = true};
  add(1, experts, 1e-3);
  for (std::int32_t repeat = 0; repeat < 3; ++repeat) {
    ops::KernelKey norm{
        .kind = KernelKind::norm_forward, .style = ops::KernelStyle::eager, .m = 2048, .n = 12288};
    kernels::Measurement& row = add(1, norm, 5e-5 + 1e-6 * repeat);
    row.clock_mhz = 1410.0, row.origin = 1;
  }
  return profile;
}

}  // namespace echo::testing
