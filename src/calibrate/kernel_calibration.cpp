// The recipe: groups of constants that one table identifies are fitted one after another, each on the last.
//   1. Copy, rope and embedding from layer tables. The norm and activation kernels there are a server's,
//      slower than training's: reported only.
//   2. 16-bit products (bf16 rows): rate, tiles, waves, memory, ramp, throttle.
//   3. 8-bit products: what differs. Their rows include quantising the activation (two passes, 5 bytes an
//      element), whose bandwidth and start are nuisances: fitted, then dropped.
//   4. Layouts, from training tables of other machines of the kind: only the ratios to TN are kept; the
//      machine's own rate, ramp and throttle are nuisances.
//   5. Attention: softmax against head dim from a library that has several, then the rest from the training
//      library. Serving kernels also copy new keys and values into their cache: added to the prediction
//      (8 bytes an element), as is the server's start (a nuisance).
//   6. Backward attention from training tables, scaled by how the same machine's forward compares.
//   7. Power: how much slower products are inside a training step than in a micro-benchmark.
#include "calibrate/kernel_calibration.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/kernel_assumed.hpp"
#include "calibrate/training_rate.hpp"
#include "profile/price_kernels.hpp"

namespace echo::calibrate {

namespace {

using C = profile::KernelConstants;
using machine::Precision;
using ops::KernelKind;
using Rows = std::vector<KernelMeasurement>;

double price(const KernelMeasurement& row, const machine::GpuSpec& gpu, const C& constants) {
  return to_seconds(profile::price_kernel(row.key, gpu, constants).alone);
}

bool is_training_size(const KernelMeasurement& row) { return row.weight >= 1.0; }

struct Recipe {
  std::string folder;
  machine::GpuSpec gpu, attention_gpu;
  KernelSources sources;
  KernelCalibration out;

  std::size_t index_of(double C::*member) const {
    const auto fields = profile::kernel_constant_fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].member == member) return i;
    }
    return fields.size();
  }
  void set(double C::*member, double value, double error, std::string source) {
    out.constants.*member = value;
    out.origins[index_of(member)] = {error, std::move(source)};
  }
  double error_of(double C::*member) const { return out.origins[index_of(member)].error; }

  void assume();
  // Fits, keeps the first `kept` of the free constants, and files the held-out errors under `family`.
  C fit(const std::string& family, const FitProblem& problem, std::size_t kept, const std::string& source,
        const std::function<bool(const KernelMeasurement&)>& scored = is_training_size);
  void fit_products();
  void fit_layouts();
  void fit_attention();
  void fit_attention_backward();
  void fit_layer_ops();
  void fit_sustained();
};

void Recipe::assume() {
  const std::string& name = sources.gpu;
  for (const AssumedConstant& c : assumed_constants()) {
    const double value = name == "a100-sxm"   ? c.a100
                         : name == "h100-sxm" ? c.h100
                         : name == "h200-sxm" ? c.h200
                                              : c.blackwell;
    set(c.member, value, std::abs(value) * c.relative_error, c.source);
  }
  out.constants.gemm_sustained = out.constants.gemm_sustained_8 =
      0.0;  // the tables are micro-benchmarks; fitted last
}

C Recipe::fit(const std::string& family, const FitProblem& problem, std::size_t kept,
              const std::string& source, const std::function<bool(const KernelMeasurement&)>& scored) {
  const CrossValidation held_out = cross_validate(problem, out.constants, scored);
  const C fitted = fit_constants(problem, out.constants);
  for (std::size_t i = 0; i < kept; ++i) {
    const double C::*member = problem.free[i].member;
    set(problem.free[i].member, fitted.*member, held_out.spread[i], "fitted: " + source);
  }
  out.families.push_back({family, held_out.errors});
  return fitted;
}

void Recipe::fit_products() {
  const std::string file = "gemm_" + sources.file + ".csv, ";
  const Rows rows = read_gemms(folder, sources, Precision::bf16);
  fit("gemm_bf16",
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
       .gpu = gpu,
       .predict = {}},
      9, file + sources.gemm_library + " bf16");
  if (sources.gemm_8_library.empty()) return;
  const Rows narrow = read_gemms(folder, sources, Precision::fp8);
  const machine::GpuSpec spec = gpu;
  // memory_read and memory_half stand in for the bandwidth and the start of quantisation while this fit runs.
  const Prediction with_quantisation = [spec](const KernelMeasurement& row, const C& c) {
    const double passes = 5.0 * row.key.m * row.key.k / c.memory_read + c.memory_half;
    return price(row, spec, c) + passes / spec.memory_bandwidth.value;
  };
  fit("gemm_fp8_with_quantisation",
      {.rows = narrow,
       .free = {{&C::gemm_rate_8, 0.4, 1.0},
                {&C::gemm_tile_loss_8, 0, 128},
                {&C::gemm_prologue_8, 0, 4000},
                {&C::gemm_throttle_8, 0, 0.4},
                {&C::memory_read, 0.2, 2.0},
                {&C::memory_half, 0, 8e7}},
       .gpu = gpu,
       .predict = with_quantisation},
      4, file + sources.gemm_8_library + " fp8");
}

void Recipe::fit_layouts() {
  const Rows rows = read_training(folder, sources, KernelKind::gemm);
  if (rows.empty()) return;
  fit("gemm_training_layouts",
      {.rows = rows,
       .free = {{&C::gemm_nn, 0.9, 1.5},
                {&C::gemm_nt, 0.9, 1.5},
                {&C::gemm_rate_16, 0.3, 1.0},
                {&C::gemm_ramp, 0, 3e-5},
                {&C::gemm_throttle, 0, 0.4}},
       .gpu = gpu,
       .predict = {}},
      2, "training_efficiency_simumax.csv, " + sources.training_gpu + ", ratio to TN on the same machine");
}

// Serving kernels read and write the new keys and values once more, into their cache.
Prediction with_cache_copy(const machine::GpuSpec& gpu) {
  return [gpu](const KernelMeasurement& row, const C& c) {
    const double cache = 8.0 * row.key.n * row.key.k * row.key.groups;
    return price(row, gpu, c) + cache / (gpu.memory_bandwidth.value * c.memory_copy);
  };
}

void Recipe::fit_attention() {
  std::vector<FreeConstant> free{{&C::attention_forward_rate, 0.2, 1.0},
                                 {&C::attention_prologue, 0, 1000},
                                 {&C::attention_tail, 0, 1},
                                 {&C::attention_forward_softmax, 0, 200},
                                 {&C::attention_ramp, 0, 5e-5}};
  const KernelSources table = kernel_sources(attention_table_gpu(sources.gpu));
  const bool has_head_dims = sources.gpu != "a100-sxm";
  if (has_head_dims) {
    KernelSources several = sources;
    several.attention_library = "trtllm";
    const Rows rows = read_attention(folder, several);
    std::swap(free[0], free[3]);  // softmax first: the one that is kept
    fit("attention_other_library", {.rows = rows, .free = free, .gpu = gpu, .predict = with_cache_copy(gpu)},
        1, "attention_fwd_" + sources.file + ".csv, trtllm, head dims 64 against 128 (and 256)");
    std::swap(free[0], free[3]);
  }
  // The training library's rows have one head dim: softmax moves only where the rate would pass the peak.
  if (!has_head_dims) free.erase(free.begin() + 3);
  const Rows rows = read_attention(folder, table);
  fit("attention_forward",
      {.rows = rows, .free = free, .gpu = attention_gpu, .predict = with_cache_copy(attention_gpu)},
      has_head_dims ? 4 : 3,
      "attention_fwd_" + table.file + ".csv, " + table.attention_library +
          (has_head_dims ? "; softmax from trtllm's head dims" : ""));
}

void Recipe::fit_attention_backward() {
  const Rows backward = read_training(folder, sources, KernelKind::attention_backward);
  const Rows forward = read_training(folder, sources, KernelKind::attention_forward);
  if (backward.empty()) return;
  if (sources.gpu != "a100-sxm")
    out.constants.attention_backward_softmax = out.constants.attention_forward_softmax;
  const FitProblem forward_problem{
      .rows = forward,
      .free = {{&C::attention_forward_rate, 0.2, 1.0}, {&C::attention_ramp, 0, 2e-4}},
      .gpu = gpu,
      .predict = {}};
  // PCIe cards clock lower than SXM ones; B200 and GB200 differ in kernel, not in clock.
  const C here = fit_constants(forward_problem, out.constants);
  const double ratio =
      sources.gpu == "a100-sxm" ? out.constants.attention_forward_rate / here.attention_forward_rate : 1.0;
  fit("attention_backward",
      {.rows = backward,
       .free = {{&C::attention_backward_rate, 0.2, 1.0},
                {&C::attention_backward_tail, 0, 1},
                {&C::attention_ramp, 0, 2e-4}},
       .gpu = gpu,
       .predict = {}},
      2, "training_efficiency_simumax.csv, " + sources.training_gpu);
  out.constants.attention_backward_rate *= ratio;
}

void Recipe::fit_layer_ops() {
  const Rows all = read_layer_ops(folder, sources);
  if (all.empty()) return;
  // Rows larger than L2 only; the residual addition (r, r, w) is three passes and no mask: an elementwise op
  // of 1.5 n.
  const auto rows_of = [&](KernelKind kind) {
    Rows rows;
    for (KernelMeasurement row : all) {
      if (row.key.kind != kind ||
          static_cast<double>(row.key.m) * row.key.n * 2 < static_cast<double>(gpu.l2.value))
        continue;
      if (kind == KernelKind::residual_forward)
        row.key.kind = KernelKind::elementwise, row.key.n = row.key.n / 2 * 3;
      rows.push_back(row);
    }
    return rows;
  };
  const std::string table = "layer_ops_vidur.csv, " + sources.layer_gpu;
  const auto one = [&](const char* family, const Rows& rows, double C::*member, double upper,
                       std::size_t kept) {
    fit(family, {.rows = rows, .free = {{member, 0.05, upper}}, .gpu = gpu, .predict = {}}, kept, table);
  };
  // 0.93: the best published STREAM-like fraction; small rows profit from L2 and would say more.
  one("layer_add", rows_of(KernelKind::residual_forward), &C::memory_copy, 0.93, 1);
  one("layer_rope", rows_of(KernelKind::rope), &C::memory_rope, 1.0, 1);
  one("layer_embedding", rows_of(KernelKind::embedding_forward), &C::memory_embedding, 1.0, 1);
  one("layer_norm_of_a_server", rows_of(KernelKind::norm_forward), &C::memory_norm, 1.0, 0);
  one("layer_activation_of_a_server", rows_of(KernelKind::activation_forward), &C::memory_activation, 1.0, 0);
}

// The power limit of a training step. Hopper and Blackwell: read off published steps, see training_rate.cpp.
// A100: two signs of it in kernel tables, whose mean is taken: the longest kernels of the micro-benchmark,
// and another team's products, timed back to back for seconds (their launch gap is a nuisance, lent
// memory_half's place, in ns).
void Recipe::fit_sustained() {
  C& constants = out.constants;
  const double benchmark = constants.gemm_throttle;
  for (const TrainingRate& rate : training_rates()) {
    if (sources.gpu != rate.gpu) continue;
    set(&C::gemm_sustained, rate.sixteen_bit, rate.error, rate.source);
    set(&C::gemm_sustained_8, rate.eight_bit, rate.error, rate.source);
    return;
  }
  set(&C::gemm_sustained, benchmark, 0.05, "fitted: the longest kernels of gemm_" + sources.file + ".csv");
  Rows products;
  for (const KernelMeasurement& row : read_layer_ops(folder, sources)) {
    if (row.key.kind == KernelKind::gemm && row.key.m >= 1024) products.push_back(row);
  }
  if (products.empty()) return;
  const machine::GpuSpec spec = gpu;
  const FitProblem problem{.rows = products,
                           .free = {{&C::gemm_sustained, 0.001, 0.4}, {&C::memory_half, 0.0, 5000.0}},
                           .gpu = gpu,
                           .predict = [spec](const KernelMeasurement& row, const C& c) {
                             return price(row, spec, c) + c.memory_half * 1e-9;
                           }};
  fit("layer_products_power_only", problem, 1, "");
  const double elsewhere = constants.gemm_sustained;
  set(&C::gemm_sustained, (benchmark + elsewhere) / 2, std::max(0.02, std::abs(benchmark - elsewhere) / 2),
      "fitted: mean of the longest kernels of gemm_" + sources.file + ".csv and of layer_ops_vidur.csv");
}

}  // namespace

std::string attention_table_gpu(const std::string& gpu) { return gpu == "b200-sxm" ? "gb200" : gpu; }

KernelCalibration calibrate_kernels(const std::string& folder, const machine::GpuSpec& gpu,
                                    const machine::GpuSpec& attention_gpu) {
  Recipe recipe{folder, gpu, attention_gpu, kernel_sources(gpu.kernels), {}};
  recipe.out.constants.name = gpu.kernels;
  recipe.out.origins.resize(profile::kernel_constant_fields().size());
  recipe.assume();
  recipe.fit_layer_ops();
  recipe.fit_products();
  recipe.fit_layouts();
  recipe.fit_attention();
  recipe.fit_attention_backward();
  recipe.fit_sustained();
  return recipe.out;
}

}  // namespace echo::calibrate
