// Seeded random training configs over the preset catalog: the material of the property tests.
#pragma once

#include <algorithm>
#include <vector>

#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "config/catalog/catalog_files.hpp"
#include "simulate/simulate.hpp"
#include "timeline/schedule.hpp"
#include "training/axis.hpp"

namespace echo::support {

inline const config::CatalogInputs& presets() {
  static const config::CatalogInputs inputs = config::read_catalog();
  return inputs;
}

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  std::int32_t below(std::int32_t n) { return static_cast<std::int32_t>(draw_unit(seed_, 0, next_++) * n); }
  template <class T>
  T one_of(std::initializer_list<T> options) {
    return options.begin()[below(static_cast<std::int32_t>(options.size()))];
  }
  bool coin() { return below(2) == 1; }

 private:
  std::uint64_t seed_, next_ = 0;
};

template <class T>
std::int32_t named(const std::vector<T>& table, const char* name) {
  return find_named(table, name);
}

// Puts a mixture of experts, of which some are spread and some split, in place of the config's model.
inline void mix_experts(training::TrainingConfig& c, Draws& draws) {
  const auto& models = presets().catalog.models;
  c.model = training::ModelId(
      named(models, draws.one_of({"mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v2", "llama4-maverick"})));
  c.degrees.expert = draws.one_of({1, 2, 4, 8});
  c.degrees.expert_tensor = draws.one_of({1, c.degrees.tensor});
  c.sequence_parallel = c.degrees.tensor > 1;
  c.flash_attention = true;
  c.zero = std::min(c.zero, training::ZeroStage::gradients);
  c.recipe.overlap_ep = c.degrees.expert > 1 && draws.coin();
  if (!c.recipe.overlap_ep) return;
  c.recipe.overlaps_shared_experts = false;
  c.zero = std::min(c.zero, training::ZeroStage::optimizer);
  if (c.recompute == training::Recompute::full) c.recompute = training::Recompute::selective;
  if (c.degrees.pipeline == 1)
    c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
}

// A model whose layers differ in place of the config's: windows, chunks, Mamba-2, norms on both sides.
inline void vary_layers(training::TrainingConfig& c, Draws& draws) {
  const auto& models = presets().catalog.models;
  c.model = training::ModelId(named(
      models, draws.one_of({"mistral-7b", "gemma3-27b", "gpt-oss-20b", "llama4-scout", "nemotron-h-8b"})));
  c.degrees.expert = c.degrees.expert_tensor = 1;
  c.recipe.overlap_ep = false;
  c.sequence_parallel = c.degrees.tensor > 1;
  c.flash_attention = true;
  c.batch.sequence_tokens = draws.one_of({2048, 16384});
  if (models[static_cast<std::size_t>(c.model.index())].has_experts())
    c.zero = std::min(c.zero, training::ZeroStage::gradients);
}

// Any combination of features this version simulates; may be infeasible.
inline training::TrainingConfig random_config(std::uint64_t seed) {
  Draws draws(seed);
  const simulate::Catalog& catalog = presets().catalog;
  training::TrainingConfig c;
  c.model = training::ModelId(named(
      catalog.models, draws.one_of({"gpt3-6.7b", "gpt3-13b", "korthikanti-22b", "llama2-7b", "llama3-8b"})));
  c.cluster = machine::ClusterId(
      named(catalog.clusters,
            draws.one_of({"dgx-a100-hdr200", "dgx-h100-ndr400", "h800-96", "dgx-h100-fattree-2to1-ndr400"})));
  c.framework = training::FrameworkId(
      named(catalog.frameworks, draws.one_of({"megatron-lm", "megatron-core", "megatron-deepspeed"})));
  c.recipe = catalog.framework(c).recipe;
  c.degrees = {.tensor = draws.one_of({1, 2, 4, 8}),
               .pipeline = draws.one_of({1, 2, 4, 8}),
               .data = draws.one_of({1, 2, 3, 4}),
               .context = draws.one_of({1, 1, 1, 2})};
  if (c.degrees.pipeline > 1) c.degrees.virtual_stages = draws.one_of({1, 1, 2, 4});
  const std::int32_t micro = draws.one_of({1, 2});
  c.batch = {.global_samples = c.degrees.data * micro * c.degrees.pipeline * draws.one_of({1, 2, 5}),
             .micro_samples = micro,
             .sequence_tokens = 2048};
  const char* schedule = c.degrees.virtual_stages > 1 ? "interleaved" : draws.one_of({"1f1b", "gpipe"});
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), schedule));
  c.recompute = static_cast<training::Recompute>(draws.below(3));
  c.zero = static_cast<training::ZeroStage>(draws.below(4));
  if (c.zero > training::ZeroStage::none && c.degrees.data % 2 == 0) c.zero_group = draws.one_of({0, 2});
  c.sequence_parallel = c.degrees.tensor > 1 && draws.coin();
  c.flash_attention = draws.coin();
  c.overlap = {.grad_reduce = draws.coin(), .param_gather = draws.coin(), .pipeline = draws.coin()};
  if (draws.below(3) == 0) mix_experts(c, draws);
  if (draws.below(4) == 0) vary_layers(c, draws);
  using training::ContextComm;
  c.recipe.cp_comm =
      draws.one_of({ContextComm::ring, ContextComm::all_gather, ContextComm::ulysses, ContextComm::hybrid});
  return c;
}

// One of the entries of a table.
template <class T>
std::int32_t any_of(Draws& draws, const T& table) {
  return draws.below(static_cast<std::int32_t>(std::ssize(table)));
}

// Each axis by itself, whatever the others are: most of these configs are refused.
inline training::TrainingConfig wild_config(std::uint64_t seed) {
  Draws draws(seed);
  training::TrainingConfig c = random_config(seed);
  const simulate::Catalog& catalog = presets().catalog;
  for (const training::AxisInfo& info : training::axis_table) {
    const training::AxisMember& member = training::member_of(info.axis);
    if (member.set == nullptr || draws.below(3) != 0) continue;
    switch (info.kind) {
      case training::AxisKind::flag:
        member.set(c, draws.below(2));
        break;
      case training::AxisKind::word:
        member.set(c, draws.below(static_cast<std::int32_t>(member.words.size())));
        break;
      case training::AxisKind::words:
        member.set(c, draws.below(1 << member.words.size()));
        break;
      case training::AxisKind::count:
        member.set(c, draws.one_of({1, 2, 3, 4, 6, 8, 16}));
        break;
      case training::AxisKind::level:
        member.set(c, draws.below(std::min(info.highest, 5) + 1));
        break;
      case training::AxisKind::batch:
        member.set(c, draws.one_of({1, 12, 64, 512}));
        break;
      case training::AxisKind::preset:
      case training::AxisKind::version:
      case training::AxisKind::layer_list:
      case training::AxisKind::ratio:
        break;
    }
  }
  if (draws.coin()) c.model = training::ModelId(any_of(draws, catalog.models));
  if (draws.coin()) c.framework = training::FrameworkId(any_of(draws, catalog.frameworks));
  if (draws.coin()) c.cluster = machine::ClusterId(any_of(draws, catalog.clusters));
  if (draws.coin()) c.schedule = training::ScheduleId(any_of(draws, timeline::schedule_table()));
  c.recipe.mtp_layers = draws.below(4) == 0 ? draws.below(3) : 0;
  c.recipe.lora_rank = draws.below(4) == 0 ? 12 : 0;
  return c;
}

// Measured steps fit whatever the memory model thinks; property tests are about time.
inline simulate::Catalog catalog_with_roomy_gpus() {
  simulate::Catalog catalog = presets().catalog;
  for (machine::GpuSpec& gpu : catalog.gpus) gpu.memory = Bytes(std::int64_t{1} << 50);
  return catalog;
}

// Hosts whose times are assumed are ahead of the GPU but for the shortest kernels. Where a host binds, a
// longer pass gives it a lead that shortens what the next one waits, wherever in the pipeline that one is.
inline simulate::Catalog catalog_with_quick_hosts() {
  simulate::Catalog catalog = catalog_with_roomy_gpus();
  for (training::FrameworkSpec& framework : catalog.frameworks)
    if (!framework.host_measured) framework.host_per_kernel = std::chrono::microseconds(5);
  return catalog;
}

// Where all fits and no GPU waits for its host.
inline simulate::Catalog catalog_without_hosts() {
  simulate::Catalog catalog = catalog_with_roomy_gpus();
  for (training::FrameworkSpec& f : catalog.frameworks)
    f.host_per_kernel = f.host_per_peer = f.host_per_step = f.host_per_slice = SimTime::zero();
  return catalog;
}

}  // namespace echo::support
