// The meaning of Chakra's fields, according to its generators (src/generator, src/converter of
// mlcommons/chakra), its feeders and the use that ASTRA-sim makes of them (astra-sim/workload/Workload.cc):
// - duration_micros: time on the device, 0 where it is not known (a reader then uses num_ops and tensor_size
//   of a COMP_NODE: operations and bytes of HBM traffic). Ours is exact to the picosecond: echo_duration_ps
//   keeps the part that microseconds cannot express.
// - comm_size of a collective: bytes that one rank puts in. ASTRA-sim's ring sends comm_size / n per step of
//   an all-reduce, reduce-scatter and all-to-all, and comm_size itself of an all-gather, whose result is n
//   times as large (Ring.cc; pytorch_node.py counts a collective's inputs in the same way). Ours is the
//   larger buffer: n times comm_size of all-gather and gather, comm_size of the rest.
// - pg_name: a communicator, whose members a file beside the trace or a metadata node lists; absent or "0":
//   all ranks. involved_dim: dimensions of the simulated network that take part; a trace does not contain
//   them.
// - data_deps and ctrl_deps: ASTRA-sim waits for both (RESOLVE_DATA_DEPS, RESOLVE_CTRL_DEPS in feeder_v3).
// - A rank of ASTRA-sim runs one host op, one compute op and one communication at a time; of those that may
//   run, the one with the lowest id. Files of its own generators order by dependencies alone, so `stream` is
//   -1 unless an attribute gives it (as the PyTorch converter's does).
#include "trace_io/chakra/chakra_node.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "trace_io/chakra/chakra_attributes.hpp"

namespace echo::trace_io {

using ChakraProtoMsg::Node;
using trace::NodeKind;

namespace {

constexpr std::int64_t ps_per_micro = 1'000'000;
constexpr std::uint64_t most_micros = std::numeric_limits<std::int64_t>::max() / ps_per_micro;
constexpr std::int64_t most_bytes = std::int64_t{1} << 60;
constexpr std::int64_t most_ranks = std::int64_t{1} << 20;
constexpr std::int64_t barrier_bytes = 4;  // PyTorch's: an all-reduce of one number

struct Reader {
  const Node& message;
  std::vector<std::string>& problems;
  std::set<std::string>& notes;

  void complain(const std::string& what) const {
    problems.push_back("node " + std::to_string(message.id()) + " " + what);
  }
  // The attribute as a number of 0 to `most`; nothing, with a problem, where it is none.
  [[nodiscard]] std::optional<std::int64_t> number(const char* name, std::int64_t most) const {
    const auto* attribute = find_attribute(message, name);
    if (attribute == nullptr) return std::nullopt;
    const std::optional<std::int64_t> value = whole_value(*attribute);
    if (value && *value >= 0 && *value <= most) return value;
    complain("has a " + std::string(name) + " that is not a number from 0 to " + std::to_string(most));
    return std::nullopt;
  }
  [[nodiscard]] std::string text(const char* name) const {
    const auto* attribute = find_attribute(message, name);
    return attribute == nullptr ? std::string() : attribute->string_val();
  }
};

struct CollectiveMeaning {
  ops::CollectiveKind kind;
  bool counts_one_rank;
  const char* note;  // null where nothing is assumed
};

CollectiveMeaning meaning_of(int type) {
  using enum ops::CollectiveKind;
  switch (type) {
    case ChakraProtoMsg::ALL_REDUCE:
      return {all_reduce, false, nullptr};
    case ChakraProtoMsg::REDUCE:
      return {reduce, false, nullptr};
    case ChakraProtoMsg::ALL_GATHER:
      return {all_gather, true, nullptr};
    case ChakraProtoMsg::BROADCAST:
      return {broadcast, false, nullptr};
    case ChakraProtoMsg::ALL_TO_ALL:
      return {all_to_all, false, nullptr};
    case ChakraProtoMsg::REDUCE_SCATTER:
    case ChakraProtoMsg::REDUCE_SCATTER_BLOCK:
      return {reduce_scatter, false, nullptr};
    case ChakraProtoMsg::GATHER:
      return {reduce, true, "gathers are treated as reductions of the same size"};
    case ChakraProtoMsg::SCATTER:
      return {broadcast, false, "scatters are treated as broadcasts of the same size"};
    default:
      return {all_reduce, false, "barriers are treated as all-reduces of four bytes"};
  }
}

void read_collective(const Reader& reader, ChakraOp& op) {
  const auto type = reader.number("comm_type", ChakraProtoMsg::BARRIER);
  if (!type) {
    if (find_attribute(reader.message, "comm_type") == nullptr)
      reader.notes.insert("collectives without a comm_type are treated as compute");
    return;
  }
  const CollectiveMeaning meaning = meaning_of(static_cast<int>(*type));
  if (meaning.note != nullptr) reader.notes.insert(meaning.note);
  op.node.kind = NodeKind::collective;
  op.node.collective = meaning.kind;
  op.counts_one_rank = meaning.counts_one_rank;
  op.group = reader.text("pg_name");
  op.node.bytes = Bytes(reader.number("comm_size", most_bytes).value_or(0));
  if (*type == ChakraProtoMsg::BARRIER && op.node.bytes.value == 0) op.node.bytes = Bytes(barrier_bytes);
  if (const auto* dimensions = find_attribute(reader.message, "involved_dim"))
    if (const auto& values = dimensions->bool_list().values();
        std::find(values.begin(), values.end(), false) != values.end() && op.group.empty())
      reader.notes.insert(
          "collectives over some dimensions of a network (involved_dim) are taken as of all ranks: a trace "
          "does "
          "not know the network; name their groups (pg_name)");
}

void read_message(const Reader& reader, ChakraOp& op, bool sends) {
  const auto peer = reader.number(sends ? "comm_dst" : "comm_src", most_ranks);
  const auto size = reader.number("comm_size", most_bytes);
  op.node.bytes = Bytes(size ? *size : reader.number("tensor_size", most_bytes).value_or(0));
  if (!peer) {
    op.node.kind = NodeKind::memory;
    reader.notes.insert("sends and receives without a peer are treated as memory traffic");
    return;
  }
  op.node.kind = sends ? NodeKind::send : NodeKind::recv;
  op.node.collective = ops::CollectiveKind::send_recv;
  op.node.peer = static_cast<std::int32_t>(*peer);
  op.node.tag = reader.number("comm_tag", std::numeric_limits<std::uint32_t>::max()).value_or(0);
  op.group = reader.text("pg_name");
}

void read_compute(const Reader& reader, ChakraOp& op) {
  op.node.flops =
      static_cast<double>(reader.number("num_ops", std::numeric_limits<std::int64_t>::max()).value_or(0));
  op.node.bytes = Bytes(reader.number("tensor_size", most_bytes).value_or(0));
  const auto* host = find_attribute(reader.message, "is_cpu_op");
  if (host != nullptr && whole_value(*host).value_or(0) != 0 && reader.text("echo_kind") != "wait")
    reader.notes.insert("host ops (is_cpu_op) are treated as compute beside the GPU's");
}

template <class Enum, std::size_t size>
Enum named(const std::array<std::string_view, size>& names, const std::string& text, Enum otherwise) {
  const auto found = std::find(names.begin(), names.end(), text);
  return found == names.end() ? otherwise : static_cast<Enum>(found - names.begin());
}

// Attributes that our writers add, for our readers.
void read_ours(const Reader& reader, ChakraOp& op) {
  op.node.pass = named(trace::pass_names, reader.text("echo_pass"), trace::Pass::unknown);
  op.node.precision =
      named(machine::precision_names, reader.text("echo_precision"), machine::Precision::bf16);
  if (reader.text("echo_kind") == "wait") op.node.kind = NodeKind::wait;
  if (reader.text("echo_kind") == "host_copy") {
    op.node.kind = NodeKind::collective;
    op.node.collective = ops::CollectiveKind::host_copy;
  }
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  op.node.launch = static_cast<std::int32_t>(
      reader.number("echo_launch", std::numeric_limits<std::int32_t>::max()).value_or(-1));
  op.node.gap = SimTime(reader.number("echo_gap_ps", most).value_or(0));
  constexpr std::int64_t most_kernels = std::numeric_limits<std::int32_t>::max();
  if (op.node.kind == NodeKind::compute)
    op.node.kernel = static_cast<std::int32_t>(reader.number("echo_kernel", most_kernels).value_or(-1));
  if (op.node.kind == NodeKind::collective)
    op.node.peer = static_cast<std::int32_t>(reader.number("echo_root", most_ranks).value_or(-1));
}

void read_duration(const Reader& reader, ChakraOp& op) {
  const std::uint64_t micros = reader.message.duration_micros();
  if (micros > most_micros) return reader.complain("takes " + std::to_string(micros) + " microseconds");
  const SimTime rounded(static_cast<std::int64_t>(micros) * ps_per_micro);
  const bool communicates = op.node.communicates() || op.node.kind == NodeKind::memory;
  const bool priced = op.node.flops > 0.0 && op.node.bytes.value > 0;
  if (micros > 0 || !(communicates || priced)) op.node.duration = rounded;
  const auto exact = reader.number("echo_duration_ps", std::numeric_limits<std::int64_t>::max());
  if (exact && std::abs(*exact - rounded.count()) <= ps_per_micro) op.node.duration = SimTime(*exact);
}

}  // namespace

ChakraOp understand(const Node& message, std::vector<std::string>& problems, std::set<std::string>& notes) {
  const Reader reader{message, problems, notes};
  ChakraOp op;
  op.node.id = static_cast<std::int64_t>(message.id());
  op.node.stream = -1;
  if (const auto* stream = find_attribute(message, "stream"))
    op.node.stream = static_cast<std::int32_t>(std::clamp<std::int64_t>(
        whole_value(*stream).value_or(-1), -1, std::numeric_limits<std::int32_t>::max()));
  switch (message.type()) {
    case ChakraProtoMsg::INVALID_NODE:
    case ChakraProtoMsg::METADATA_NODE:
      break;
    case ChakraProtoMsg::MEM_LOAD_NODE:
    case ChakraProtoMsg::MEM_STORE_NODE:
      op.node.kind = NodeKind::memory;
      op.node.bytes = Bytes(reader.number("tensor_size", most_bytes).value_or(0));
      break;
    case ChakraProtoMsg::COMP_NODE:
      read_compute(reader, op);
      break;
    case ChakraProtoMsg::COMM_SEND_NODE:
      read_message(reader, op, true);
      break;
    case ChakraProtoMsg::COMM_RECV_NODE:
      read_message(reader, op, false);
      break;
    case ChakraProtoMsg::COMM_COLL_NODE:
      read_collective(reader, op);
      break;
    default:
      reader.complain("is of type " + std::to_string(message.type()) + ", which is unknown in Chakra");
  }
  read_ours(reader, op);
  read_duration(reader, op);
  if (op.group == "0") op.group.clear();
  return op;
}

Bytes payload_of(const ChakraOp& op, std::size_t ranks) {
  return op.counts_one_rank ? op.node.bytes * static_cast<std::int64_t>(ranks) : op.node.bytes;
}

Bytes comm_size_of(const ChakraOp& op, Bytes payload, std::size_t ranks) {
  const auto n = static_cast<std::int64_t>(ranks);
  return op.counts_one_rank && n > 0 ? Bytes((payload.value + n - 1) / n) : payload;
}

}  // namespace echo::trace_io
