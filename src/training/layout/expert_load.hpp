// Tokens routed to the busiest experts' ranks of a mixture with uneven loads.
#pragma once

#include "training/config.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"

namespace echo::training {

// Copies of tokens relative to the mean, at the busiest rank of an expert group and at its busiest node.
struct ExpertLoad {
  double rank = 1.0, node = 1.0;
};
[[nodiscard]] ExpertLoad busiest_load(const TrainingConfig&, const ModelSpec&, const RankLayout&);

// Expected number of `parts` equal runs of experts (ranks, nodes) that hold one of a token's experts, where
// choices are even but for the run modelled, which gets `busiest` times the mean. A router that is limited to
// some groups of experts (ModelSpec::routing_groups) reaches fewer; groups and parts nest, or the limit is
// neglected.
[[nodiscard]] double parts_per_token(const ModelSpec&, std::int32_t parts, double busiest);

// The coefficient of variation beyond which loads drawn would be negative or exceed all tokens.
[[nodiscard]] double greatest_imbalance(const ModelSpec&);

// Rows at each expert for the `tokens` of one sending rank in a mixture with a capacity: dropped or padded to
// it.
// Source: Megatron-LM core/transformer/moe/moe_utils.py, get_capacity.
[[nodiscard]] std::int64_t expert_capacity(const TrainingConfig&, const ModelSpec&, std::int64_t tokens);

// Copies of tokens that the busiest rank's experts process per microbatch, counted once per rank that shares
// the expert.
[[nodiscard]] double routed_tokens(const TrainingConfig&, const ModelSpec&);

}  // namespace echo::training
