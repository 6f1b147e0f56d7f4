// A chunk's first forward and last backward put together from copies of its layers are those traced layer by
// layer.
#include "workload/layer/layer_copy.hpp"

#include <gtest/gtest.h>

#include "simulate/schedule_of.hpp"
#include "simulate/simulate.hpp"
#include "tests/support/random_recipe.hpp"
#include "tests/support/same_workload.hpp"
#include "training/memory/memory.hpp"
#include "workload/generate_workload.hpp"
#include "workload/traffic/bucketed_chunk.hpp"
#include "workload/traffic/data_traffic.hpp"

namespace echo::workload {
namespace {

using training::TrainingConfig;

// Returns how many layers were copied.
std::int32_t check_chunks(const TrainingConfig& c, std::uint64_t seed) {
  const simulate::Catalog& catalog = support::presets().catalog;
  const timeline::Schedule& schedule = simulate::schedule_of(c, catalog);
  training::RankLayout layout;
  if (simulate::first_refusal(c, catalog, schedule, layout)) return 0;
  const DataTraffic traffic(c, layout);
  if (traffic.in_units || !(traffic.reduces_last || traffic.gathers_buckets)) return 0;
  const StepSource step{.config = c,
                        .model = catalog.model(c.model),
                        .framework = catalog.framework(c),
                        .cluster = catalog.cluster(c.cluster),
                        .layout = layout,
                        .backward = simulate::backward_of(schedule),
                        .compute_capability = catalog.gpu(c).compute_capability};
  const BlockContext x{.config = c,
                       .model = step.model,
                       .framework = step.framework,
                       .layout = layout,
                       .vocabulary = training::padded_vocabulary(c, step.model, step.framework),
                       .splits_backward = step.backward == Backward::split,
                       .compute_capability = step.compute_capability,
                       .load = training::busiest_load(c, step.model, layout),
                       .adds_gradients = traffic.adds_each};
  Workload out;
  Body body;
  generate_body(step, out, body);
  Builder b(out);
  b.resume(body);
  std::int32_t layers = 0;
  for (std::size_t i = 0; i < layout.chunk_layers.size(); ++i) {
    const ChunkContents chunk{.layers = layout.chunk_layers[i],
                              .first_layer = layout.chunk_first_layer[i],
                              .first = layout.opens_model(i),
                              .last = layout.closes_model(i),
                              .trained = training::trained_chunk_parameters(
                                  c, step.model, step.framework, layout, static_cast<std::int32_t>(i))};
    for (const Gather gather : {Gather::yes, Gather::no}) {
      const BlockId copied = bucketed_forward(b, x, chunk, gather, &body.blocks);
      support::expect_equal(out.blocks[at(copied)], out.blocks[at(bucketed_forward(b, x, chunk, gather))],
                            seed);
    }
    if (!traffic.reduces_last) continue;
    const BlockId copied = bucketed_backward(b, x, chunk, Reduce::yes, &body.blocks);
    const BlockId traced = bucketed_backward(b, x, chunk, Reduce::yes);
    support::expect_equal(out.blocks[at(copied)], out.blocks[at(traced)], seed);
    layers += x.splits_backward ? 0 : chunk.layers;
  }
  return layers;
}

TEST(LayerCopy, IsTheLayerTracedAnew) {
  std::int32_t layers = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    layers += check_chunks(support::small_world(seed), seed);
    layers += check_chunks(support::random_config(seed), seed);
  }
  EXPECT_GT(layers, 500);
}

}  // namespace
}  // namespace echo::workload
