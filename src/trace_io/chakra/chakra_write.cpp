// Ranks that another rank represents get files of their own: those of the representative, with their own
// groups (of the same role and the same number of members) and with the peers at the same places of these.
// Relations that Chakra cannot express become dependencies: ops of a stream wait for the one before, ops
// after a `wait` wait for it. Durations are whole microseconds, rounded so that their sum over a stream is
// the rounded sum, whatever the stream contains.
#include "trace_io/chakra/chakra_write.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "base/at.hpp"
#include "base/error.hpp"
#include "trace_io/chakra/chakra_extras.hpp"
#include "trace_io/chakra/chakra_facts.hpp"
#include "trace_io/chakra/chakra_groups.hpp"
#include "trace_io/chakra/chakra_node.hpp"
#include "trace_io/io/message_stream.hpp"
#include "trace_io/model/stream_order.hpp"

namespace echo::trace_io {

using trace::NodeKind;
using trace::RankTrace;
using trace::Trace;

namespace {

constexpr std::int64_t ps_per_micro = 1'000'000;
constexpr const char* version = "1.0.0";

struct Output {
  const Trace& trace;
  bool from_chakra;
  std::vector<std::string> names;  // [groups] pg_name
  std::vector<ChakraFile> files;   // [ranks], where from_chakra
  ChakraFacts facts;               // of the trace
};

std::int32_t position(const trace::Group& group, std::int32_t rank) {
  const auto found = std::find(group.ranks.begin(), group.ranks.end(), rank);
  return found == group.ranks.end() ? -1 : static_cast<std::int32_t>(found - group.ranks.begin());
}

// The group of `rank` that corresponds to `group` of its representative; -1: the trace has none.
std::int32_t own_group(const Trace& trace, std::int32_t group, std::int32_t rank) {
  const trace::Group& model = trace.groups[at(group)];
  if (position(model, rank) >= 0) return group;
  for (std::size_t i = 0; i < trace.groups.size(); ++i) {
    const trace::Group& one = trace.groups[i];
    if (one.role == model.role && one.ranks.size() == model.ranks.size() && position(one, rank) >= 0)
      return static_cast<std::int32_t>(i);
  }
  return -1;
}

struct Partners {
  std::int32_t group = -1, peer = -1;
};

// Writes a node of `rank` for `as`, which it represents.
Partners partners_of(const Trace& trace, const trace::Node& node, std::int32_t rank, std::int32_t as) {
  Partners out{node.group, node.peer};
  if (as == rank) return out;
  if (node.group >= 0) out.group = own_group(trace, node.group, as);
  if (node.group >= 0 && out.group < 0)
    throw UserError("rank " + std::to_string(as) + " has no group like \"" +
                        trace.groups[at(node.group)].name + "\" of rank " + std::to_string(rank) +
                        ", which stands for it",
                    "list the groups of every rank in the trace, or trace this rank too");
  if (node.peer < 0) return out;
  if (node.group >= 0) {
    const std::int32_t place = position(trace.groups[at(node.group)], node.peer);
    if (place >= 0) out.peer = trace.groups[at(out.group)].ranks[at(place)];
  } else {
    out.peer = node.peer + (as - rank);
  }
  if (out.peer < 0 || out.peer >= trace.world)
    throw UserError("node " + std::to_string(node.id) + " of rank " + std::to_string(rank) +
                        " has no partner for rank " + std::to_string(as),
                    "name the group that it is sent within, or trace this rank too");
  return out;
}

void check(const Output& output, const RankTrace& rank, const trace::Node& node) {
  const bool computes = node.kind == NodeKind::compute && !(node.flops > 0.0 && node.bytes.value > 0);
  if (!computes || node.is_timed() || output.from_chakra) return;
  throw UserError("node " + std::to_string(node.id) + " (" + output.trace.names[at(node.name)] +
                      ") of rank " + std::to_string(rank.rank) + " has no duration",
                  "price the trace first: a Chakra file runs for the times that it says");
}

class RankWriter {
 public:
  // `file`: as the rank was read; null: it was not read from Chakra.
  RankWriter(const Output& output, const ChakraFile* file, const RankTrace& rank, std::int32_t as)
      : output_(output), file_(file), rank_(rank), as_(as) {
    if (!output.from_chakra) order_ = stream_order(rank_);
    for (std::size_t i = 0; i < rank_.nodes.size(); ++i)
      places_.emplace_back(static_cast<std::uint64_t>(rank_.nodes[i].id), static_cast<std::int32_t>(i));
    std::sort(places_.begin(), places_.end());
  }
  [[nodiscard]] std::string bytes();

 private:
  [[nodiscard]] std::string metadata() const;
  [[nodiscard]] ChakraProtoMsg::Node message_of(std::size_t i);
  [[nodiscard]] ChakraOp op_of(std::size_t i) const;
  [[nodiscard]] std::uint64_t micros_of(const trace::Node&);
  [[nodiscard]] bool is_before(std::uint64_t id, std::int32_t node) const;
  void add_dependencies(std::int32_t row, ChakraProtoMsg::Node&) const;

  const Output& output_;
  const ChakraFile* file_;
  const RankTrace& rank_;
  std::int32_t as_;
  std::vector<std::pair<std::uint64_t, std::int32_t>> places_;  // (id, node), ascending
  Csr<std::int32_t> order_;                    // [nodes] what they wait for beyond needs and follows
  std::map<std::int32_t, std::int64_t> owed_;  // [stream] picoseconds that rounding has left out so far
};

std::uint64_t RankWriter::micros_of(const trace::Node& node) {
  if (!node.is_timed()) return 0;
  std::int64_t& owed = owed_[node.stream];
  const std::int64_t exact = node.duration.count() + owed;
  const std::int64_t micros = std::max<std::int64_t>(0, (exact + ps_per_micro / 2) / ps_per_micro);
  owed = exact - micros * ps_per_micro;
  return static_cast<std::uint64_t>(micros);
}

ChakraOp RankWriter::op_of(std::size_t i) const {
  const trace::Node& node = rank_.nodes[i];
  const Partners partners = partners_of(output_.trace, node, rank_.rank, as_);
  ChakraOp op;
  op.node = node;
  op.node.peer = partners.peer;
  if (partners.group >= 0) op.group = output_.names[at(partners.group)];
  return op;
}

ChakraProtoMsg::Node RankWriter::message_of(std::size_t i) {
  const trace::Node& node = rank_.nodes[i];
  ChakraProtoMsg::Node message;
  const bool kept = output_.from_chakra && !rank_.extras.empty() && restore(rank_.extras[i], message);
  if (!kept) message = fresh_message(node);
  std::vector<std::string> problems;
  std::set<std::string> notes;
  ChakraOp wanted = op_of(i);
  const ChakraOp have = understand(message, problems, notes);
  wanted.counts_one_rank = have.counts_one_rank;
  if (file_ != nullptr) wanted.node.kernel = have.node.kernel;  // as the file's own metadata counts
  const std::size_t ranks = node.group < 0 ? 1 : output_.trace.groups[at(node.group)].ranks.size();
  wanted.node.bytes = comm_size_of(wanted, node.bytes, ranks);
  state(wanted,
        kept && node.is_timed() ? static_cast<std::uint64_t>(node.duration.count() / ps_per_micro)
                                : micros_of(node),
        message);
  message.set_name(output_.trace.names[at(node.name)]);
  add_dependencies(static_cast<std::int32_t>(i), message);
  return message;
}

bool RankWriter::is_before(std::uint64_t id, std::int32_t node) const {
  const auto found = std::lower_bound(places_.begin(), places_.end(), std::pair(id, std::int32_t{0}));
  return found != places_.end() && found->first == id && found->second < node;
}

void RankWriter::add_dependencies(std::int32_t row, ChakraProtoMsg::Node& message) const {
  const auto id = [&](std::int32_t earlier) {
    return static_cast<std::uint64_t>(rank_.nodes[at(earlier)].id);
  };
  // Those kept in extras are all dependencies of the file, in its order, including ids that no trace can
  // follow.
  const std::vector<std::uint64_t> kept(message.ctrl_deps().begin(), message.ctrl_deps().end());
  std::vector<std::uint64_t> follows;
  for (const std::int32_t earlier : rank_.follows.row(row)) follows.push_back(id(earlier));
  message.clear_ctrl_deps();
  for (const std::uint64_t one : kept)
    if (!is_before(one, row) || std::erase(follows, one) > 0) message.add_ctrl_deps(one);
  for (const std::uint64_t one : follows) message.add_ctrl_deps(one);
  for (const std::int32_t earlier : rank_.needs.row(row)) message.add_data_deps(id(earlier));
  if (order_.rows() > row)
    for (const std::int32_t earlier : order_.row(row)) message.add_ctrl_deps(id(earlier));
}

std::string RankWriter::metadata() const {
  ChakraProtoMsg::GlobalMetadata metadata;
  std::vector<std::string> problems;
  if (file_ == nullptr) {
    metadata.set_version(version);
    state(output_.facts, metadata);
    return metadata.SerializeAsString();
  }
  if (!metadata.ParseFromString(file_->metadata) || facts_of(metadata, problems).gpu == output_.facts.gpu)
    return file_->metadata;
  state_gpu(output_.facts.gpu, metadata);
  return metadata.SerializeAsString();
}

std::string RankWriter::bytes() {
  std::vector<std::string> messages(rank_.nodes.size());
  for (std::size_t i = 0; i < messages.size(); ++i) messages[i] = message_of(i).SerializeAsString();
  std::string out;
  append_message(out, metadata());
  std::vector<std::size_t> place(messages.size());
  for (std::size_t i = 0; i < place.size(); ++i) place[i] = i;
  if (file_ != nullptr && file_->order.size() == messages.size())
    for (std::size_t i = 0; i < place.size(); ++i)
      if (file_->order[i] >= 0 && file_->order[i] < static_cast<std::int32_t>(place.size()))
        place[at(file_->order[i])] = i;
  for (const std::size_t i : place) append_message(out, messages[i]);
  return out;
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  if (!out.flush())
    throw UserError(path.string() + " cannot be written", "check the path and the space on its disk", 5);
}

Output output_of(const Trace& trace) {
  Output output{trace, has_chakra_extras(trace), {}, {}, {}};
  output.names = pg_names(trace, !output.from_chakra);
  output.facts = facts_of(trace, output.names);
  if (output.from_chakra) output.files = unpacked(trace.extras);
  if (output.files.size() != trace.ranks.size()) output.files.clear();
  return output;
}

void check(const Output& output, const RankTrace& rank) {
  for (const trace::Node& node : rank.nodes) {
    check(output, rank, node);
    for (const std::int32_t as : rank.stands_for)
      static_cast<void>(partners_of(output.trace, node, rank.rank, as));
  }
}

void write_ranks(const Output& output, const NextRank& next, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string name = output.trace.name.empty() ? "trace" : output.trace.name;
  std::size_t r = 0;
  for (const RankTrace* rank = next(); rank != nullptr; rank = next(), ++r) {
    check(output, *rank);
    for (const std::int32_t as : rank->stands_for)
      write_file(folder / (name + "." + std::to_string(as) + ".et"),
                 RankWriter(output, r < output.files.size() ? &output.files[r] : nullptr, *rank, as).bytes());
  }
  write_group_file(output.trace, output.names, (folder / "comm_group.json").string());
}

}  // namespace

void write_chakra_ranks(const Trace& tables, const NextRank& next, const std::string& folder) {
  write_ranks(output_of(tables), next, folder);
}

void write_chakra(const Trace& trace, const std::string& folder) {
  const Output output = output_of(trace);
  for (const RankTrace& rank : trace.ranks) check(output, rank);  // before anything is written
  write_ranks(output, ranks_of(trace), folder);
}

}  // namespace echo::trace_io
