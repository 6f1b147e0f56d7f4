#include <algorithm>

#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

std::int32_t smallest_of(const TrainingConfig& c) {
  const Degrees& d = c.degrees;
  return std::min({d.tensor, d.pipeline, d.data, d.context, d.expert, d.expert_tensor, d.virtual_stages,
                   c.batch.global_samples, c.batch.micro_samples, c.batch.sequence_tokens});
}

constexpr SupportRule general_rules[] = {
    {{"every degree and batch size is at least 1",
      "tp pp dp cp ep etp vpp global_batch micro_batch seq_len gpus"},
     [](const Attempt& a) { return smallest_of(a.config) >= 1; }},
    {{"the recipe is not for this framework", "recipe framework"},
     [](const Attempt& a) { return a.config.named_recipe.is_none() || !a.framework.recipe_name.empty(); }},
    {{"latent attention needs fused attention", "model flash_attention"},
     [](const Attempt& a) { return !a.model.has_latent_attention() || a.config.flash_attention; }},
    {{"shard groups must divide the data-parallel ranks", "zero_group dp cp"},
     [](const Attempt& a) {
       const std::int32_t group = a.config.zero_group,
                          ranks = a.config.degrees.data * a.config.degrees.context;
       return group == 0 || (group <= ranks && ranks % group == 0);
     }},
    {{"tensor-parallel overlap needs sequence parallelism", "overlap_tp tp sequence_parallel"},
     [](const Attempt& a) {
       return !a.config.overlap.tensor || a.config.degrees.tensor == 1 || a.config.sequence_parallel;
     }},
    {{"a joint product is rotated where all layers rotate, by angles alone, queries and keys without norms",
      "fused_qkv_rope model"},
     [](const Attempt& a) {
       const ModelSpec& m = a.model;
       return !a.config.recipe.fused_qkv_rope ||
              (m.positions == Positions::rope && m.local.full_has_positions && !m.scaled_positions &&
               !m.has_latent_attention() && !m.query_key_norm && !m.whole_query_key_norm);
     }},
    {{"the cluster has fewer GPUs", "cluster gpus"},
     [](const Attempt& a) {
       return a.cluster.nodes == 0 || gpus_of(a.config.degrees) <= a.cluster.nodes * a.cluster.gpus_per_node;
     }},
    {{"GPUs must fill whole nodes", "cluster gpus"},
     [](const Attempt& a) {
       const std::int32_t gpus = gpus_of(a.config.degrees);
       return gpus % a.cluster.gpus_per_node == 0 || gpus < a.cluster.gpus_per_node;
     }},
    {{"the GPU has no such precision", "cluster gpu precision"},
     [](const Attempt& a) { return a.gpu.peak_of(a.config.precision).value > 0; }},
    {{"a microbatch of 2^31 tokens (or copies of them for experts) or more is not simulated",
      "model seq_len micro_batch etp"},
     [](const Attempt& a) {
       const Batch& b = a.config.batch;
       return std::int64_t{b.sequence_tokens} * b.micro_samples * std::max(1, a.model.experts_per_token) *
                  a.config.degrees.expert_tensor <
              std::int64_t{1} << 31;
     }},
    {{"tensor degree must divide the attention heads", "tp model"},
     [](const Attempt& a) { return a.model.heads % a.config.degrees.tensor == 0; }},
    {{"tensor degree must divide the key-value heads, or be a multiple of them", "tp model"},
     [](const Attempt& a) {
       const std::int32_t tp = a.config.degrees.tensor, heads = a.model.kv_heads;
       return heads % tp == 0 || tp % heads == 0;
     }},
    {{"tensor degree must divide the feed-forward width", "tp model"},
     [](const Attempt& a) { return a.model.ffn_hidden % a.config.degrees.tensor == 0; }},
    {{"tensor degree must divide the adapters' rank", "tp lora_rank"},
     [](const Attempt& a) { return a.config.recipe.lora_rank % a.config.degrees.tensor == 0; }},
    {{"tensor degree must divide the vocabulary (this framework does not pad it)", "tp model framework"},
     [](const Attempt& a) {
       return a.model.vocab % (a.framework.pads_vocabulary ? 1 : a.config.degrees.tensor) == 0;
     }},
    {{"sequence parallelism needs a sequence length that the tensor degree divides",
      "sequence_parallel seq_len tp cp"},
     [](const Attempt& a) {
       const Degrees& d = a.config.degrees;
       return !a.config.sequence_parallel || a.config.batch.sequence_tokens % (d.tensor * d.context) == 0;
     }},
    {{"virtual stages need a pipeline", "vpp pp"},
     [](const Attempt& a) { return a.config.degrees.virtual_stages == 1 || a.config.degrees.pipeline > 1; }},
    {{"more pipeline chunks than layers", "pp vpp model embedding_is_layer loss_is_layer"},
     [](const Attempt& a) {
       const auto& layers = a.config.layers;
       return chunks_of(a.config) <=
              a.model.layers + (layers.embedding_is_layer ? 1 : 0) + (layers.loss_is_layer ? 1 : 0);
     }},
    {{"data degree times microbatch must divide the global batch", "dp micro_batch global_batch"},
     [](const Attempt& a) {
       return a.config.batch.global_samples % (a.config.degrees.data * a.config.batch.micro_samples) == 0;
     }},
};

}  // namespace

extern const RuleSet general{"how work is divided", nullptr, general_rules};

}  // namespace echo::training::rules
