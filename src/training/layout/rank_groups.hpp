// The GPU ranks of each communicator, in Megatron's rank order: tp fastest, then cp, dp, pp; within a stage a
// second order for the experts: etp, ep, expert-data. rank_layout.hpp has only their shapes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/csr.hpp"
#include "training/config.hpp"
#include "training/layout/rank_layout.hpp"

namespace echo::training {

enum class GroupKind : std::int8_t {
  tensor,
  context,
  context_inner,
  context_outer,
  data,
  data_context,
  shard,
  replica,
  expert,
  expert_within,
  expert_across,
  expert_tensor,
  expert_grid,
  expert_data,
  expert_shard,
  expert_replica,
  stage,  // all ranks of one pipeline stage
  pipeline,
  model,
  embedding,
  mirror  // the two stages that hold the same chunks of two copies of the model
};
inline constexpr std::int32_t group_kind_count = 21;
inline constexpr std::array<std::string_view, group_kind_count> group_kind_names{
    "tensor",      "context",     "context_inner", "context_outer",  "data",          "data_context",
    "shard",       "replica",     "expert",        "expert_within",  "expert_across", "expert_tensor",
    "expert_grid", "expert_data", "expert_shard",  "expert_replica", "stage",         "pipeline",
    "model",       "embedding",   "mirror"};

// Subdivisions of groups beyond the degrees. Each divides the degree it is part of.
struct GroupDegrees {
  Degrees degrees;
  std::int32_t sharing = 1;         // of data * context: ranks that share one copy of the sharded states
  std::int32_t context_inner = 1;   // of context
  std::int32_t experts_within = 1;  // of expert: those of one node
};
// For a layout with the same degrees. A number of experts per node that does not divide all of them counts
// as 1.
[[nodiscard]] GroupDegrees group_degrees(const Degrees&, const RankLayout&);

// One group and its index among all of its kind, which are in order of their first ranks.
struct RankGroup {
  std::int32_t number = 0;
  std::vector<std::int32_t> ranks;  // in the order of the group: ascending
};

// The group that contains `rank`. Contract: 0 <= rank < gpus_of(degrees); for `embedding`, a rank of the
// first or last stage.
[[nodiscard]] RankGroup group_of(const GroupDegrees&, GroupKind, std::int32_t rank);

// All groups of one kind, one per row.
[[nodiscard]] Csr<std::int32_t> ranks_of_groups(const GroupDegrees&, GroupKind);

}  // namespace echo::training
