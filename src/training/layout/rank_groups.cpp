// Every kind of group but three is one digit of a rank number written in mixed radix: `ranks` values, each
// `stride` apart. Tensor and pipeline ranks of one replica are two digits (model); the embedding is on the
// first and the last value of a digit, a mirror on two opposite values.
#include "training/layout/rank_groups.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace echo::training {

namespace {

struct Digit {
  std::int32_t ranks = 1, stride = 1;
};

std::int32_t ranks_of_stage(const Degrees& d) { return d.tensor * d.context * d.data; }

Digit expert_digit(const GroupDegrees& g, GroupKind kind) {
  const Degrees& d = g.degrees;
  const std::int32_t grid = d.expert * d.expert_tensor, copies = ranks_of_stage(d) / grid;
  const std::int32_t replicas = d.data * d.context / g.sharing, sharing = std::max(1, copies / replicas);
  switch (kind) {
    case GroupKind::expert:
      return {d.expert, d.expert_tensor};
    case GroupKind::expert_within:
      return {g.experts_within, d.expert_tensor};
    case GroupKind::expert_across:
      return {d.expert / g.experts_within, d.expert_tensor * g.experts_within};
    case GroupKind::expert_tensor:
      return {d.expert_tensor, 1};
    case GroupKind::expert_data:
      return {copies, grid};
    case GroupKind::expert_shard:
      return {sharing, grid};
    case GroupKind::expert_replica:
      return {copies / sharing, grid * sharing};
    default:
      return {grid, 1};
  }
}

Digit digit_of(const GroupDegrees& g, GroupKind kind) {
  const Degrees& d = g.degrees;
  const std::int32_t copies = d.data * d.context;
  switch (kind) {
    case GroupKind::tensor:
      return {d.tensor, 1};
    case GroupKind::context:
      return {d.context, d.tensor};
    case GroupKind::context_inner:
      return {g.context_inner, d.tensor};
    case GroupKind::context_outer:
      return {d.context / g.context_inner, d.tensor * g.context_inner};
    case GroupKind::data:
      return {d.data, d.tensor * d.context};
    case GroupKind::data_context:
      return {copies, d.tensor};
    case GroupKind::shard:
      return {g.sharing, d.tensor};
    case GroupKind::replica:
      return {copies / g.sharing, d.tensor * g.sharing};
    case GroupKind::stage:
      return {ranks_of_stage(d), 1};
    case GroupKind::pipeline:
      return {d.pipeline, ranks_of_stage(d)};
    default:
      return expert_digit(g, kind);
  }
}

RankGroup members_of(Digit digit, std::int32_t rank) {
  const std::int32_t block = digit.ranks * digit.stride, below = rank % digit.stride;
  RankGroup group{.number = rank / block * digit.stride + below, .ranks = {}};
  for (std::int32_t i = 0; i < digit.ranks; ++i)
    group.ranks.push_back(rank / block * block + below + i * digit.stride);
  return group;
}

// Ranks of the same place in two stages, or in one.
RankGroup in_stages(std::int32_t first, std::int32_t second, std::int32_t number, std::int32_t place,
                    std::int32_t of_stage) {
  RankGroup group{.number = number, .ranks = {first * of_stage + place}};
  if (second != first) group.ranks.push_back(second * of_stage + place);
  return group;
}

}  // namespace

GroupDegrees group_degrees(const Degrees& degrees, const RankLayout& layout) {
  const std::int32_t within = layout.expert_within.ranks;
  return {.degrees = degrees,
          .sharing = layout.shard.ranks,
          .context_inner = layout.context_inner.ranks,
          .experts_within = degrees.expert % within == 0 ? within : 1};
}

RankGroup group_of(const GroupDegrees& g, GroupKind kind, std::int32_t rank) {
  const Degrees& d = g.degrees;
  ECHO_EXPECT(rank >= 0 && rank < gpus_of(d));
  const std::int32_t of_stage = ranks_of_stage(d), place = rank % of_stage, stage = rank / of_stage;
  const std::int32_t last = d.pipeline - 1;
  switch (kind) {
    case GroupKind::model: {
      RankGroup group{.number = place / d.tensor, .ranks = {}};
      for (std::int32_t i = 0; i < d.tensor * d.pipeline; ++i)
        group.ranks.push_back(place / d.tensor * d.tensor + i % d.tensor + i / d.tensor * of_stage);
      return group;
    }
    case GroupKind::embedding:
      ECHO_EXPECT(stage == 0 || stage == last);
      return in_stages(0, last, place, place, of_stage);
    case GroupKind::mirror: {
      const std::int32_t first = std::min(stage, last - stage);
      return in_stages(first, last - first, first * of_stage + place, place, of_stage);
    }
    default:
      return members_of(digit_of(g, kind), rank);
  }
}

Csr<std::int32_t> ranks_of_groups(const GroupDegrees& g, GroupKind kind) {
  const std::int32_t of_stage = ranks_of_stage(g.degrees), last = g.degrees.pipeline - 1;
  Csr<std::int32_t> groups;
  for (std::int32_t rank = 0; rank < gpus_of(g.degrees); ++rank) {
    const std::int32_t stage = rank / of_stage;
    if (kind == GroupKind::embedding && stage != 0 && stage != last) continue;
    const RankGroup group = group_of(g, kind, rank);
    if (group.ranks.front() != rank) continue;  // seen
    ECHO_ENSURE(group.number == groups.rows());
    for (const std::int32_t one : group.ranks) groups.push(one);
    groups.close_row();
  }
  return groups;
}

}  // namespace echo::training
