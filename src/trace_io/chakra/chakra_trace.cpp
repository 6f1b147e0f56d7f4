#include "trace_io/chakra/chakra_trace.hpp"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "trace_io/chakra/chakra_node.hpp"
#include "trace_io/model/dependency_order.hpp"

namespace echo::trace_io {

using trace::RankTrace;

namespace {

constexpr std::size_t most_problems = 50;
constexpr std::int64_t most_bytes = std::int64_t{1} << 60;
constexpr const char* record_again = "record the trace again, or fix the program that wrote it";

template <class T>
void permute(std::vector<T>& values, const std::vector<std::int32_t>& order) {
  std::vector<T> out;
  out.reserve(values.size());
  for (const std::int32_t from : order) out.push_back(std::move(values[static_cast<std::size_t>(from)]));
  values = std::move(out);
}

// Keeps the dependencies of a node whose row in the trace lacks some of them.
void keep_follows(std::string& extra, std::span<const std::int64_t> ids) {
  ChakraProtoMsg::Node message;
  if (!restore(extra, message)) return;
  for (const std::int64_t id : ids) message.add_ctrl_deps(static_cast<std::uint64_t>(id));
  extra = message.SerializeAsString();
}

}  // namespace

void ChakraTraceBuilder::complain(const File& file, std::int64_t offset, const std::string& what,
                                  const char* remedy) {
  if (problems_.size() < most_problems)
    problems_.push_back({Place{file.path}, "byte " + std::to_string(offset) + ": " + what, remedy});
}

std::int32_t ChakraTraceBuilder::name_number(const std::string& name) {
  const auto [found, is_new] = names_.emplace(name, static_cast<std::int32_t>(trace_.names.size()));
  if (is_new) trace_.names.push_back(name);
  return found->second;
}

std::vector<std::int32_t> ChakraTraceBuilder::read_facts(const File& file,
                                                         const ChakraProtoMsg::GlobalMetadata& metadata) {
  std::vector<std::string> problems;
  const ChakraFacts facts = facts_of(metadata, problems);
  if (trace_.gpu.empty()) trace_.gpu = facts.gpu;
  if (!facts.gpu.empty() && facts.gpu != trace_.gpu)
    problems.push_back("the durations are of " + facts.gpu + ", those of files before it of " + trace_.gpu);
  roles_.insert(facts.roles.begin(), facts.roles.end());
  for (const std::string& what : problems) complain(file, 0, what, record_again);
  std::vector<std::int32_t> places;
  for (const ops::KernelKey& key : facts.kernels) {
    const auto [found, is_new] = kernels_.emplace(key, static_cast<std::int32_t>(trace_.kernels.size()));
    if (is_new) trace_.kernels.push_back(key);
    places.push_back(found->second);
  }
  return places;
}

void ChakraTraceBuilder::read_nodes(const NodeSource& next, const std::vector<std::int32_t>& kernels,
                                    File& file, RankTrace& rank, NamedDependencies& named) {
  ChakraProtoMsg::Node message;
  std::int64_t offset = 0;
  while (next(message, offset)) {
    std::vector<std::string> problems;
    ChakraOp op = understand(message, problems, notes_);
    for (const std::string& what : problems) complain(file, offset, what, record_again);
    op.node.name = name_number(message.name());
    if (op.node.kernel >= static_cast<std::int32_t>(kernels.size()))
      complain(file, offset,
               "node " + std::to_string(op.node.id) + " has an echo_kernel that echo_kernels lacks",
               record_again);
    else if (op.node.kernel >= 0)
      op.node.kernel = kernels[static_cast<std::size_t>(op.node.kernel)];
    std::int32_t group = -1;
    if (op.node.kind == trace::NodeKind::collective || !op.group.empty()) {
      if (op.node.collective != ops::CollectiveKind::host_copy) {
        const auto [found, is_new] =
            mentioned_.emplace(op.group, static_cast<std::int32_t>(mentioned_names_.size()));
        if (is_new) mentioned_names_.push_back(op.group);
        group = found->second;
      }
    }
    if (message.type() == ChakraProtoMsg::METADATA_NODE)
      add_listed_groups(message.inputs().values(), groups_);
    for (const std::uint64_t id : message.data_deps()) named.needs.push(static_cast<std::int64_t>(id));
    for (const std::uint64_t id : message.ctrl_deps()) named.follows.push(static_cast<std::int64_t>(id));
    named.needs.close_row();
    named.follows.close_row();
    named.ids.push_back(op.node.id);
    rank.nodes.push_back(op.node);
    rank.extras.push_back(without_what_the_trace_says(std::move(message)));
    message.Clear();
    file.offsets.push_back(offset);
    file.groups.push_back(group);
    file.counts_one_rank.push_back(op.counts_one_rank ? 1 : 0);
  }
}

void ChakraTraceBuilder::reorder(File& file, RankTrace& rank, const NamedDependencies& named,
                                 ChakraFile& extra) {
  std::vector<Misplaced> misplaced;
  DependencyOrder sorted = put_in_order(named, misplaced);
  for (const Misplaced& one : misplaced)
    complain(file, file.offsets[static_cast<std::size_t>(one.node)], one.what, record_again);
  if (!misplaced.empty()) return;
  for (const std::int32_t node : sorted.lost)
    keep_follows(rank.extras[static_cast<std::size_t>(node)], named.follows.row(node));
  if (!sorted.lost.empty())
    notes_.insert(
        "control dependencies on nodes that are not in the file, or that need the node, are left out");
  rank.needs = std::move(sorted.needs);
  rank.follows = std::move(sorted.follows);
  if (std::is_sorted(sorted.order.begin(), sorted.order.end())) return;
  permute(rank.nodes, sorted.order);
  permute(rank.extras, sorted.order);
  permute(file.groups, sorted.order);
  permute(file.counts_one_rank, sorted.order);
  permute(file.offsets, sorted.order);
  extra.order = std::move(sorted.order);
}

void ChakraTraceBuilder::add_rank(const RankFile& of, const ChakraProtoMsg::GlobalMetadata& metadata,
                                  const NodeSource& next) {
  File file;
  file.path = of.path;
  RankTrace rank;
  rank.rank = of.rank;
  rank.stands_for = {of.rank};
  ChakraFile extra;
  extra.metadata = metadata.SerializeAsString();
  NamedDependencies named;
  read_nodes(next, read_facts(file, metadata), file, rank, named);
  reorder(file, rank, named, extra);
  files_.push_back(std::move(file));
  extras_.push_back(std::move(extra));
  trace_.ranks.push_back(std::move(rank));
}

void ChakraTraceBuilder::fill_groups(std::int32_t ranks) {
  trace_.world = std::max(ranks, 1);
  for (const RankTrace& rank : trace_.ranks) {
    trace_.world = std::max(trace_.world, rank.rank + 1);
    for (const trace::Node& node : rank.nodes) trace_.world = std::max(trace_.world, node.peer + 1);
  }
  for (const auto& [name, members] : groups_)
    for (const std::int32_t member : members) trace_.world = std::max(trace_.world, member + 1);
  group_of_.assign(mentioned_names_.size(), -1);
  for (std::size_t i = 0; i < mentioned_names_.size(); ++i) {
    const std::string& name = mentioned_names_[i];
    trace::Group group{name, trace::GroupRole::unknown, {}};
    if (name.empty()) {
      group.name = all_ranks_name;
      group.ranks.resize(static_cast<std::size_t>(trace_.world));
      std::iota(group.ranks.begin(), group.ranks.end(), 0);
    } else if (const auto found = groups_.find(name); found != groups_.end() && name != all_ranks_name) {
      group.ranks = found->second;
    } else {
      continue;
    }
    const auto role = roles_.find(name.empty() ? "0" : name);
    if (role != roles_.end()) group.role = role->second;
    group_of_[i] = static_cast<std::int32_t>(trace_.groups.size());
    trace_.groups.push_back(std::move(group));
  }
}

void ChakraTraceBuilder::use_group(const File& file, std::size_t i, const std::vector<bool>& is_member,
                                   RankTrace& rank) {
  if (file.groups[i] < 0) return;
  const auto mentioned = static_cast<std::size_t>(file.groups[i]);
  trace::Node& node = rank.nodes[i];
  const std::string at = "node " + std::to_string(node.id) + " ";
  node.group = group_of_[mentioned];
  if (node.group < 0) {
    if (node.kind == trace::NodeKind::collective)
      complain(file, file.offsets[i],
               at + "is of group \"" + mentioned_names_[mentioned] + "\", which is not defined",
               "put a file {\"1\": [0, 1, ...]} of groups beside the trace, named comm_group.json");
    return;
  }
  const auto& members = trace_.groups[static_cast<std::size_t>(node.group)].ranks;
  if (node.kind == trace::NodeKind::collective && !is_member[static_cast<std::size_t>(node.group)])
    complain(file, file.offsets[i],
             at + "is a collective of group \"" + mentioned_names_[mentioned] + "\", which rank " +
                 std::to_string(rank.rank) + " is not in",
             record_again);
  ChakraOp op;
  op.node.bytes = node.bytes;
  op.counts_one_rank = file.counts_one_rank[i] != 0;
  if (node.bytes.value > most_bytes / static_cast<std::int64_t>(members.size() + 1))
    complain(file, file.offsets[i], at + "moves an impossible number of bytes", record_again);
  else
    node.bytes = payload_of(op, members.size());
}

trace::Trace ChakraTraceBuilder::finish(std::int32_t ranks) {
  fill_groups(ranks);
  for (std::size_t r = 0; r < files_.size(); ++r) {
    RankTrace& rank = trace_.ranks[r];
    std::vector<bool> is_member;
    for (const trace::Group& group : trace_.groups)
      is_member.push_back(std::find(group.ranks.begin(), group.ranks.end(), rank.rank) != group.ranks.end());
    for (std::size_t i = 0; i < files_[r].groups.size(); ++i) use_group(files_[r], i, is_member, rank);
  }
  if (!problems_.empty()) throw UserError(std::move(problems_));
  trace_.notes.assign(notes_.begin(), notes_.end());
  trace_.extras = packed(extras_);
  return std::move(trace_);
}

trace::Trace read_chakra(const Source& source, std::string_view ending,
                         std::int32_t (*read_rank)(const RankFile&, ChakraTraceBuilder&)) {
  const google::protobuf::LogSilencer quiet;  // what it has to say is said with the place
  RankFiles all = find_rank_files(source.path, ending);
  ChakraTraceBuilder builder;
  for (const RankFile& file : all.files) all.ranks = std::max(all.ranks, read_rank(file, builder));
  const std::string groups =
      source.beside.empty() ? group_file_beside(all.folder, all.prefix) : source.beside;
  if (!groups.empty()) builder.add_groups(read_group_file(groups));
  trace::Trace trace = builder.finish(all.ranks);
  trace.name = all.prefix;
  if (const std::string missing = missing_ranks(all); !missing.empty()) trace.notes.push_back(missing);
  return trace;
}

}  // namespace echo::trace_io
