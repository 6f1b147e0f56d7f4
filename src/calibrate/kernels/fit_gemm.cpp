// Matrix products.
//   1. 16-bit products (bf16 rows): rate, tiles, waves, memory, ramp, throttle.
//   2. 8-bit products: the constants that differ. Their rows include quantising the activation (two passes, 5
//      bytes per element), whose bandwidth and start are nuisances: fitted, then dropped.
//   3. Layouts, from training tables of other machines of the kind: only the ratios to TN are kept; the
//      machine's own rate, ramp and throttle are nuisances.
//   4. Each library's own products, in more detail: its tiles are known (gemm_tiles.cpp), the rest is fitted,
//      quantisation included; then knots to the remaining deviation.
//   5. The machine of the training tables as a library: its rate, layouts, throttle and groups.
#include <algorithm>

#include "base/at.hpp"
#include "calibrate/kernels/kernel_recipe.hpp"
#include "kernels/price_kernels.hpp"

namespace echo::calibrate {

namespace {

using C = kernels::KernelConstants;
using config::MeasuredKernel;
using machine::Precision;
using ops::KernelKind, ops::KernelLibrary;

// Decode shapes and router products contain no information here; long products most.
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

bool is_training_product(const MeasuredKernel& row, const Recipe& r) {
  return row.gpu_name == r.sources.training_gpu && row.key.kind == KernelKind::gemm;
}

void fit_layouts(Recipe& r) {
  if (r.sources.training_gpu.empty()) return;
  const Rows rows = read_kernels(
      r.table("training_efficiency_simumax.csv"), r.presets,
      [&](const MeasuredKernel& row) { return is_training_product(row, r) && !row.key.grouped ? 1.0 : 0.0; });
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

// ---- libraries: shapes of at least 512 count, whatever their length

Rows rows_of(const Recipe& r, KernelLibrary library, Precision precision) {
  const auto name = ops::kernel_library_names.at(at(library));
  return read_kernels(r.table("gemm_" + r.sources.file + ".csv"), r.presets, [&](const MeasuredKernel& row) {
    if (row.library != name || row.key.precision != precision || !row.skipped.empty()) return 0.0;
    return row.in_region ? 1.0 : std::min({row.key.m, row.key.n, row.key.k}) >= 256 ? 0.1 : 0.0;
  });
}

// A micro-benchmark's time, quantisation and the issue of groups included.
Prediction as_measured(const Recipe& r) {
  return [&r](const KernelMeasurement& row, const C& c) {
    return to_seconds(kernels::price_kernel(row.key, r.gpu, c, kernels::Clocks::benchmark).alone);
  };
}

KnotPlan knots(kernels::Knots C::*member) {
  const std::vector<double> wide{8, 9, 10.5, 12, 14, 16};
  return {.member = member,
          .grid = {.at = {{{8, 9, 10, 11, 12, 13, 15}, wide, wide}}, .stiffness = 0.03, .shrink = 0.003},
          .place = [](const ops::KernelKey& key) {
            return std::array{kernels::octaves(key.m), kernels::octaves(key.n), kernels::octaves(key.k)};
          }};
}

// The search over this many rows uses fewer: neighbours in m matter little for the constants, but much for
// the knots.
constexpr std::size_t stride = 5;

struct Kind {
  bool is_ampere, is_blackwell;
};
Kind kind_of(const machine::GpuSpec& gpu) {
  return {gpu.compute_capability < 90, gpu.compute_capability >= 100};
}

constexpr const char* from_profiles =
    "from kernel names in published profiles; see src/kernels/mechanisms/gemm_tiles.cpp";

void fit_library_16(Recipe& r, KernelLibrary library, const std::string& table) {
  const Rows rows = rows_of(r, library, Precision::bf16);
  const Kind kind = kind_of(r.gpu);
  if (!kind.is_ampere) r.set(&C::gemm_tile_step, kind.is_blackwell ? 32 : 8, 0, from_profiles);
  C& start = r.constants();
  start.gemm_rate_16 = kind.is_ampere ? 1.2 : 0.95, start.gemm_tile_loss = kind.is_ampere ? 24 : 2;
  start.gemm_prologue = 200, start.gemm_wave_loss = kind.is_blackwell ? 0.6 : 0.9;
  start.gemm_bandwidth = 0.8, start.gemm_overlap_leak = 0.15, start.gemm_ramp = 2.7e-6;
  start.gemm_throttle = kind.is_ampere ? 0.04 : 0.13, start.gemm_throttle_half = 2e-3;
  start.gemm_l2 = 0.017, start.gemm_partials = 24;
  r.fit("gemm_bf16",
        {.rows = rows,
         .free = {{&C::gemm_rate_16, 0.5, 1.3},
                  {&C::gemm_tile_loss, 0, 128},
                  {&C::gemm_prologue, 0, 1000},
                  {&C::gemm_wave_loss, 0, 1},
                  {&C::gemm_bandwidth, 0.4, 1.0},
                  {&C::gemm_overlap_leak, 0, 0.5},
                  {&C::gemm_ramp, 0, 1e-5},
                  {&C::gemm_throttle, 0, 0.4},
                  {&C::gemm_throttle_half, 1e-4, 1e-2},
                  {&C::gemm_l2, 0.005, 0.04},
                  {&C::gemm_partials, 2, 40}},
         .gpu = r.gpu,
         .predict = as_measured(r),
         .knots = knots(&C::gemm_knots_16),
         .error = &C::error_gemm_16,
         .stride = stride},
        11, table + " bf16");
}

void fit_library_8(Recipe& r, KernelLibrary library, const std::string& table) {
  const Rows rows = rows_of(r, library, Precision::fp8);
  if (rows.empty()) return;
  const Kind kind = kind_of(r.gpu);
  const bool is_one_tile = library == KernelLibrary::sglang;
  if (is_one_tile) {
    const std::string source = "read off sgl-kernel/csrc/gemm/fp8_gemm_kernel.cu";
    r.set(&C::gemm_cluster_rows_8, 2, 0, source);
    r.set(&C::gemm_cluster_columns_8, kind.is_blackwell ? 2 : 1, 0, source);
  } else {
    r.set(&C::gemm_tile_step_8, kind.is_blackwell ? 32 : 8, 0, from_profiles);
  }
  C& start = r.constants();
  start.gemm_rate_8 = is_one_tile ? 1.1 : 0.95, start.gemm_tile_loss_8 = 2, start.gemm_prologue_8 = 300;
  start.gemm_wave_loss_8 = 0.8, start.gemm_bandwidth_8 = 0.7, start.gemm_overlap_leak_8 = 0.4;
  start.gemm_ramp_8 = 3e-6, start.gemm_throttle_8 = is_one_tile ? 0.5 : 0.1;
  start.gemm_throttle_half_8 = 3e-3, start.gemm_l2_8 = 0.017;
  start.gemm_cast_start = is_one_tile ? 2.5e-6 : 8e-6;
  start.gemm_cast_near = is_one_tile ? 4.5 : 6.5, start.gemm_cast_far = 2;
  std::vector<FreeConstant> free{
      {&C::gemm_rate_8, 0.5, 1.3},  {&C::gemm_tile_loss_8, 0, 128},   {&C::gemm_prologue_8, 0, 1500},
      {&C::gemm_wave_loss_8, 0, 1}, {&C::gemm_bandwidth_8, 0.4, 1.0}, {&C::gemm_overlap_leak_8, 0, 1},
      {&C::gemm_ramp_8, 0, 1e-5},   {&C::gemm_throttle_8, 0, 1},      {&C::gemm_throttle_half_8, 1e-4, 1e-2},
      {&C::gemm_l2_8, 0.005, 0.04}, {&C::gemm_cast_start, 0, 3e-5},   {&C::gemm_cast_near, 0, 20},
      {&C::gemm_cast_far, 0, 20}};
  if (is_one_tile) {
    start.gemm_ragged_8 = kind.is_blackwell ? 0.2 : 2;
    free.push_back({&C::gemm_ragged_8, 0, 6});
  }
  r.fit("gemm_fp8_with_quantisation",
        {.rows = rows,
         .free = free,
         .gpu = r.gpu,
         .predict = as_measured(r),
         .knots = knots(&C::gemm_knots_8),
         .error = &C::error_gemm_8,
         .stride = stride},
        free.size(), table + " fp8");
}

void fit_training_tables(Recipe& r) {
  // The table of Blackwell is a B200's; its relatives take only the attention backward from it.
  const bool is_relative = kind_of(r.gpu).is_blackwell && r.sources.gpu != r.sources.training_gpu;
  if (r.sources.training_gpu.empty() || is_relative) return;
  const Rows rows =
      read_kernels(r.table("training_efficiency_simumax.csv"), r.presets, [&](const MeasuredKernel& row) {
        // Groups are few, and run long enough to be as hot as a training step.
        return !is_training_product(row, r) ? 0.0 : row.key.grouped ? 2.0 : 1.0;
      });
  r.turn_to(KernelLibrary::simumax);
  C& start = r.constants();
  r.set(&C::gemm_streams, 4, 0, "Transformer Engine's default number of streams of a group");
  start.gemm_issue = 8.9e-6, start.gemm_throttle = 0.3, start.gemm_throttle_half = 2e-4;
  if (kind_of(r.gpu).is_blackwell)
    start.gemm_rate_16 = 0.95, start.gemm_tile_loss = 30, start.gemm_overlap_leak = 0.5;
  const FitProblem problem{.rows = rows,
                           .free = {{&C::gemm_rate_16, 0.4, 1.3},
                                    {&C::gemm_tile_loss, 0, 128},
                                    {&C::gemm_prologue, 0, 1000},
                                    {&C::gemm_wave_loss, 0, 1},
                                    {&C::gemm_bandwidth, 0.4, 1.0},
                                    {&C::gemm_overlap_leak, 0, 1},
                                    {&C::gemm_ramp, 0, 3e-5},
                                    {&C::gemm_nn, 0.9, 1.5},
                                    {&C::gemm_nt, 0.9, 1.5},
                                    {&C::gemm_throttle, 0, 0.6},
                                    {&C::gemm_throttle_half, 2e-5, 1e-2},
                                    {&C::gemm_issue, 0, 3e-5}},
                           .gpu = r.gpu,
                           .predict = as_measured(r),
                           .error = &C::error_gemm_16};
  const std::string source = "training_efficiency_simumax.csv, " + r.sources.training_gpu;
  const C before = r.constants();
  r.fit("gemm_groups", problem, 0, source, [](const KernelMeasurement& row) { return row.key.grouped; });
  r.constants() = before;
  r.fit("gemm_training", problem, problem.free.size(), source,
        [](const KernelMeasurement& row) { return !row.key.grouped; });
}

}  // namespace

void fit_gemm(Recipe& r) {
  fit_16_bit(r);
  fit_8_bit(r);
  fit_layouts(r);
  LibraryCalibration* const training = r.now;
  for (const KernelLibrary library : {KernelLibrary::sglang, KernelLibrary::trtllm}) {
    r.turn_to(library);
    const std::string table =
        "gemm_" + r.sources.file + ".csv, " + std::string(ops::kernel_library_names.at(at(library)));
    fit_library_16(r, library, table);
    fit_library_8(r, library, table);
  }
  fit_training_tables(r);
  r.now = training;
}

}  // namespace echo::calibrate
