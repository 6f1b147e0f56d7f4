// Small models with parts that few families have.
#pragma once

#include <vector>

#include "tests/support/fixtures.hpp"

namespace echo::support {

// Attention and net behind one norm, a bias of the output layer (Phi-2).
inline training::ModelSpec tiny_phi() {
  training::ModelSpec m = tiny_gpt();
  m.name = "tiny-phi";
  m.positions = training::Positions::rope;
  m.tied_embeddings = false;
  m.single_norm = m.head_bias = true;
  return m;
}

// A norm behind the embedding, rows before the first position, norms without weights.
inline std::vector<training::ModelSpec> rare_models() {
  training::ModelSpec bloom = tiny_gpt(), opt = tiny_gpt(), olmo = tiny_llama(), olmo2 = tiny_llama();
  bloom.name = "tiny-bloom", bloom.embedding_norm = true, bloom.positions = training::Positions::alibi;
  opt.name = "tiny-opt", opt.position_offset = 2;
  olmo.name = "tiny-olmo", olmo.norm_weights = false;
  olmo2.name = "tiny-olmo2", olmo2.whole_query_key_norm = true;
  training::ModelSpec qwen = tiny_llama(), qwen_moe = tiny_mixture();
  qwen.name = "tiny-qwen", qwen.qkv_bias = true;
  qwen_moe.name = "tiny-qwen-moe", qwen_moe.qkv_bias = qwen_moe.shared_expert_gate = true;
  return {tiny_phi(), bloom, opt, olmo, olmo2, qwen, qwen_moe};
}

}  // namespace echo::support
