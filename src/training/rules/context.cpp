#include <algorithm>

#include "training/layout/rank_layout.hpp"
#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

std::int32_t inner_of(const Attempt& a) { return context_inner_ranks(a.config, a.cluster); }

bool passes_round(const Attempt& a) {
  return a.config.recipe.cp_comm != ContextComm::all_gather && inner_of(a) < a.config.degrees.context;
}

bool looks_near(const Attempt& a) {
  return a.model.local.span > 0 && a.model.local.span < a.config.batch.sequence_tokens;
}

constexpr SupportRule context_rules[] = {
    {{"context parallelism needs fused attention", "cp flash_attention"},
     [](const Attempt& a) { return a.config.flash_attention; }},
    {{"context parallelism needs a sequence of 2 * cp equal pieces", "cp seq_len"},
     [](const Attempt& a) { return a.config.batch.sequence_tokens % (2 * a.config.degrees.context) == 0; }},
    {{"cp_inner must divide the context degree", "cp cp_inner cp_comm tp gpus cluster"},
     [](const Attempt& a) { return a.config.degrees.context % inner_of(a) == 0; }},
    {{"all-to-all context parallelism needs query and key-value heads per tensor rank that its group divides",
      "cp cp_inner cp_comm tp model gpus cluster"},
     [](const Attempt& a) {
       const std::int32_t tp = a.config.degrees.tensor, inner = inner_of(a);
       return a.model.heads / tp % inner == 0 && std::max(1, a.model.kv_heads / tp) % inner == 0;
     }},
    {{"windowed attention cannot go round a ring; use all_gather or a2a",
      "cp cp_inner cp_comm tp model seq_len gpus cluster"},
     [](const Attempt& a) { return !looks_near(a) || !passes_round(a); }},
    {{"chunked attention needs the whole sequence on a rank; use a2a",
      "cp cp_inner cp_comm tp model seq_len gpus cluster"},
     [](const Attempt& a) {
       return !looks_near(a) || !a.model.local.chunked || inner_of(a) == a.config.degrees.context;
     }},
    {{"attention sinks under context parallelism need a2a", "cp cp_inner cp_comm tp model gpus cluster"},
     [](const Attempt& a) { return !a.model.attention_sinks || inner_of(a) == a.config.degrees.context; }},
};

}  // namespace

extern const RuleSet context{
    "Transformer Engine context_parallel.py (attn_forward_func_with_cp and the classes it calls)",
    [](const Attempt& a) { return a.config.degrees.context > 1; }, context_rules};

}  // namespace echo::training::rules
