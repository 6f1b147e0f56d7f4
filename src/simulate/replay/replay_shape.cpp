// Extending a traced job to more ranks.
//
// Problem. A trace belongs to one world size; a user wants to know about others. The work of a rank depends
// on the tensor, pipeline, context and expert degrees, so those stay. Along the data-parallel dimension
// ranks do the same work on other data: more of them change the size of the groups in which they meet, and
// nothing else except what is divided among them.
//
// Idea. Growth by k stretches one dimension of the rank grid, the one of the largest group that grows, in
// place: its ranks keep their neighbours inside it, and dimensions outside of it (pipeline stages in
// Megatron's order) move further apart. A group that grows takes the corresponding places of all k copies.
// Where no such dimension can be derived, copies of the whole job are placed one behind the other. Where
// every group either lies across the dimension or contains all of it, the dimension may have any length,
// also a shorter one: ranks beyond its end are mapped to the remaining ones, modulo its length.
//
// Groups that grow are those of role data and shard, and those of all ranks. If there are several, the one
// that lies across the tensor and context groups is the dimension (Megatron reduces gradients over data and
// context ranks together). Where a rank is in one group of each role, the two have nothing else in common
// and together make up the data-parallel ranks (HSDP: shards within, replicas between), only the replicas
// multiply.
//
// Payloads. An all-reduce moves the same bytes for any number of ranks; all-gather and reduce-scatter are
// known by their larger buffer, which stays. The optimizer pass works on a k-th where states are spread over
// what grows: over shard groups, or where gradients are reduced and scattered over a group that grows.
// Neglected: bucket sizes that follow the data degree (Megatron's default), padding to the number of ranks.
#include "simulate/replay/replay_shape.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "machine/placement.hpp"
#include "training/layout/rank_layout.hpp"

namespace echo::simulate {

namespace {

using trace::GroupRole;

bool has(const trace::Group& group, std::int32_t rank) {
  return std::find(group.ranks.begin(), group.ranks.end(), rank) != group.ranks.end();
}

// The largest group of a role that contains this rank; null where there is none.
const trace::Group* largest(const trace::Trace& trace, GroupRole role, std::int32_t rank) {
  const trace::Group* found = nullptr;
  for (const trace::Group& group : trace.groups) {
    if (group.role != role || !has(group, rank)) continue;
    if (found == nullptr || group.ranks.size() > found->ranks.size()) found = &group;
  }
  return found;
}
std::int32_t size_of(const trace::Group* group) {
  return group == nullptr ? 1 : static_cast<std::int32_t>(group->ranks.size());
}

std::int32_t common_ranks(const trace::Group* a, const trace::Group* b) {
  if (a == nullptr || b == nullptr) return 0;
  std::int32_t common = 0;
  for (const std::int32_t rank : a->ranks) common += has(*b, rank);
  return common;
}

// The largest group of a role that has only this rank in common with its tensor and context groups; the
// largest of all if there is none.
const trace::Group* across(const trace::Trace& trace, GroupRole role, std::int32_t rank) {
  const trace::Group* const tensor = largest(trace, GroupRole::tensor, rank);
  const trace::Group* const context = largest(trace, GroupRole::context, rank);
  const trace::Group* found = nullptr;
  for (const trace::Group& group : trace.groups) {
    if (group.role != role || !has(group, rank)) continue;
    if (common_ranks(&group, tensor) > 1 || common_ranks(&group, context) > 1) continue;
    if (found == nullptr || group.ranks.size() > found->ranks.size()) found = &group;
  }
  return found == nullptr ? largest(trace, role, rank) : found;
}

bool are_crossed(const trace::Group* data, const trace::Group* shard, std::int32_t world) {
  if (size_of(data) < 2 || size_of(shard) < 2) return false;
  return common_ranks(data, shard) == 1 && world % (std::int64_t{size_of(data)} * size_of(shard)) == 0;
}

// Fills stride and size where the group's members are exactly one dimension of the grid.
void find_dimension(const trace::Group& group, std::int32_t world, TraceShape& out) {
  std::vector<std::int32_t> ranks = group.ranks;
  std::sort(ranks.begin(), ranks.end());
  out.stride = world, out.size = 1;
  const auto size = static_cast<std::int32_t>(ranks.size());
  if (size < 2) return;
  const std::int32_t stride = ranks[1] - ranks[0];
  for (std::size_t i = 1; i < ranks.size(); ++i)
    if (ranks[i] - ranks[i - 1] != stride) return;
  if (ranks[0] / stride % size != 0 || world % (std::int64_t{stride} * size) != 0) return;
  out.stride = stride, out.size = size;
}

template <class Test>
bool any_node(const trace::Trace& trace, Test test) {
  for (const trace::RankTrace& rank : trace.ranks)
    if (std::any_of(rank.nodes.begin(), rank.nodes.end(), test)) return true;
  return false;
}
bool sends(const trace::Trace& trace) {
  return any_node(trace, [](const trace::Node& node) {
    return node.kind == trace::NodeKind::send || node.kind == trace::NodeKind::recv;
  });
}
bool scatters(const trace::Trace& trace, const std::vector<std::uint8_t>& grows) {
  return any_node(trace, [&](const trace::Node& node) {
    return node.kind == trace::NodeKind::collective && node.group >= 0 && grows[at(node.group)] != 0 &&
           node.collective == ops::CollectiveKind::reduce_scatter;
  });
}

// Whether each group either has one place of the dimension, or grows and contains all of them.
bool has_whole_lines(const trace::Trace& trace, const TraceShape& shape) {
  if (shape.size < 2) return false;
  for (std::size_t i = 0; i < trace.groups.size(); ++i) {
    std::vector<std::int32_t> places;
    for (const std::int32_t rank : trace.groups[i].ranks) places.push_back(rank / shape.stride % shape.size);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    const bool is_whole = std::ssize(places) == shape.size && shape.grows[i] != 0;
    if (places.size() > 1 && !is_whole) return false;
  }
  return true;
}

void find_degrees(const trace::Trace& trace, std::int32_t rank, std::int32_t data, TraceShape& out) {
  training::Degrees& d = out.degrees;
  d.data = data;
  d.tensor = size_of(largest(trace, GroupRole::tensor, rank));
  d.context = size_of(largest(trace, GroupRole::context, rank));
  d.expert = size_of(largest(trace, GroupRole::expert, rank));
  d.pipeline = size_of(largest(trace, GroupRole::pipeline, rank));
  if (training::gpus_of(d) == trace.world) return;
  const std::int64_t inner = std::int64_t{d.tensor} * d.context * data;
  d.pipeline = 1;
  if (trace.world % inner == 0 && (sends(trace) || inner == trace.world)) {
    d.pipeline = static_cast<std::int32_t>(trace.world / inner);
  } else {
    d.context = 1, d.tensor = trace.world / data;
  }
}

}  // namespace

TraceShape shape_of(const trace::Trace& trace) {
  TraceShape out;
  out.grows.assign(trace.groups.size(), 0);
  out.stride = trace.world;
  const std::int32_t rank = trace.ranks.empty() ? 0 : trace.ranks.front().rank;
  const trace::Group* const data = across(trace, GroupRole::data, rank);
  const trace::Group* const shard = across(trace, GroupRole::shard, rank);
  const bool crossed = are_crossed(data, shard, trace.world);
  const std::int32_t degree =
      crossed ? size_of(data) * size_of(shard) : std::max(size_of(data), size_of(shard));
  out.can_grow = (data != nullptr || shard != nullptr) && trace.world % degree == 0;
  find_degrees(trace, rank, out.can_grow ? degree : 1, out);
  if (!out.can_grow) return out;
  for (std::size_t i = 0; i < trace.groups.size(); ++i) {
    const GroupRole role = trace.groups[i].role;
    const bool is_all = size_of(&trace.groups[i]) == trace.world;
    out.grows[i] = role == GroupRole::data || (role == GroupRole::shard && !crossed) || is_all;
  }
  out.splits_states = !crossed && (shard != nullptr || scatters(trace, out.grows));
  const bool by_data = crossed || shard == nullptr || (data != nullptr && size_of(data) >= size_of(shard));
  find_dimension(by_data ? *data : *shard, trace.world, out);
  out.can_be_any = has_whole_lines(trace, out);
  return out;
}

double growth_of(const TraceShape& shape, const training::Degrees& degrees) {
  const std::int64_t length = std::int64_t{degrees.data} * shape.size;
  const bool fits = shape.can_be_any ? length % shape.degrees.data == 0 && length >= shape.degrees.data
                                     : degrees.data % shape.degrees.data == 0;
  return fits ? static_cast<double>(degrees.data) / shape.degrees.data : 0.0;
}

namespace {

struct Replay {
  const trace::Trace& trace;
  const TraceShape& shape;
  const training::Degrees& degrees;
  const machine::ClusterSpec& cluster;
};

struct ReplayRule {
  Refusal otherwise;
  bool (*holds)(const Replay&);
};

constexpr ReplayRule replay_rules[] = {
    {{"the trace has no rank", "model"}, [](const Replay& r) { return !r.trace.ranks.empty(); }},
    {{"tensor, pipeline and context degree are those of the trace; trace the job again for others",
      "tp pp cp model"},
     [](const Replay& r) {
       const training::Degrees &asked = r.degrees, &traced = r.shape.degrees;
       return asked.tensor == traced.tensor && asked.pipeline == traced.pipeline &&
              asked.context == traced.context;
     }},
    {{"the data degree must be a multiple of the traced one, as some groups take in a part of the "
      "data-parallel ranks",
      "dp model"},
     [](const Replay& r) { return growth_of(r.shape, r.degrees) != 0.0; }},
    {{"no group of the trace has the role data or shard, so only its own number of GPU ranks can be "
      "simulated; list the groups that grow in data_groups",
      "dp model"},
     [](const Replay& r) { return growth_of(r.shape, r.degrees) == 1.0 || r.shape.can_grow; }},
    {{"more GPU ranks than the cluster has GPUs", "gpus cluster"},
     [](const Replay& r) {
       const std::int64_t machine = std::int64_t{r.cluster.nodes} * r.cluster.gpus_per_node;
       return r.cluster.nodes <= 0 || training::gpus_of(r.degrees) <= machine;
     }},
};

}  // namespace

Refusal why_trace_cannot(const trace::Trace& trace, const TraceShape& shape,
                         const training::TrainingConfig& config, const machine::ClusterSpec& cluster) {
  for (const ReplayRule& rule : replay_rules)
    if (!rule.holds({trace, shape, config.degrees, cluster})) return rule.otherwise;
  return {};
}

std::vector<Refusal> replay_refusals() {
  std::vector<Refusal> all;
  for (const ReplayRule& rule : replay_rules) all.push_back(rule.otherwise);
  return all;
}

TraceRanks::TraceRanks(const trace::Trace& trace, const TraceShape& shape,
                       const training::TrainingConfig& config, const machine::ClusterSpec& cluster)
    : trace_(trace),
      shape_(shape),
      length_(static_cast<std::int32_t>(std::int64_t{shape.size} * config.degrees.data / shape.degrees.data)),
      domain_(std::max(cluster.gpus_per_node, cluster.scale_up_domain)),
      gpus_per_node_(cluster.gpus_per_node),
      gpus_(training::gpus_of(config.degrees)) {
  copies_ = (length_ + shape.size - 1) / shape.size;
  machine::place_ranks(config.fabric.placement, gpus_, domain_,
                       static_cast<std::uint64_t>(config.fabric.placement_seed), slots_);
}

std::int32_t TraceRanks::place(std::int32_t traced, std::int32_t copy) const {
  const std::int32_t block = shape_.stride * shape_.size, i = traced / shape_.stride % shape_.size;
  const std::int32_t place = (i + copy * shape_.size) % length_;
  return traced / block * shape_.stride * length_ + place * shape_.stride + traced % shape_.stride;
}

machine::GroupSpan TraceRanks::span(std::int32_t group) const {
  std::vector<std::int32_t> ranks;
  const auto add = [&](std::int32_t rank, bool grows) {
    for (std::int32_t copy = 0; copy < (grows ? copies_ : 1); ++copy) ranks.push_back(place(rank, copy));
  };
  if (group < 0) {
    for (std::int32_t rank = 0; rank < trace_.world; ++rank) add(rank, true);
  } else {
    for (const std::int32_t rank : trace_.groups[at(group)].ranks) add(rank, shape_.grows[at(group)] != 0);
  }
  return span_of_ranks(ranks);
}

machine::GroupSpan TraceRanks::span_of_pair(std::int32_t from, std::int32_t to) const {
  std::vector<std::int32_t> ranks{place(from, 0), place(to, 0)};
  machine::GroupSpan span = span_of_ranks(ranks);
  // The ranks of a node that have their partner on another one are as many as the distance of the pair.
  if (span.nodes > 1)
    span.sharing = std::min(std::min(domain_, gpus_), std::max(1, std::abs(ranks[1] - ranks[0])));
  return span;
}

// Evenly spaced ranks of a packed job are described as the generator describes them, which takes every group
// to be like the first; groups that are spread over nodes otherwise than the first one, and ranks that are
// not evenly spaced, are described by their places.
machine::GroupSpan TraceRanks::span_of_ranks(std::vector<std::int32_t>& ranks) const {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  const auto count = static_cast<std::int32_t>(ranks.size());
  if (count < 2) return {};
  machine::GroupSpan span{.ranks = count, .nodes = 0, .stride = ranks[1] - ranks[0]};
  bool even = slots_.empty();
  for (std::size_t i = 1; i < ranks.size(); ++i) even = even && ranks[i] - ranks[i - 1] == span.stride;
  if (!slots_.empty())
    for (std::int32_t& rank : ranks) rank = slots_[at(rank)];
  std::int32_t apart = gpus_;
  for (std::size_t i = 1; i < ranks.size(); ++i)
    if (ranks[i] / domain_ != ranks[i - 1] / domain_)
      apart = std::min(apart, std::abs(ranks[i] - ranks[i - 1]));
  std::sort(ranks.begin(), ranks.end());
  for (std::size_t i = 0, there = 0; i < ranks.size(); ++i) {
    const bool on_new_node = i == 0 || ranks[i] / domain_ != ranks[i - 1] / domain_;
    there = on_new_node ? 1 : there + 1;
    span.nodes += on_new_node;
    span.ranks_per_node = std::max(span.ranks_per_node, static_cast<std::int32_t>(there));
  }
  const machine::GroupSpan regular = training::span_of(count, std::max(1, span.stride), domain_, gpus_);
  if (even && regular.nodes == span.nodes) return regular;
  if (span.nodes > 1) {
    span.extent = ranks.back() / gpus_per_node_ - ranks.front() / gpus_per_node_ + 1;
    span.stride = apart;
    span.sharing = std::max(1, std::min(domain_, gpus_) / span.ranks_per_node);
    // Groups that would fit in a node but straddle two: only those of one block do.
    const std::int32_t step = regular.stride;
    if (even && count * step <= domain_) span.sharing = std::min(span.sharing, step);
  }
  return span;
}

}  // namespace echo::simulate
