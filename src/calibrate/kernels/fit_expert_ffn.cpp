// Fused expert feed-forward of the serving libraries, each by itself.
//   1. Constants of the mechanism, and knots for the remaining deviation, from rows without chosen tiles (all
//      but a few of sglang's).
//   2. sglang: the rate of the tiles it chose by measuring, from the rows that have them.
// Rows of fewer than 1024 tokens count little. TensorRT-LLM's table has rows two to five times too slow
// whose tiles were never chosen (its collector finds the choice of another shape whose name begins with the
// same characters); the loss is insensitive to them.
#include "calibrate/kernels/kernel_recipe.hpp"
#include "kernels/mechanisms/expert_ffn.hpp"

namespace echo::calibrate {

namespace {

using C = kernels::KernelConstants;
using config::MeasuredKernel;
using ops::KernelLibrary;

constexpr std::int32_t least_tokens = 1024;
constexpr double weight_of_few_tokens = 0.1;

enum class Tiles : std::int8_t { usual, chosen };

Rows experts_of(const Recipe& r, KernelLibrary library, Tiles tiles) {
  return read_kernels(r.table("moe_" + r.sources.file + ".csv"), r.presets, [&](const MeasuredKernel& row) {
    if (row.key.library != library || !row.skipped.empty()) return 0.0;
    if (row.key.routing.tuned != (tiles == Tiles::chosen)) return 0.0;
    return row.key.m >= least_tokens ? 1.0 : weight_of_few_tokens;
  });
}

std::vector<FreeConstant> free_constants(KernelLibrary library) {
  const bool triton = library == KernelLibrary::sglang;
  std::vector<FreeConstant> free{{&C::expert_rate, 0.1, 1.0},       {&C::expert_prologue, 0, 500},
                                 {&C::expert_wave_loss, 0, 1},      {&C::expert_bandwidth, 0.3, 1.0},
                                 {&C::expert_overlap_leak, 0, 1},   {&C::expert_apart, 0, 1},
                                 {&C::expert_activation, 0.1, 1.5}, {&C::expert_combine, 0.1, 1.5},
                                 {&C::expert_ramp, 0, 8e-5},        {&C::expert_router, 0, 3e-8}};
  if (triton) {  // one tile for nearly all rows: its loss is part of the rate
    free.push_back({&C::expert_misaligned, 1, 6});
    free.push_back({&C::expert_reread, 0, 15});
    free.push_back({&C::expert_remote, 0, 1});
  } else {
    free.push_back({&C::expert_tile_loss, 0, 60});
    free.push_back({&C::expert_router_ramp, 0, 8e-5});
    free.push_back({&C::expert_router_fused, 0, 1e-8});
  }
  return free;
}

KnotGrid grid() {
  return {.at = {{{2, 4, 6, 8, 10, 12, 14}, {5, 6, 7, 8, 9, 10, 11, 12.5, 14}, {0, 2, 4, 6, 8, 9}}},
          .stiffness = 0.1,
          .shrink = 1e-3};
}

void fit_library(Recipe& r, KernelLibrary library, const std::string& name) {
  const std::string source = "moe_" + r.sources.file + ".csv, " + name;
  r.turn_to(library);
  C& start = r.constants();
  if (library == KernelLibrary::sglang)
    start.expert_rate = 0.4, start.expert_tuned_rate = 0.7, start.expert_misaligned = 3,
    start.expert_reread = 3, start.expert_remote = r.sources.gpu == "b200-sxm" ? 0.0 : 1.0,
    start.expert_apart = 0.1, start.expert_overlap_leak = 0.5, start.expert_ramp = 1e-5;
  const auto free = free_constants(library);
  const Rows usual = experts_of(r, library, Tiles::usual);
  r.fit("experts_" + name,
        {.rows = usual,
         .free = free,
         .gpu = r.gpu,
         .knots = {.member = &C::expert_knots,
                   .grid = grid(),
                   .place = [](const ops::KernelKey& key) { return kernels::place_of_experts(key); }},
         .error = &C::error_experts},
        free.size(), source);
  const Rows chosen = experts_of(r, library, Tiles::chosen);
  if (!chosen.empty())
    r.fit("experts_" + name + "_chosen_tiles",
          {.rows = chosen, .free = {{&C::expert_tuned_rate, 0.2, 1.0}}, .gpu = r.gpu}, 1, source);
}

}  // namespace

void fit_expert_ffn(Recipe& r) {
  LibraryCalibration* const before = r.now;
  fit_library(r, KernelLibrary::sglang, "sglang");
  fit_library(r, KernelLibrary::trtllm, "trtllm");
  r.now = before;
}

}  // namespace echo::calibrate
