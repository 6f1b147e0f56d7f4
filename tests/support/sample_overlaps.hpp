// A small dataset of overlaps with something in every column.
#pragma once

#include "slowdown/overlap_row.hpp"

namespace echo::testing {

inline slowdown::OverlapData sample_overlaps() {
  slowdown::OverlapData data{{{"a published table", "MIT", ""}, {"größe", "", "driver 570, 2025-11-02"}}, {}};
  slowdown::OverlapRow plain{.kernel = "elementwise_kernel", .gpu = "a100-sxm-80gb"};
  plain.alone = 1e-5, plain.overlapped = 9e-6;
  data.rows.push_back(plain);

  slowdown::OverlapRow full{
      .kernel = "sgemm", .full_name = "void sgemm<(int)4, float>(T1 *)", .gpu = "h100-sxm"};
  full.shape = {.kind = ops::KernelKind::gemm,
                .precision = ops::Precision::fp32,
                .layout = ops::GemmLayout::nt,
                .m = 4096,
                .n = 768,
                .k = 512};
  full.metrics = {.compute_throughput = 0.5,
                  .memory_throughput = 0.25,
                  .dram_throughput = 0.125,
                  .achieved_occupancy = 0.3,
                  .maximum_occupancy = 0.375,
                  .l1_hit_rate = 0.0,
                  .l2_hit_rate = 1.0,
                  .tensor_share = 0.1,
                  .fma_share = 0.6,
                  .memory_share = 0.2,
                  .registers = 122,
                  .shared_memory = 16384,
                  .blocks = 192,
                  .threads = 256};
  full.beside = {.made_by = slowdown::CommunicationKind::proxy,
                 .collective = ops::CollectiveKind::reduce_scatter,
                 .algorithm = "ring",
                 .protocol = "Simple",
                 .channels = 16,
                 .threads = 512,
                 .payload = 1 << 25,
                 .link_rate = 3e11,
                 .memory_rate = 6e11,
                 .alone = 2e-4,
                 .overlapped = 2.5e-4,
                 .overlap_ratio = 0.75};
  full.alone = 1e-4, full.overlapped = 1.5e-4, full.overlap_ratio = 1.0;
  full.spread = 0.02, full.repeats = 11, full.clock_mhz = 1755.0, full.origin = 1;
  data.rows.push_back(full);

  slowdown::OverlapRow half = full;
  half.shape = {.kind = ops::KernelKind::attention_forward, .causal = true, .m = 512, .n = 512, .k = 64};
  half.kernel = "attention", half.full_name = "", half.overlap_ratio = 0.3, half.overlapped = 0.9e-4;
  half.beside.protocol = "", half.beside.made_by = slowdown::CommunicationKind::collective;
  data.rows.push_back(half);
  return data;
}

}  // namespace echo::testing
