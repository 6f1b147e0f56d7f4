// Adds to a message only the fields that it does not contain yet: a message that was read is written
// unchanged, byte by byte.
#include <limits>

#include "base/at.hpp"
#include "trace_io/chakra/chakra_attributes.hpp"
#include "trace_io/chakra/chakra_node.hpp"

namespace echo::trace_io {

using ChakraProtoMsg::Node;
using trace::NodeKind;

namespace {

constexpr std::int64_t ps_per_micro = 1'000'000;
constexpr std::int64_t most_tag = std::numeric_limits<std::int32_t>::max();

bool stays_on_rank(ops::CollectiveKind kind) {
  return kind == ops::CollectiveKind::host_copy || kind == ops::CollectiveKind::host_update;
}

ChakraProtoMsg::CollectiveCommType type_of(ops::CollectiveKind kind) {
  using enum ops::CollectiveKind;
  switch (kind) {
    case all_reduce:
      return ChakraProtoMsg::ALL_REDUCE;
    case all_gather:
      return ChakraProtoMsg::ALL_GATHER;
    case reduce_scatter:
      return ChakraProtoMsg::REDUCE_SCATTER;
    case broadcast:
      return ChakraProtoMsg::BROADCAST;
    case reduce:
      return ChakraProtoMsg::REDUCE;
    case all_to_all:
    case send_recv:
    case host_copy:
    case host_update:
      break;
  }
  return ChakraProtoMsg::ALL_TO_ALL;
}

ChakraProtoMsg::NodeType type_of(const trace::Node& node) {
  switch (node.kind) {
    case NodeKind::compute:
    case NodeKind::wait:
      break;
    case NodeKind::collective:
      return stays_on_rank(node.collective) ? ChakraProtoMsg::MEM_STORE_NODE : ChakraProtoMsg::COMM_COLL_NODE;
    case NodeKind::send:
      return ChakraProtoMsg::COMM_SEND_NODE;
    case NodeKind::recv:
      return ChakraProtoMsg::COMM_RECV_NODE;
    case NodeKind::memory:
      return ChakraProtoMsg::MEM_LOAD_NODE;
  }
  return ChakraProtoMsg::COMP_NODE;
}

void state_kind(const trace::Node& node, Node& message) {
  message.set_type(type_of(node));
  // The host waits: a wait on the GPU would delay ops that do not depend on it.
  set_truth(message, "is_cpu_op", node.kind == NodeKind::wait);
  drop_attribute(message, "echo_kind");
  drop_attribute(message, "comm_type");
  if (node.kind == NodeKind::wait) set_text(message, "echo_kind", "wait");
  if (node.kind != NodeKind::collective) return;
  if (stays_on_rank(node.collective)) return set_text(message, "echo_kind", "host_copy");
  set_whole(message, "comm_type", type_of(node.collective), WholeType::int64);
}

void state_amounts(const ChakraOp& have, const ChakraOp& wanted, Node& message) {
  const trace::Node& node = wanted.node;
  if (node.flops != have.node.flops)
    set_whole(message, "num_ops", static_cast<std::int64_t>(node.flops), WholeType::int64);
  if (node.bytes == have.node.bytes) return;
  const bool communicates = message.type() == ChakraProtoMsg::COMM_COLL_NODE ||
                            message.type() == ChakraProtoMsg::COMM_SEND_NODE ||
                            message.type() == ChakraProtoMsg::COMM_RECV_NODE;
  if (communicates)
    set_whole(message, "comm_size", node.bytes.value, WholeType::int64);
  else
    set_whole(message, "tensor_size", node.bytes.value, WholeType::uint64);
}

void state_partners(const ChakraOp& have, const ChakraOp& wanted, Node& message) {
  const trace::Node& node = wanted.node;
  if (wanted.group != have.group) {
    if (wanted.group.empty())
      drop_attribute(message, "pg_name");
    else
      set_text(message, "pg_name", wanted.group);
  }
  if (node.kind != NodeKind::send && node.kind != NodeKind::recv) return;
  if (node.peer != have.node.peer)
    set_whole(message, node.kind == NodeKind::send ? "comm_dst" : "comm_src", node.peer, WholeType::int32);
  if (node.tag == have.node.tag) return;
  if (node.tag > most_tag) drop_attribute(message, "comm_tag");
  set_whole(message, "comm_tag", node.tag, node.tag <= most_tag ? WholeType::int32 : WholeType::int64);
}

void state_duration(const ChakraOp& have, const ChakraOp& wanted, std::uint64_t micros, Node& message) {
  if (wanted.node.duration == have.node.duration) return;
  const bool timed = wanted.node.is_timed();
  message.set_duration_micros(timed ? micros : 0);
  const std::int64_t rounded = static_cast<std::int64_t>(micros) * ps_per_micro;
  if (timed && wanted.node.duration.count() != rounded)
    set_whole(message, "echo_duration_ps", wanted.node.duration.count(), WholeType::int64);
  else
    drop_attribute(message, "echo_duration_ps");
}

void state_ours(const ChakraOp& have, const ChakraOp& wanted, Node& message) {
  const trace::Node& node = wanted.node;
  if (node.stream != have.node.stream) set_whole(message, "stream", node.stream, WholeType::int64);
  if (node.pass != have.node.pass)
    set_text(message, "echo_pass", std::string(trace::pass_names[at(node.pass)]));
  if (node.precision != have.node.precision)
    set_text(message, "echo_precision", std::string(machine::precision_names[at(node.precision)]));
  if (node.launch != have.node.launch) {
    drop_attribute(message, "echo_launch");
    if (node.launch >= 0) set_whole(message, "echo_launch", node.launch, WholeType::int64);
  }
  if (node.gap != have.node.gap) set_whole(message, "echo_gap_ps", node.gap.count(), WholeType::int64);
  if (node.kernel != have.node.kernel) {
    drop_attribute(message, "echo_kernel");
    if (node.kernel >= 0) set_whole(message, "echo_kernel", node.kernel, WholeType::int64);
  }
  if (node.kind != NodeKind::collective || node.peer == have.node.peer) return;
  drop_attribute(message, "echo_root");
  if (node.peer >= 0) set_whole(message, "echo_root", node.peer, WholeType::int64);
}

}  // namespace

Node fresh_message(const trace::Node& node) {
  Node message;
  state_kind(node, message);
  // ASTRA-sim exits where a node lacks these.
  if (node.communicates() && message.type() != ChakraProtoMsg::MEM_STORE_NODE)
    set_whole(message, "comm_size", 0, WholeType::int64);
  if (node.kind == NodeKind::send || node.kind == NodeKind::recv)
    set_whole(message, "comm_tag", 0, node.tag <= most_tag ? WholeType::int32 : WholeType::int64);
  return message;
}

void state(const ChakraOp& wanted, std::uint64_t micros, Node& message) {
  std::vector<std::string> problems;
  std::set<std::string> notes;
  ChakraOp have = understand(message, problems, notes);
  message.set_id(static_cast<std::uint64_t>(wanted.node.id));
  if (wanted.node.kind != have.node.kind || wanted.node.collective != have.node.collective) {
    state_kind(wanted.node, message);
    have = understand(message, problems, notes);
  }
  state_amounts(have, wanted, message);
  state_partners(have, wanted, message);
  state_duration(have, wanted, micros, message);
  state_ours(have, wanted, message);
}

}  // namespace echo::trace_io
