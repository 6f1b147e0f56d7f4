#include "training/layout/rank_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "tests/support/fixtures.hpp"

namespace echo::training {
namespace {

using support::a_config;
using support::layout_of;

// A rank's coordinates, the fastest first.
struct Place {
  std::int32_t tensor, context, data, stage;
  std::int32_t inner, outer;                 // context, cut in two
  std::int32_t shard, replica;               // data * context, cut in two
  std::int32_t expert_tensor, expert, copy;  // the second dealing-out
  std::int32_t within, across, expert_shard, expert_replica;
};

std::vector<Place> places_of(const GroupDegrees& g) {
  const Degrees& d = g.degrees;
  const std::int32_t copies = d.tensor * d.context * d.data / (d.expert * d.expert_tensor);
  const std::int32_t sharing = copies / (d.data * d.context / g.sharing);
  std::vector<Place> places;
  for (std::int32_t stage = 0; stage < d.pipeline; ++stage) {
    const std::size_t first = places.size();
    for (std::int32_t data = 0; data < d.data; ++data)
      for (std::int32_t context = 0; context < d.context; ++context)
        for (std::int32_t tensor = 0; tensor < d.tensor; ++tensor) {
          const std::int32_t copy = data * d.context + context;
          places.push_back({.tensor = tensor,
                            .context = context,
                            .data = data,
                            .stage = stage,
                            .inner = context % g.context_inner,
                            .outer = context / g.context_inner,
                            .shard = copy % g.sharing,
                            .replica = copy / g.sharing});
        }
    std::size_t at = first;
    for (std::int32_t copy = 0; copy < copies; ++copy)
      for (std::int32_t expert = 0; expert < d.expert; ++expert)
        for (std::int32_t tensor = 0; tensor < d.expert_tensor; ++tensor) {
          Place& p = places[at++];
          p.expert_tensor = tensor, p.expert = expert, p.copy = copy;
          p.within = expert % g.experts_within, p.across = expert / g.experts_within;
          p.expert_shard = copy % sharing, p.expert_replica = copy / sharing;
        }
  }
  return places;
}

// What all ranks of a group have in common.
using Common = std::array<std::int32_t, 4>;
Common common_of(const Place& p, GroupKind kind, std::int32_t stages) {
  switch (kind) {
    case GroupKind::tensor:
      return {p.stage, p.data, p.context};
    case GroupKind::context:
      return {p.stage, p.data, p.tensor};
    case GroupKind::context_inner:
      return {p.stage, p.data, p.outer, p.tensor};
    case GroupKind::context_outer:
      return {p.stage, p.data, p.inner, p.tensor};
    case GroupKind::data:
      return {p.stage, p.context, p.tensor};
    case GroupKind::data_context:
      return {p.stage, p.tensor};
    case GroupKind::shard:
      return {p.stage, p.replica, p.tensor};
    case GroupKind::replica:
      return {p.stage, p.shard, p.tensor};
    case GroupKind::expert:
      return {p.stage, p.copy, p.expert_tensor};
    case GroupKind::expert_within:
      return {p.stage, p.copy, p.across, p.expert_tensor};
    case GroupKind::expert_across:
      return {p.stage, p.copy, p.within, p.expert_tensor};
    case GroupKind::expert_tensor:
      return {p.stage, p.copy, p.expert};
    case GroupKind::expert_grid:
      return {p.stage, p.copy};
    case GroupKind::expert_data:
      return {p.stage, p.expert, p.expert_tensor};
    case GroupKind::expert_shard:
      return {p.stage, p.expert_replica, p.expert, p.expert_tensor};
    case GroupKind::expert_replica:
      return {p.stage, p.expert_shard, p.expert, p.expert_tensor};
    case GroupKind::stage:
      return {p.stage};
    case GroupKind::pipeline:
      return {p.data, p.context, p.tensor};
    case GroupKind::model:
      return {p.data, p.context};
    case GroupKind::embedding:
      return {p.data, p.context, p.tensor};
    case GroupKind::mirror:
      return {std::min(p.stage, stages - 1 - p.stage), p.data, p.context, p.tensor};
  }
  return {};
}

std::vector<std::vector<std::int32_t>> twin(const GroupDegrees& g, GroupKind kind) {
  const std::vector<Place> places = places_of(g);
  const std::int32_t stages = g.degrees.pipeline;
  std::map<Common, std::vector<std::int32_t>> groups;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const std::int32_t stage = places[rank].stage;
    if (kind == GroupKind::embedding && stage != 0 && stage != stages - 1) continue;
    groups[common_of(places[rank], kind, stages)].push_back(static_cast<std::int32_t>(rank));
  }
  std::vector<std::vector<std::int32_t>> sorted;
  for (const auto& [common, ranks] : groups) sorted.push_back(ranks);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::vector<GroupDegrees> many_degrees() {
  std::vector<GroupDegrees> all;
  for (const std::int32_t tensor : {1, 2, 3})
    for (const std::int32_t context : {1, 2, 4})
      for (const std::int32_t data : {1, 3, 4})
        for (const std::int32_t pipeline : {1, 2, 4}) {
          GroupDegrees g{
              .degrees = {.tensor = tensor, .pipeline = pipeline, .data = data, .context = context}};
          g.sharing = data * context % 2 == 0 ? 2 : data * context;
          g.context_inner = context == 4 ? 2 : 1;
          if (data == 4) g.degrees.expert = 4, g.experts_within = 2;
          if (tensor == 2 && data == 4) g.degrees.expert_tensor = 2;
          const std::int32_t grid = g.degrees.expert * g.degrees.expert_tensor;
          const std::int32_t copies = tensor * context * data / grid, replicas = data * context / g.sharing;
          if (copies % replicas == 0) all.push_back(g);
        }
  return all;
}

TEST(RankGroups, AreTheRanksThatDifferInOneCoordinate) {
  const std::vector<GroupDegrees> all = many_degrees();
  ASSERT_GT(all.size(), 50U);
  for (const GroupDegrees& g : all)
    for (std::int32_t k = 0; k < group_kind_count; ++k) {
      const auto kind = static_cast<GroupKind>(k);
      const Csr<std::int32_t> groups = ranks_of_groups(g, kind);
      const auto expected = twin(g, kind);
      ASSERT_EQ(groups.rows(), static_cast<std::int32_t>(expected.size())) << group_kind_names[k];
      for (std::int32_t i = 0; i < groups.rows(); ++i) {
        const auto row = groups.row(i);
        ASSERT_EQ(std::vector<std::int32_t>(row.begin(), row.end()), expected[static_cast<std::size_t>(i)])
            << group_kind_names[static_cast<std::size_t>(k)] << " tp " << g.degrees.tensor << " cp "
            << g.degrees.context << " dp " << g.degrees.data << " pp " << g.degrees.pipeline;
        for (const std::int32_t rank : row) ASSERT_EQ(group_of(g, kind, rank).number, i);
      }
    }
}

TEST(RankGroups, HaveTheShapesOfTheLayout) {
  TrainingConfig c = a_config({.tensor = 2, .pipeline = 4, .data = 8, .context = 4});
  c.degrees.expert = 16;
  c.zero = ZeroStage::optimizer;
  c.zero_group = 8;
  c.recipe.cp_comm = ContextComm::hybrid;
  c.recipe.cp_inner = 2;
  const RankLayout layout = layout_of(c, support::tiny_mixture());
  const GroupDegrees g = group_degrees(c.degrees, layout);
  const std::vector<std::pair<GroupKind, const machine::GroupSpan*>> shapes{
      {GroupKind::tensor, &layout.tensor},
      {GroupKind::context, &layout.context},
      {GroupKind::context_inner, &layout.context_inner},
      {GroupKind::context_outer, &layout.context_outer},
      {GroupKind::data, &layout.data},
      {GroupKind::data_context, &layout.data_context},
      {GroupKind::shard, &layout.shard},
      {GroupKind::replica, &layout.replica},
      {GroupKind::expert, &layout.expert},
      {GroupKind::expert_within, &layout.expert_within},
      {GroupKind::expert_across, &layout.expert_across},
      {GroupKind::expert_tensor, &layout.expert_tensor},
      {GroupKind::expert_grid, &layout.expert_grid},
      {GroupKind::expert_data, &layout.expert_data},
      {GroupKind::expert_shard, &layout.expert_shard},
      {GroupKind::expert_replica, &layout.expert_replica},
      {GroupKind::pipeline, &layout.pipeline},
      {GroupKind::embedding, &layout.embedding}};
  EXPECT_EQ(layout.expert_within.ranks, 8);
  for (const auto& [kind, span] : shapes) {
    const RankGroup group = group_of(g, kind, 0);
    const std::string_view name = group_kind_names[static_cast<std::size_t>(kind)];
    ASSERT_EQ(static_cast<std::int32_t>(group.ranks.size()), span->ranks) << name;
    for (std::int32_t i = 1; i < span->ranks; ++i)
      ASSERT_EQ(group.ranks[static_cast<std::size_t>(i)], i * span->stride) << name;
    std::map<std::int32_t, std::int32_t> on_node;
    for (const std::int32_t rank : group.ranks) ++on_node[rank / 8];
    EXPECT_EQ(static_cast<std::int32_t>(on_node.size()), span->nodes) << name;
    EXPECT_EQ(on_node[0], span->ranks_per_node) << name;
  }
  EXPECT_EQ(static_cast<std::int32_t>(group_of(g, GroupKind::model, 0).ranks.size()), layout.model.ranks);
}

}  // namespace
}  // namespace echo::training
