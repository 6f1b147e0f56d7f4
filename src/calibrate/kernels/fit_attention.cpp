// Fused attention. The tables are micro-benchmarks of inference libraries, whose kernels are those of
// training: FlashAttention-2 and -3 in sglang on A100 and Hopper, TensorRT-LLM's on Blackwell. A library has
// its own wrapper (start, copies to the cache), its own tiles and knots.
//   1. TensorRT-LLM: all rows of at least 2048 tokens, and knots. Its head dims show the exposed part of
//      softmax.
//   2. Training's forward constants: the kernel of the library nearest to training, rows of training's sizes.
//      Wrapper constants are nuisances here: fitted, then dropped; so are packing and splits. `sustained` is
//      the mean slowing of those rows by the power limit: the tables' level.
//   3. Backward from training tables, scaled by the ratio of the same machine's forward times. What keys
//      wider than values take on Blackwell is cuDNN's own figure (kernel_assumed.cpp).
//   4. sglang by itself, as TensorRT-LLM. SimuMax: training kernels with its own clocks, forward
//      and backward.
#include <algorithm>
#include <string_view>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "calibrate/kernels/kernel_assumed.hpp"
#include "calibrate/kernels/kernel_recipe.hpp"
#include "kernels/mechanisms/attention.hpp"
#include "kernels/price_kernels.hpp"

namespace echo::calibrate {

namespace {

using C = kernels::KernelConstants;
using config::MeasuredKernel;
using kernels::Clocks;
using ops::KernelKind;
using ops::KernelLibrary;

constexpr std::size_t wrapper_constants = 2;  // at the end of the list that training and libraries share

// The GPU kind whose table stands for `gpu`: b200's has TensorRT-LLM's rows only.
std::string table_kind(const std::string& gpu) { return gpu == "b200-sxm" ? "gb200" : gpu; }

bool is_blackwell(const Recipe& r) { return r.gpu.compute_capability >= 100; }
bool has_head_dims(const Recipe& r) { return r.gpu.compute_capability >= 90; }  // in TensorRT-LLM's rows

Rows forward_of(const Recipe& r, const std::string& file, const std::string& library, bool training_sizes) {
  return read_kernels(r.table("attention_fwd_" + file + ".csv"), r.presets, [&](const MeasuredKernel& row) {
    if (row.library != library || !row.in_region) return 0.0;
    return training_sizes && (row.key.m < 1024 || row.key.batch < 4) ? 0.1 : 1.0;
  });
}

Rows training_of(const Recipe& r, KernelKind kind) {
  return read_kernels(r.table("training_efficiency_simumax.csv"), r.presets, [&](const MeasuredKernel& row) {
    return row.gpu_name == r.sources.training_gpu && row.key.kind == kind ? 1.0 : 0.0;
  });
}

Prediction in_benchmark(const machine::GpuSpec& gpu) {
  return [gpu](const KernelMeasurement& row, const C& c) {
    return to_seconds(kernels::price_kernel(row.key, gpu, c, Clocks::benchmark).alone);
  };
}

// The time of the kernel as a training step would slow it, with the library's wrapper.
Prediction in_step(const machine::GpuSpec& gpu) {
  return [gpu](const KernelMeasurement& row, C c) {
    c.attention_throttle = c.attention_sustained, c.attention_throttle_half = 0.0;
    return to_seconds(kernels::price_kernel(row.key, gpu, c, Clocks::benchmark).alone);
  };
}

// The library's kernel where it differs from training's, by the sources named in attention.cpp.
void set_shape(C& c, KernelLibrary library, const machine::GpuSpec& gpu) {
  const bool flash_3 = library == KernelLibrary::sglang && gpu.compute_capability < 100;
  c.attention_packs = c.attention_splits = flash_3 ? 1.0 : 0.0;
  if (library == KernelLibrary::trtllm && gpu.compute_capability < 90) c.attention_tile_rows = 64.0;
}

// Kernel first; the last `wrapper_constants` are the wrapper's.
std::vector<FreeConstant> kernel_and_wrapper(const Recipe& r) {
  std::vector<FreeConstant> out{{&C::attention_forward_rate, 0.2, 1.1},
                                {&C::attention_prologue, 0, 1e-5},
                                {&C::attention_tail, 0, 1.5},
                                {&C::attention_bandwidth, 0.3, 1.1},
                                {&C::attention_overlap_leak, 0, 1},
                                {&C::attention_throttle, 0, 0.6},
                                {&C::attention_throttle_half, 3e-4, 2e-2}};
  if (is_blackwell(r)) out.push_back({&C::attention_odd_group, 0, 2e-6});
  out.push_back({&C::attention_wrapper_start, 0, 3e-5});
  out.push_back({&C::attention_cache_passes, 0, 6});
  return out;
}

struct Table {
  std::string file;
  machine::GpuSpec gpu;
};

Table table_of(const Recipe& r, const std::string& kind) {
  const auto& gpus = r.presets.catalog.gpus;
  return {kernel_sources(kind).file, kind == r.sources.gpu ? r.gpu : gpus[at(find_named(gpus, kind))]};
}

void fit_training_forward(Recipe& r) {
  const Table table = table_of(r, table_kind(r.sources.gpu));
  const Rows rows = forward_of(r, table.file, "sglang", true);
  const C before = r.constants();
  set_shape(r.constants(), KernelLibrary::sglang, table.gpu);
  r.constants().attention_wrapper_start = 5e-6, r.constants().attention_cache_passes = 1.0;
  const auto free = kernel_and_wrapper(r);
  const std::string source = "attention_fwd_" + table.file + ".csv, sglang";
  const C fitted = r.fit("attention_forward",
                         {.rows = rows,
                          .free = free,
                          .gpu = table.gpu,
                          .predict = in_benchmark(table.gpu),
                          .error = &C::error_attention_forward},
                         free.size() - wrapper_constants, source);
  Rows lengths;
  for (const KernelMeasurement& row : rows)
    if (row.weight >= 1.0 && row.key.m >= 2048) lengths.push_back(row);
  const C level = fit_constants({.rows = lengths,
                                 .free = {{&C::attention_sustained, 0, 0.5}},
                                 .gpu = table.gpu,
                                 .predict = in_step(table.gpu)},
                                fitted);
  r.set(&C::attention_sustained, level.attention_sustained, level.attention_sustained / 2,
        "fitted: the mean over 2048 tokens and more of " + source + "; no published step shows it");
  C& now = r.constants();
  now.attention_packs = before.attention_packs, now.attention_splits = before.attention_splits;
  now.attention_wrapper_start = now.attention_cache_passes = 0.0;
}

void fit_training_backward(Recipe& r) {
  if (r.sources.training_gpu.empty()) return;
  const Rows backward = training_of(r, KernelKind::attention_backward),
             forward = training_of(r, KernelKind::attention_forward);
  // PCIe cards clock lower than SXM ones; B200 and GB200 differ in kernel, not in clock.
  const C here =
      fit_constants({.rows = forward,
                     .free = {{&C::attention_forward_rate, 0.2, 1.1}, {&C::attention_ramp, 0, 2e-4}},
                     .gpu = r.gpu},
                    r.constants());
  const bool is_a100 = r.sources.gpu == "a100-sxm";
  const double unequal = r.constants().attention_backward_unequal;  // of a newer cuDNN than that of the rows
  const double ratio = is_a100 ? r.constants().attention_forward_rate / here.attention_forward_rate : 1.0;
  r.fit("attention_backward",
        {.rows = backward,
         .free = {{&C::attention_backward_rate, 0.2, 1.1},
                  {&C::attention_backward_tail, 0, 1},
                  {&C::attention_backward_unequal, 1, 2},
                  {&C::attention_ramp, 0, 3e-5}},
         .gpu = r.gpu,
         .error = &C::error_attention_backward},
        3, "training_efficiency_simumax.csv, " + r.sources.training_gpu);
  r.constants().attention_backward_rate *= ratio;
  if (!is_a100) r.set(&C::attention_backward_unequal, unequal, 0.06, unequal_backward);
}

// Switches to a library and starts from training's attention constants.
void turn_to_attention_of(Recipe& r, KernelLibrary library) {
  r.turn_to(library);
  for (const kernels::KernelConstantField& field : kernels::kernel_constant_fields())
    if (std::string_view(field.name).substr(0, 10) == "attention_")
      r.constants().*field.member = r.out.training.constants.*field.member;
}

KnotPlan knots_for(const Recipe& r, const Rows& rows) {
  std::vector<double> dims;
  for (const KernelMeasurement& row : rows) dims.push_back(kernels::octaves(row.key.k));
  std::sort(dims.begin(), dims.end());
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  const C shape = r.now->constants;
  return {.member = &C::attention_knots,
          .grid = {.at = {std::vector<double>{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
                          std::vector<double>{-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, dims},
                   .stiffness = 0.4,
                   .shrink = 0.06},
          .place = [gpu = r.gpu, shape](const ops::KernelKey& key) {
            return kernels::place_of_attention(key, gpu, shape);
          }};
}

void fit_library(Recipe& r, KernelLibrary library, const std::string& name) {
  const std::string file = r.sources.file;
  const Rows rows = forward_of(r, file, name, false);
  if (rows.empty()) return;
  turn_to_attention_of(r, library);
  const std::string source = "attention_fwd_" + file + ".csv, " + name;
  set_shape(r.constants(), library, r.gpu);
  for (const auto member : {&C::attention_tile_rows, &C::attention_packs, &C::attention_splits})
    r.set(member, r.constants().*member, 0.0, "assumed: see attention.cpp");
  r.constants().attention_wrapper_start = 6e-6, r.constants().attention_cache_passes = 1.0;
  auto free = kernel_and_wrapper(r);
  if (library == KernelLibrary::trtllm) {
    free.push_back({&C::attention_query_passes, 0, 6});
    free.push_back({&C::attention_row_time, 0, 4e-10});
    free.push_back({&C::attention_long_rotation, 0, 2});
    r.constants().attention_query_passes = 1.5, r.constants().attention_row_time = 5e-11;
    r.constants().attention_long_rotation = 0.3;
    if (has_head_dims(r)) free.push_back({&C::attention_exposed, 0, 1.5});
  }
  r.fit("attention_forward",
        {.rows = rows,
         .free = free,
         .gpu = r.gpu,
         .predict = in_benchmark(r.gpu),
         .knots = knots_for(r, rows),
         .error = &C::error_attention_forward},
        free.size(), source);
}

// Training kernels of other machines, timed by themselves.
void fit_simumax(Recipe& r) {
  if (r.sources.training_gpu.empty()) return;
  turn_to_attention_of(r, KernelLibrary::simumax);
  const std::string source = "training_efficiency_simumax.csv, " + r.sources.training_gpu;
  const Rows forward = training_of(r, KernelKind::attention_forward),
             backward = training_of(r, KernelKind::attention_backward);
  r.set(&C::attention_throttle_half, 0.06, 0.03,
        "assumed: the power limit averages over tens of ms, and these kernels were repeated back to back");
  r.constants().attention_tail = 0.2;
  r.fit("attention_forward",
        {.rows = forward,
         .free = {{&C::attention_forward_rate, 0.2, 1.1},
                  {&C::attention_tail, 0, 1.5},
                  {&C::attention_forward_unequal, 0.8, 1.5},
                  {&C::attention_wrapper_start, 0, 1e-4},
                  {&C::attention_throttle, 0, 1.5}},
         .gpu = r.gpu,
         .predict = in_benchmark(r.gpu),
         .error = &C::error_attention_forward},
        5, source);
  r.fit("attention_backward",
        {.rows = backward,
         .free = {{&C::attention_backward_rate, 0.2, 1.1},
                  {&C::attention_backward_tail, 0, 1},
                  {&C::attention_backward_unequal, 1, 2},
                  {&C::attention_backward_throttle, 0, 1}},
         .gpu = r.gpu,
         .predict = in_benchmark(r.gpu),
         .error = &C::error_attention_backward},
        4, source);
}

}  // namespace

void fit_attention(Recipe& r) {
  LibraryCalibration* const training = r.now;
  fit_library(r, KernelLibrary::trtllm, "trtllm");
  const double exposed = r.constants().attention_exposed;
  r.now = training;
  if (has_head_dims(r))
    r.set(&C::attention_exposed, exposed, 0.2,
          "fitted: attention_fwd_" + r.sources.file + ".csv, trtllm's head dims");
  fit_training_forward(r);
  fit_training_backward(r);
  fit_library(r, KernelLibrary::sglang, "sglang");
  fit_simumax(r);
  r.now = training;
}

}  // namespace echo::calibrate
