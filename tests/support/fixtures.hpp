// Small models and machines as functions, so that each test says what it needs.
#pragma once

#include "base/at.hpp"
#include "machine/cluster.hpp"
#include "machine/gpu.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"

namespace echo::support {

// 8 layers, hidden 1024, 16 heads, GELU, tied embeddings.
inline training::ModelSpec tiny_gpt() {
  return {.name = "tiny-gpt",
          .layers = 8,
          .hidden = 1024,
          .heads = 16,
          .kv_heads = 16,
          .head_dim = 64,
          .ffn_hidden = 4096,
          .vocab = 51200,
          .max_positions = 1024};
}

// 8 layers, hidden 1024, 16 heads sharing 4 key-value heads, SwiGLU, rotary positions, untied embeddings.
inline training::ModelSpec tiny_llama() {
  training::ModelSpec m = tiny_gpt();
  m.name = "tiny-llama";
  m.kv_heads = 4;
  m.ffn_hidden = 2816;
  m.vocab = 32000;
  m.gated_ffn = true;
  m.tied_embeddings = m.linear_bias = false;
  m.norm = training::Norm::rms;
  m.positions = training::Positions::rope;
  return m;
}

// 8 layers, the first dense, then 16 experts of which a token takes 2, and a shared one; else as tiny_llama.
inline training::ModelSpec tiny_mixture() {
  training::ModelSpec m = tiny_llama();
  m.name = "tiny-mixture";
  m.experts = 16, m.experts_per_token = 2, m.expert_ffn_hidden = 768;
  m.shared_expert_hidden = 1536, m.first_dense_layers = 1;
  return m;
}

inline machine::GpuSpec an_a100() {
  machine::GpuSpec gpu{.name = "a100"};
  gpu.peak[at(machine::Precision::bf16)] = FlopsPerSecond(312e12);
  gpu.peak[at(machine::Precision::fp16)] = FlopsPerSecond(312e12);
  gpu.memory = 80_GiB;
  gpu.l2 = 40_MiB;
  gpu.memory_bandwidth = BytesPerSecond(2039e9);
  gpu.nvlink = BytesPerSecond(300e9);
  gpu.sm_count = 108;
  gpu.compute_capability = 80;
  return gpu;
}

// Nodes of 8 GPUs, as many as asked for.
inline machine::ClusterSpec eight_gpu_nodes() {
  machine::ClusterSpec cluster{.name = "nodes-of-8"};
  cluster.scale_up.bandwidth = BytesPerSecond(300e9);
  cluster.scale_out.bandwidth = BytesPerSecond(25e9);
  return cluster;
}

inline training::FrameworkSpec plain_framework() { return {.name = "plain", .flash_attention = true}; }

inline training::TrainingConfig a_config(training::Degrees degrees = {}) {
  training::TrainingConfig c;
  c.degrees = degrees;
  c.batch = {.global_samples = 32, .micro_samples = 1, .sequence_tokens = 1024};
  return c;
}

// Layout with chunks placed round robin.
inline training::RankLayout layout_of(const training::TrainingConfig& c, const training::ModelSpec& m,
                                      const machine::ClusterSpec& cluster = eight_gpu_nodes()) {
  training::RankLayout layout;
  training::lay_out_ranks(c, m, cluster, {}, layout);
  return layout;
}

}  // namespace echo::support
