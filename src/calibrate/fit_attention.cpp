// Fused attention.
//   1. Forward: softmax against head dim from a library that has several, then the rest from the training
//      library. Serving kernels also copy new keys and values into their cache: added to the prediction
//      (8 bytes an element), as is the server's start (a nuisance).
//   2. Backward from training tables, scaled by how the same machine's forward compares.
#include "base/named_table.hpp"
#include "calibrate/kernel_recipe.hpp"
#include "profile/price_kernels.hpp"

namespace echo::calibrate {

namespace {

using C = profile::KernelConstants;
using config::MeasuredKernel;
using ops::KernelKind;

// The GPU kind whose table stands for `gpu`.
std::string table_kind(const std::string& gpu) { return gpu == "b200-sxm" ? "gb200" : gpu; }

Rows forward_of(const Recipe& r, const std::string& file, const std::string& library) {
  return read_kernels(r.table("attention_fwd_" + file + ".csv"), r.presets, [&](const MeasuredKernel& row) {
    if (row.library != library || row.key.m < 512) return 0.0;
    const std::int32_t heads_times_batch = row.key.batch;
    return row.in_region && row.key.m >= 1024 && heads_times_batch >= 4 ? 1.0 : 0.1;
  });
}

Rows training_of(const Recipe& r, KernelKind kind) {
  return read_kernels(r.table("training_efficiency_simumax.csv"), r.presets, [&](const MeasuredKernel& row) {
    return row.gpu_name == r.sources.training_gpu && row.key.kind == kind && row.key.value_dim == 0 ? 1.0
                                                                                                    : 0.0;
  });
}

// Serving kernels read and write the new keys and values once more, into their cache.
Prediction with_cache_copy(const machine::GpuSpec& gpu) {
  return [gpu](const KernelMeasurement& row, const C& c) {
    const double cache = 8.0 * row.key.n * row.key.k * row.key.groups;
    return to_seconds(profile::price_kernel(row.key, gpu, c).alone) +
           cache / (gpu.memory_bandwidth.value * c.memory_copy);
  };
}

void fit_forward(Recipe& r) {
  std::vector<FreeConstant> free{{&C::attention_forward_rate, 0.2, 1.0},
                                 {&C::attention_prologue, 0, 1000},
                                 {&C::attention_tail, 0, 1},
                                 {&C::attention_forward_softmax, 0, 200},
                                 {&C::attention_ramp, 0, 5e-5}};
  const std::string& kind = r.sources.gpu;
  const KernelSources table = kernel_sources(table_kind(kind));
  const auto& gpus = r.presets.catalog.gpus;
  const machine::GpuSpec table_gpu =
      table_kind(kind) == kind ? r.gpu : gpus[static_cast<std::size_t>(find_named(gpus, table_kind(kind)))];
  const bool has_head_dims = kind != "a100-sxm";
  if (has_head_dims) {
    const Rows rows = forward_of(r, r.sources.file, "trtllm");
    std::swap(free[0], free[3]);  // softmax first: the one that is kept
    r.fit("attention_other_library",
          {.rows = rows, .free = free, .gpu = r.gpu, .predict = with_cache_copy(r.gpu)}, 1,
          "attention_fwd_" + r.sources.file + ".csv, trtllm, head dims 64 against 128 (and 256)");
    std::swap(free[0], free[3]);
  }
  // The training library's rows have one head dim: softmax moves only where the rate would pass the peak.
  if (!has_head_dims) free.erase(free.begin() + 3);
  const Rows rows = forward_of(r, table.file, table.attention_library);
  r.fit("attention_forward",
        {.rows = rows,
         .free = free,
         .gpu = table_gpu,
         .predict = with_cache_copy(table_gpu),
         .error = &C::error_attention_forward},
        has_head_dims ? 4 : 3,
        "attention_fwd_" + table.file + ".csv, " + table.attention_library +
            (has_head_dims ? "; softmax from trtllm's head dims" : ""));
}

void fit_backward(Recipe& r) {
  if (r.sources.training_gpu.empty()) return;
  const Rows backward = training_of(r, KernelKind::attention_backward),
             forward = training_of(r, KernelKind::attention_forward);
  const bool is_a100 = r.sources.gpu == "a100-sxm";
  if (!is_a100) r.constants().attention_backward_softmax = r.constants().attention_forward_softmax;
  // PCIe cards clock lower than SXM ones; B200 and GB200 differ in kernel, not in clock.
  const C here =
      fit_constants({.rows = forward,
                     .free = {{&C::attention_forward_rate, 0.2, 1.0}, {&C::attention_ramp, 0, 2e-4}},
                     .gpu = r.gpu},
                    r.constants());
  const double ratio = is_a100 ? r.constants().attention_forward_rate / here.attention_forward_rate : 1.0;
  r.fit("attention_backward",
        {.rows = backward,
         .free = {{&C::attention_backward_rate, 0.2, 1.0},
                  {&C::attention_backward_tail, 0, 1},
                  {&C::attention_ramp, 0, 2e-4}},
         .gpu = r.gpu,
         .error = &C::error_attention_backward},
        2, "training_efficiency_simumax.csv, " + r.sources.training_gpu);
  r.constants().attention_backward_rate *= ratio;
}

}  // namespace

void fit_attention(Recipe& r) {
  fit_forward(r);
  fit_backward(r);
}

}  // namespace echo::calibrate
