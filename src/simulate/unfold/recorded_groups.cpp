#include "simulate/unfold/recorded_groups.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/at.hpp"

namespace echo::simulate {

namespace {

using trace::GroupRole;
using training::GroupKind;

const machine::GroupSpan& span_of(const training::RankLayout& layout, GroupKind kind) {
  switch (kind) {
    case GroupKind::tensor:
      return layout.tensor;
    case GroupKind::context:
      return layout.context;
    case GroupKind::context_inner:
      return layout.context_inner;
    case GroupKind::context_outer:
      return layout.context_outer;
    case GroupKind::shard:
      return layout.shard;
    case GroupKind::replica:
      return layout.replica;
    case GroupKind::expert:
      return layout.expert;
    case GroupKind::expert_within:
      return layout.expert_within;
    case GroupKind::expert_across:
      return layout.expert_across;
    case GroupKind::expert_tensor:
      return layout.expert_tensor;
    case GroupKind::expert_grid:
      return layout.expert_grid;
    case GroupKind::expert_data:
      return layout.expert_data;
    case GroupKind::expert_shard:
      return layout.expert_shard;
    case GroupKind::expert_replica:
      return layout.expert_replica;
    case GroupKind::embedding:
      return layout.embedding;
    default:
      return layout.data_context;
  }
}

// Kinds of group that may use a lane, the likeliest first: groups of one shape have the same ranks.
constexpr std::array on_tensor{GroupKind::tensor};
constexpr std::array on_context{GroupKind::context, GroupKind::context_inner, GroupKind::context_outer};
constexpr std::array on_expert{GroupKind::expert, GroupKind::expert_across, GroupKind::expert_within,
                               GroupKind::expert_tensor, GroupKind::expert_grid};
constexpr std::array on_data{GroupKind::data_context, GroupKind::shard,        GroupKind::replica,
                             GroupKind::expert_data,  GroupKind::expert_shard, GroupKind::expert_replica,
                             GroupKind::embedding};
constexpr std::array on_data_sharded{
    GroupKind::shard,          GroupKind::replica,     GroupKind::data_context, GroupKind::expert_shard,
    GroupKind::expert_replica, GroupKind::expert_data, GroupKind::embedding};

}  // namespace

GroupRole role_of(GroupKind kind) {
  switch (kind) {
    case GroupKind::tensor:
    case GroupKind::expert_tensor:
      return GroupRole::tensor;
    case GroupKind::context:
    case GroupKind::context_inner:
    case GroupKind::context_outer:
      return GroupRole::context;
    case GroupKind::data:
    case GroupKind::data_context:
    case GroupKind::replica:
    case GroupKind::expert_data:
    case GroupKind::expert_replica:
      return GroupRole::data;
    case GroupKind::shard:
    case GroupKind::expert_shard:
      return GroupRole::shard;
    case GroupKind::expert:
    case GroupKind::expert_within:
    case GroupKind::expert_across:
    case GroupKind::expert_grid:
      return GroupRole::expert;
    case GroupKind::pipeline:
    case GroupKind::embedding:
    case GroupKind::mirror:
      return GroupRole::pipeline;
    case GroupKind::stage:
    case GroupKind::model:
      break;
  }
  return GroupRole::unknown;
}

TraceGroups::TraceGroups(const training::Degrees& degrees, const training::RankLayout& layout,
                         trace::Trace& out)
    : layout_(layout),
      degrees_(training::group_degrees(degrees, layout)),
      out_(out),
      known_(training::group_kind_count) {}

GroupKind TraceGroups::like(std::span<const GroupKind> candidates, const machine::GroupSpan& wanted) {
  const auto same = [&](bool by_stride) {
    return std::find_if(candidates.begin(), candidates.end(), [&](GroupKind kind) {
      const machine::GroupSpan& span = span_of(layout_, kind);
      return span.ranks == wanted.ranks && (!by_stride || span.stride == wanted.stride);
    });
  };
  if (const auto found = same(true); found != candidates.end()) return *found;
  if (!noted_)
    out_.notes.push_back(
        "a group of " + std::to_string(wanted.ranks) +
        " ranks is not one of Megatron's order; the group for packed ranks is given instead");
  noted_ = true;
  const auto found = same(false);
  return found != candidates.end() ? *found : candidates.front();
}

GroupKind TraceGroups::kind_of(Lane lane, TimeCategory part, const machine::GroupSpan& span) {
  switch (lane) {
    case Lane::tensor:
      return like(on_tensor, span);
    case Lane::context:
      return like(on_context, span);
    case Lane::expert:
      return like(on_expert, span);
    case Lane::compute:
    case Lane::data:
    case Lane::host:
      break;
  }
  return part == TimeCategory::dp_comm ? like(on_data, span) : like(on_data_sharded, span);
}

GroupKind TraceGroups::kind_of(TailPlace place, TimeCategory part, const machine::GroupSpan& span,
                               std::int32_t stage) {
  if (place == TailPlace::grad_norm) return GroupKind::model;
  if (place == TailPlace::gradients && part == TimeCategory::other) return GroupKind::stage;
  if (part == TimeCategory::tp_comm) return GroupKind::tensor;
  const bool is_mirror = !layout_.mirrors.empty() && span == layout_.mirrors[at(stage)];
  if (is_mirror) return GroupKind::mirror;
  return kind_of(Lane::data, part, span);
}

std::int32_t TraceGroups::group(GroupKind kind, std::int32_t rank) {
  const training::RankGroup found = training::group_of(degrees_, kind, rank);
  std::vector<std::int32_t>& known = known_[at(kind)];
  const std::size_t number = at(found.number);
  if (known.size() <= number) known.resize(number + 1, -1);
  if (known[number] >= 0) return known[number];
  const std::string name(training::group_kind_names[at(kind)]);
  out_.groups.push_back(
      {.name = name + "-" + std::to_string(found.number), .role = role_of(kind), .ranks = found.ranks});
  return known[number] = static_cast<std::int32_t>(out_.groups.size()) - 1;
}

}  // namespace echo::simulate
