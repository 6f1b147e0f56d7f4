// Sweeps of 10^9 and 10^12 raw combinations, as someone who crosses everything would write them.
#pragma once

#include "tests/support/random_space.hpp"

namespace echo::support {

// Four models by layers, heads and experts; clusters small and large.
inline simulate::Catalog large_catalog() {
  simulate::Catalog catalog = rich_catalog();
  catalog.models = {tiny_gpt(), tiny_llama(), tiny_gpt(), tiny_llama()};
  const std::array<std::int32_t, 4> layers{96, 80, 64, 56};
  for (std::size_t m = 0; m < 4; ++m) {
    catalog.models[m].name = "model-" + std::to_string(m);
    catalog.models[m].layers = layers[m];
    catalog.models[m].kv_heads = m % 2 == 0 ? 64 : 8;
    catalog.models[m].experts = m < 2 ? 0 : 8;
  }
  const machine::ClusterSpec nodes = catalog.clusters[0];
  for (const char* name : {"rail", "tree", "ethernet"}) {
    catalog.clusters.push_back(nodes);
    catalog.clusters.back().name = name;
  }
  return catalog;
}

// 1.06e9 raw combinations, of which some 10^5 survive.
inline sweep::SweepSpec billion_sweep() {
  using sweep::Axis;
  sweep::Dimension pair = numbers(Axis::seq_len, {4096, 8192, 16384, 32768, 131072});
  pair.columns.push_back(
      numbers(Axis::global_batch, {1 << 22, 1 << 22, 1 << 23, 1 << 24, 1 << 25}).columns[0]);
  sweep::SweepSpec spec;
  spec.batch_in_tokens = true;
  spec.dimensions = {names(Axis::model, {"model-0", "model-1", "model-2", "model-3"}),
                     names(Axis::cluster, {"nodes-of-8", "rail", "tree", "ethernet"}),
                     numbers(Axis::gpus, {256, 512, 1024, 2048, 4096, 8192}),
                     numbers(Axis::tp, {1, 2, 4, 8}),
                     numbers(Axis::pp, {1, 2, 4, 8, 16, 32}),
                     numbers(Axis::cp, {1, 2, 4, 8}),
                     numbers(Axis::ep, {1, 2, 4, 8}),
                     numbers(Axis::vpp, {1, 2, 3, 4, 5, 6}),
                     numbers(Axis::micro_batch, {1, 2, 4, 8, 16}),
                     names(Axis::schedule, {"1f1b", "interleaved", "gpipe", "zb-h1"}),
                     numbers(Axis::zero, {0, 1, 2, 3}),
                     names(Axis::recompute, {"none", "selective", "full"}),
                     numbers(Axis::sequence_parallel, {0, 1}),
                     names(Axis::precision, {"bf16", "fp8"}),
                     pair};
  spec.rules = {
      derive("dp", "gpus / (tp * pp * cp)"),
      derive("microbatches", "global_batch_sequences / (dp * micro_batch)"),
      keep("tp-in-nvlink", "tp <= cluster.nvlink_domain and tp <= model.kv_heads"),
      keep("even-stages", "model.layers % (pp * vpp) == 0"),
      keep("expert-layout", "ep == 1 or (model.experts % ep == 0 and (dp * cp) % ep == 0)"),
      keep("vpp-is-interleaved", "(schedule == 'interleaved') == (vpp > 1)"),
      keep("schedule-needs-stages", "schedule == '1f1b' or pp >= 4"),
      keep("fill-the-pipe", "microbatches >= 2 * pp"),
      keep("zero3-without-pp", "zero < 2 or pp == 1"),
      keep("sp-with-tp", "sequence_parallel == (tp > 1)"),
      keep("cp-for-long-context", "seq_len // cp <= 8192 and (cp == 1 or seq_len // cp >= 4096)"),
      keep("big-models-are-split", "model.layers * model.hidden <= 40000 * tp * pp"),
      keep("small-micro-batches", "micro_batch * seq_len <= 16384 * cp"),
      keep("short-pipe", "microbatches <= 16 * pp and microbatches % pp == 0"),
      keep("one-node-of-experts", "ep == 1 or ep * tp == 8"),
      keep("recompute-what-is-large", "(recompute == 'full') == (micro_batch * seq_len > 8192 * tp)"),
      keep("selective-or-short", "recompute != 'none' or seq_len <= 8192")};
  return spec;
}

// The same with the axes in the order that suits the rules least: what most of them read stands last.
inline sweep::SweepSpec billion_sweep_backwards() {
  sweep::SweepSpec spec = billion_sweep();
  std::reverse(spec.dimensions.begin(), spec.dimensions.end());
  return spec;
}

// 1.1e12 raw combinations: the settings that every layout can have crossed in as well.
inline sweep::SweepSpec trillion_sweep() {
  using sweep::Axis;
  sweep::SweepSpec spec = billion_sweep();
  for (const Axis axis : {Axis::flash_attention, Axis::overlap_grad_reduce, Axis::overlap_param_gather,
                          Axis::overlap_p2p, Axis::overlap_tp, Axis::embedding_is_layer, Axis::loss_is_layer})
    spec.dimensions.push_back(numbers(axis, {0, 1}));
  spec.dimensions.push_back(names(Axis::framework, {"megatron-core", "plain"}));
  spec.dimensions.push_back(names(Axis::gpu, {"a100", "other-gpu"}));
  spec.dimensions.push_back(numbers(Axis::etp, {1, 2}));
  return spec;
}

}  // namespace echo::support
