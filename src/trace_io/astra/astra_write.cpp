#include <algorithm>
#include <charconv>

#include "base/at.hpp"
#include "base/error.hpp"
#include "trace_io/astra/astra_step.hpp"

namespace echo::trace_io {

using trace::NodeKind;
using trace::Trace;

namespace {

constexpr std::int64_t ps_per_micro = 1'000'000;

std::int64_t micros_of(SimTime time) { return (time.count() + ps_per_micro / 2) / ps_per_micro; }

// The size as the text counts it: one rank's share of an all-gather.
std::int64_t size_of(const trace::Node& node, std::int32_t world) {
  if (node.collective != ops::CollectiveKind::all_gather) return node.bytes.value;
  return (node.bytes.value + world - 1) / world;
}

[[noreturn]] void refuse(const std::string& what) {
  throw UserError("ASTRA-sim's text format cannot express that " + what,
                  "write the format chakra, which can, and which ASTRA-sim also reads");
}

std::string word_of(const trace::Node& node) {
  switch (node.collective) {
    case ops::CollectiveKind::all_reduce:
      return "ALLREDUCE";
    case ops::CollectiveKind::all_gather:
      return "ALLGATHER";
    case ops::CollectiveKind::reduce_scatter:
      return "REDUCESCATTER";
    case ops::CollectiveKind::all_to_all:
      return "ALLTOALL";
    case ops::CollectiveKind::broadcast:
    case ops::CollectiveKind::reduce:
    case ops::CollectiveKind::send_recv:
    case ops::CollectiveKind::host_copy:
    case ops::CollectiveKind::host_update:
      break;
  }
  refuse("a step holds a " + std::string(ops::collective_kind_names[at(node.collective)]));
}

// Node i's place in the table, as step_of() noted it; false where the note is none.
bool place_of(const std::string& extra, const AstraTable& table, std::size_t& layer, std::size_t& pass) {
  const char* end = extra.data() + extra.size();
  const auto first = std::from_chars(extra.data(), end, layer);
  if (first.ec != std::errc() || first.ptr == end) return false;
  const auto second = std::from_chars(first.ptr + 1, end, pass);
  return second.ec == std::errc() && layer < table.layers.size() && pass < 3;
}

// Whether a later compute op of the rank waits for node i.
std::vector<bool> awaited_by_compute(const trace::RankTrace& rank) {
  std::vector<bool> out(rank.nodes.size(), false);
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(rank.nodes.size()); ++i) {
    const trace::Node& node = rank.nodes[at(i)];
    if (node.kind != NodeKind::compute || node.pass == trace::Pass::optimizer) continue;
    for (const Csr<std::int32_t>* rows : {&rank.needs, &rank.follows})
      for (const std::int32_t earlier : rows->row(i)) out[at(earlier)] = true;
  }
  return out;
}

// Time of compute since the last communication, by part of the step.
struct Since {
  SimTime forward{}, backward{};
};

void check(const trace::Node& node, const Trace& trace, bool awaited) {
  const std::string name = "\"" + trace.names[at(node.name)] + "\"";
  if (node.kind == NodeKind::compute && !node.is_timed())
    throw UserError("node " + std::to_string(node.id) + " (" + name + ") has no duration",
                    "price the trace first");
  if (node.kind == NodeKind::compute || node.kind == NodeKind::wait) return;
  if (node.kind != NodeKind::collective) refuse(name + " is a transfer to one rank or to memory");
  const std::size_t group = at(std::max(node.group, 0));
  if (node.group < 0 || trace.groups[group].ranks.size() != static_cast<std::size_t>(trace.world))
    refuse(name + " involves only some ranks");
  if (awaited) refuse("compute waits for " + name);
}

}  // namespace

AstraTable table_of_its_step(const Trace& trace) {
  AstraTable table = read_astra_table(trace.extras, trace.name);
  if (table.ranks == 0) table.first_line += " npus: " + std::to_string(trace.world);
  const trace::RankTrace& rank = trace.ranks.front();
  for (std::size_t i = 0; i < rank.nodes.size() && i < rank.extras.size(); ++i) {
    std::size_t layer = 0, pass = 0;
    if (!place_of(rank.extras[i], table, layer, pass)) continue;
    const trace::Node& node = rank.nodes[i];
    AstraPart& part = table.layers[layer].parts[pass];
    if (node.kind == NodeKind::compute && node.is_timed()) part.micros = micros_of(node.duration);
    if (node.kind != NodeKind::collective) continue;
    const auto members = static_cast<std::int32_t>(trace.groups[at(node.group)].ranks.size());
    part = {part.micros, word_of(node), size_of(node, members)};
  }
  return table;
}

AstraTable table_of_step(const Trace& trace) {
  if (trace.ranks.size() != 1 ||
      trace.ranks.front().stands_for.size() != static_cast<std::size_t>(trace.world))
    refuse("ranks do different things");
  const trace::RankTrace& rank = trace.ranks.front();
  const std::vector<bool> awaited = awaited_by_compute(rank);
  AstraTable table;
  Since since;
  bool computes = false;
  for (std::size_t i = 0; i < rank.nodes.size(); ++i) {
    const trace::Node& node = rank.nodes[i];
    check(node, trace, awaited[i]);
    if (node.kind == NodeKind::compute) {
      const bool before = node.pass == trace::Pass::forward || node.pass == trace::Pass::unknown;
      (before && table.layers.empty() ? since.forward : since.backward) += node.duration;
      computes = true;
    }
    if (node.kind != NodeKind::collective) continue;
    AstraLayer layer;
    layer.name = "bucket" + std::to_string(table.layers.size());
    layer.parts[at(AstraPass::weight_gradient)] = {micros_of(since.backward), word_of(node),
                                                   size_of(node, trace.world)};
    table.layers.push_back(layer);
    since.backward = SimTime{};
  }
  if (table.layers.empty()) refuse("there is no communication");
  table.layers.back().update_micros = std::to_string(micros_of(since.backward));
  if (computes) std::reverse(table.layers.begin(), table.layers.end());  // backward begins with the last
  table.layers.front().parts[at(AstraPass::forward)].micros = micros_of(since.forward);
  table.split = computes ? AstraSplit::data : AstraSplit::micro;
  table.first_line = std::string(computes ? "DATA" : "MICRO") + " npus: " + std::to_string(trace.world);
  return table;
}

}  // namespace echo::trace_io
