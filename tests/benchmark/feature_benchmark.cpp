// Microseconds of one point by feature, warm tables, closed-form collectives, no skew: 16 384 GPUs, 512
// microbatches a replica (tp 8, pp 16, dp 128; mixtures: ep 64). Each row changes one thing of the plain one.
// Reported, never judged.
#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "base/named_table.hpp"
#include "config/catalog/catalog_files.hpp"
#include "simulate/simulate.hpp"
#include "timeline/schedule.hpp"
#include "training/axis.hpp"

namespace echo::simulate {
namespace {

using training::Axis;
using training::TrainingConfig;
using Change = std::function<void(TrainingConfig&)>;

struct World {
  config::CatalogInputs inputs = config::read_catalog();
  World() {  // time is the question, not memory
    for (machine::GpuSpec& gpu : inputs.catalog.gpus) gpu.memory = Bytes(std::int64_t{1} << 50);
  }
  [[nodiscard]] TrainingConfig plain() const {
    TrainingConfig c;
    const Catalog& catalog = inputs.catalog;
    c.model = training::ModelId(find_named(catalog.models, "llama3-405b"));
    c.cluster = machine::ClusterId(find_named(catalog.clusters, "dgx-h100-ndr400"));
    c.framework = training::FrameworkId(find_named(catalog.frameworks, "megatron-core"));
    c.named_recipe = training::RecipeId(find_named(catalog.recipes, "nvidia-performance"));
    const training::FrameworkSpec& framework = catalog.framework(c);
    c.recipe = framework.recipe;
    c.overlap = framework.overlap;
    c.zero = framework.zero;
    c.sequence_parallel = true;
    c.layers = {.embedding_is_layer = true, .loss_is_layer = true};
    c.degrees = {.tensor = 8, .pipeline = 16, .data = 128};
    c.batch = {.global_samples = 512 * 128, .micro_samples = 1, .sequence_tokens = 8192};
    c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
    return c;
  }
};
const World& world() {
  static const World made;
  return made;
}

void mixture(TrainingConfig& c) {
  c.model = training::ModelId(find_named(world().inputs.catalog.models, "deepseek-v3"));
  c.layers = {};
  c.batch.sequence_tokens = 4096;
  c.degrees.expert = 64;
}
void sharded(TrainingConfig& c) {
  c.zero = training::ZeroStage::parameters;
  c.degrees.pipeline = 1, c.degrees.data = 2048;
  c.batch.global_samples = 512 * 2048;
}
Change scheduled(const char* name) {
  return [name](TrainingConfig& c) {
    const auto table = timeline::schedule_table();
    c.schedule = training::ScheduleId(find_named(table, name));
    const timeline::Schedule& schedule = *table[static_cast<std::size_t>(c.schedule.index())];
    if (!schedule.interleaves) return;
    c.degrees.virtual_stages = schedule.copies > 1 ? 1 : 2;
    c.layers = {};
  };
}
Change chosen(Axis axis, std::int32_t value) {
  return [axis, value](TrainingConfig& c) { training::member_of(axis).set(c, value); };
}
Change both(Change first, Change second) {
  return [first = std::move(first), second = std::move(second)](TrainingConfig& c) { first(c), second(c); };
}

void point(benchmark::State& state, const Change& change) {
  TrainingConfig c = world().plain();
  change(c);
  Workspace ws;
  const StepReport report = simulate(c, world().inputs.catalog, world().inputs.calibration, ws);
  if (report.status != training::Status::ok) {
    state.SkipWithError(why_unsupported(c, world().inputs.catalog).text);
    return;
  }
  for (auto _ : state)
    benchmark::DoNotOptimize(simulate(c, world().inputs.catalog, world().inputs.calibration, ws));
  state.counters["step_s"] = to_seconds(report.step);
}

int register_all() {
  std::vector<std::pair<std::string, Change>> features{{"plain", [](TrainingConfig&) {}}};
  for (const timeline::Schedule* schedule : timeline::schedule_table())
    features.emplace_back(std::string("schedule=") + schedule->name, scheduled(schedule->name));
  const auto context = [](TrainingConfig& c) {
    c.degrees.tensor = 2, c.degrees.context = 4, c.degrees.data = 128;
  };
  for (const int comm : {0, 1, 2, 3})
    features.emplace_back("cp=4 cp_comm=" + std::to_string(comm), both(context, chosen(Axis::cp_comm, comm)));
  features.emplace_back("mixture", mixture);
  features.emplace_back("mixture capacity_factor", both(mixture, chosen(Axis::capacity_factor, 1250)));
  features.emplace_back("mixture expert_imbalance", both(mixture, chosen(Axis::expert_imbalance, 500)));
  features.emplace_back("mixture overlap_ep interleaved",
                        both(both(mixture, scheduled("interleaved")), [](TrainingConfig& c) {
                          c.recipe.overlap_ep = true, c.recipe.overlaps_shared_experts = false;
                        }));
  features.emplace_back("mixture mtp", both(mixture, chosen(Axis::mtp_layers, 1)));
  features.emplace_back("zero3", sharded);
  features.emplace_back("zero3 fsdp_prefetch=2", both(sharded, chosen(Axis::fsdp_prefetch, 2)));
  features.emplace_back("zero3 mixture", both(mixture, [](TrainingConfig& c) { sharded(c); }));
  features.emplace_back("recompute=full", [](TrainingConfig& c) { c.recompute = training::Recompute::full; });
  features.emplace_back("recompute=full block 2", [](TrainingConfig& c) {
    c.recompute = training::Recompute::full;
    c.recipe.recompute_method = training::RecomputeMethod::block, c.recipe.recompute_layers = 2;
  });
  features.emplace_back("recompute=per_op",
                        [](TrainingConfig& c) { c.recompute = training::Recompute::per_op; });
  features.emplace_back("fp8", [](TrainingConfig& c) { c.precision = machine::Precision::fp8; });
  features.emplace_back("cuda_graphs", chosen(Axis::cuda_graphs, 1));
  features.emplace_back("offload_optimizer", chosen(Axis::offload_optimizer, 1));
  features.emplace_back("zero3 offload_layers=1", both(sharded, chosen(Axis::offload_layers, 1)));
  features.emplace_back("lora_rank=16", chosen(Axis::lora_rank, 16));
  for (const auto& [name, change] : features)
    benchmark::RegisterBenchmark(("feature/" + name).c_str(), [change](benchmark::State& state) {
      point(state, change);
    })->Unit(benchmark::kMicrosecond);
  return 0;
}
const int registered = register_all();

}  // namespace
}  // namespace echo::simulate
