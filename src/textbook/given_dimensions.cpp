// A group whose members are `stride` GPUs apart lies in the dimensions one after the other: in the first that
// is wider than the stride it holds every (stride / inner GPUs)-th, in those further out every GPU, until all
// members have a place. Every k-th GPU of a ring are a ring whose neighbours are k cables apart; k such
// groups share the cables where messages notice each other. Source: the numbering of ASTRA-sim's logical
// topologies, GeneralComplexTopology.cc (its own groups of some ranks are one ring whatever they span, and
// not taken over). Neglected: what other groups of the same kind send over the cables of a line.
#include "textbook/given_dimensions.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "machine/given_algorithms.hpp"
#include "textbook/hierarchy.hpp"
#include "textbook/message_phase.hpp"
#include "textbook/run_program.hpp"

namespace echo::textbook {
namespace {

using machine::DimensionAlgorithm;
using machine::GivenDimension;
using machine::GivenMachine;
using ops::CollectiveKind;
using ops::GenericAlgorithm;

Dimension shape_of(const GivenDimension& d, Reach reach) {
  return {.kind = d.kind,
          .size = d.size,
          .bandwidth = machine::links_of_one_gpu(d),
          .latency = (d.kind == DimensionKind::switched ? 2 : 1) * d.link_latency,
          .reach = reach};
}

// `members` of it, `step` apart.
Dimension part_of(const GivenDimension& d, std::int32_t members, std::int32_t step, Reach reach,
                  machine::LinkSharing sharing) {
  GivenDimension part = d;
  part.size = members;
  const bool in_line = d.kind == DimensionKind::ring || d.kind == DimensionKind::line;
  if (d.kind == DimensionKind::ring && members * step != d.size) part.kind = DimensionKind::line;
  if (in_line) part.link_latency = step * d.link_latency;
  if (in_line && sharing == machine::LinkSharing::aware) part.link = d.link / static_cast<double>(step);
  return shape_of(part, reach);
}

std::vector<GroupDimension> as_one_switch(const GivenMachine& machine, std::int32_t ranks) {
  Dimension flat;
  flat.size = ranks;
  flat.reach = Reach::scale_out;
  for (const GivenDimension& d : machine.dimensions) {
    if (flat.bandwidth.value <= 0.0 || d.link < flat.bandwidth) flat.bandwidth = d.link;
    flat.latency = std::max(flat.latency, shape_of(d, Reach::scale_out).latency);
  }
  return {{flat, {}}};
}

DimensionAlgorithm asked(GenericAlgorithm algorithm) {
  switch (algorithm) {
    case GenericAlgorithm::ring:
      return DimensionAlgorithm::ring;
    case GenericAlgorithm::direct:
      return DimensionAlgorithm::direct;
    case GenericAlgorithm::halving_doubling:
      return DimensionAlgorithm::halving_doubling;
    case GenericAlgorithm::double_binary_tree:
      return DimensionAlgorithm::double_binary_tree;
    default:
      return DimensionAlgorithm::fastest;  // the machine's own
  }
}

HierarchySettings settings_of(const GivenMachine& machine, const ops::GenericSettings& asked) {
  HierarchySettings out{.chunks = asked.chunks > 0 ? asked.chunks : machine.chunks,
                        .order = asked.order,
                        .way = machine.whole_all_reduce ? AllReduceWay::whole : AllReduceWay::turns,
                        .at_once = machine.active_chunks};
  const bool own = asked.order == ops::DimensionOrder::inner_first;
  if (asked.order == ops::DimensionOrder::themis ||
      (own && machine.order == machine::ChunkOrder::themis_sized))
    out.themis = ChunkSizes::level;
  if (asked.order == ops::DimensionOrder::balanced || (own && machine.order == machine::ChunkOrder::themis))
    out.themis = ChunkSizes::equal;
  return out;
}

// The program that the machine has for such a call; null: none.
const machine::CollectiveProgram* program_for(const Call& call, std::int32_t ranks,
                                              const GivenMachine& machine) {
  const auto collective = chosen_collective(call.kind);
  for (const machine::CollectiveProgram& one : machine.programs)
    if (one.ranks == ranks && one.collective == collective) return &one;
  return nullptr;
}

// One message between two neighbours of the group.
Cost send(const Call& call, const Dimension& d, const MessageCosts& costs) {
  Dimension pair = d;
  pair.size = 2;
  if (pair.kind == DimensionKind::ring) pair.kind = DimensionKind::line;
  if (pair.kind == DimensionKind::fully_connected) pair.bandwidth = d.cable();
  MessageCosts plain = costs;
  plain.endpoint_delay = SimTime::zero();
  plain.beside = 1;
  // An all-gather of two halves is one message of half the bytes.
  return message_phase({CollectiveKind::all_gather, 2 * call.bytes}, {DimensionAlgorithm::direct, 0}, pair,
                       plain)
      .cost;
}

}  // namespace

std::vector<GroupDimension> given_dimensions_of(const machine::GroupSpan& span,
                                                const machine::ClusterSpec& cluster) {
  const GivenMachine& machine = cluster.dimensions;
  std::vector<GroupDimension> out;
  std::int64_t below = 1, stride = span.stride;
  std::int32_t left = span.ranks;
  for (const GivenDimension& d : machine.dimensions) {
    const std::int64_t above = below * d.size;
    if (left > 1 && stride < above) {
      const auto step = static_cast<std::int32_t>(stride / below);
      if (stride % below != 0 || d.size % step != 0) return as_one_switch(machine, span.ranks);
      const std::int32_t take = std::min(left, d.size / step);
      if (left % take != 0) return as_one_switch(machine, span.ranks);
      const Reach reach = above <= cluster.scale_up_domain ? Reach::scale_up : Reach::scale_out;
      if (take > 1) out.push_back({part_of(d, take, step, reach, machine.sharing), d.algorithm});
      left /= take;
      stride = above;
    }
    below = above;
  }
  return left > 1 ? as_one_switch(machine, span.ranks) : out;
}

GenericPrice price_given(const ops::CollectiveQuery& query, const machine::ClusterSpec& cluster,
                         const ops::GenericSettings& settings) {
  const GivenMachine& machine = cluster.dimensions;
  ECHO_EXPECT(machine.is_given() && query.payload.value >= 0);
  std::vector<GroupDimension> spanned = given_dimensions_of(query.group, cluster);
  if (spanned.empty() || query.payload.value == 0) return {};
  const DimensionAlgorithm wanted = asked(settings.algorithm);
  std::vector<Dimension> shapes;
  for (GroupDimension& d : spanned) {
    shapes.push_back(d.shape);
    if (wanted == DimensionAlgorithm::fastest) continue;
    for (machine::AlgorithmChoice& choice : d.algorithm) choice = {wanted, 0};
  }
  const Call call{query.kind == CollectiveKind::reduce ? CollectiveKind::broadcast : query.kind,
                  query.payload.value};
  if (const machine::CollectiveProgram* const program = program_for(call, query.group.ranks, machine)) {
    const MessageCosts bare{SimTime::zero(), machine.reduction_memory, machine.sharing, 1};
    const auto cost = run_program(*program, call.bytes, shapes, bare);
    ECHO_EXPECT(cost.has_value());  // its reader ran it
    return priced_as(GenericAlgorithm::hierarchical, call, query.group.ranks, {*cost, 1});
  }
  const HierarchySettings ways = settings_of(machine, settings);
  const MessageCosts costs{machine.endpoint_delay, machine.reduction_memory, machine.sharing,
                           ways.chunks > 0 ? std::min(ways.chunks, ways.at_once) : ways.at_once};
  if (call.kind == CollectiveKind::send_recv)
    return priced_as(GenericAlgorithm::direct, call, query.group.ranks,
                     {send(call, shapes.back(), costs), 1});
  std::vector<Step> scratch;
  const StageCost cost = [&](const Call& stage, std::int32_t d) {
    const Dimension& shape = shapes[at(d)];
    if (!shares_data_evenly(stage.kind)) return PhaseCost{fastest(stage, shape, scratch).cost};
    // An all-reduce uses one algorithm in all its parts.
    const machine::AlgorithmChoice choice = spanned[at(d)].algorithm[at(*chosen_collective(call.kind))];
    return message_phase(stage, choice, shape, costs);
  };
  return priced_as(GenericAlgorithm::hierarchical, call, query.group.ranks,
                   hierarchical(call, shapes, ways, cost));
}

}  // namespace echo::textbook
