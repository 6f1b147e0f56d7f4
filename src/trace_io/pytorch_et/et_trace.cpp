#include "trace_io/pytorch_et/et_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "trace_io/io/byte_source.hpp"
#include "trace_io/kineto/kineto_trace.hpp"
#include "trace_io/model/comm_groups.hpp"
#include "trace_io/model/trace_folder.hpp"
#include "trace_io/pytorch_et/et_ops.hpp"
#include "trace_io/pytorch_et/torch_types.hpp"

namespace echo::trace_io {

namespace {

using trace::Node;
using trace::NodeKind;

// Shapes alone: compute on stream 0, each group's communication on a stream of its own, and between streams
// the dependencies through storages.
class ShapesOnly {
 public:
  void add(const std::string& path, std::int32_t rank, std::int32_t step) {
    EtOps all = read_et_ops(path, step);
    if (!all.label.empty() && labels_ != all.label) labels_ += (labels_.empty() ? "" : ", ") + all.label;
    CommGroups groups(tables_, rank, 0);
    for (const CommCall& group : all.groups) groups.declare(group);
    for (const EtOp& op : all.ops)
      if (op.comm) groups.hear(*op.comm);
    rank_ = {.rank = rank, .stands_for = {rank}};
    writers_.clear();
    for (const EtOp& op : all.ops) append(op, groups);
    if (!ranks_.emplace(rank, std::move(rank_)).second)
      throw UserError({Problem{{path},
                               fmt::format("{} has rank {}, as another file does", path, rank),
                               "name the files rank-0.json, rank-1.json, or give one file"}});
    out_.world = std::max(out_.world, groups.world());
    on_host_ = on_host_ || all.on_host;
  }

  trace::Trace finish() {
    for (auto& [rank, nodes] : ranks_) out_.ranks.push_back(std::move(nodes));
    if (!labels_.empty()) out_.notes.push_back("step " + labels_);
    out_.notes.push_back(
        "no profile beside the execution trace: no op has a time; all are priced by their shapes");
    if (on_host_) out_.notes.push_back("recorded on a CPU: its ops represent those of a GPU");
    if (unsized_ > 0) out_.notes.push_back(fmt::format("{} collectives have no size or members", unsized_));
    if (unpaired_ > 0)
      out_.notes.push_back(fmt::format("{} sends and receives have no peer and are left out", unpaired_));
    return std::move(out_);
  }

 private:
  void append(const EtOp& op, CommGroups& groups) {
    Node node{.id = op.id, .pass = op.pass};
    if (op.comm) {
      if (!communicate(node, *op.comm, groups)) return;
    } else if (op.crosses) {
      node.kind = NodeKind::collective;
      node.collective = ops::CollectiveKind::host_copy;
      if (!op.reads.empty()) node.bytes = Bytes(op.reads.back().bytes);
    } else {
      if (op.kernel) node.kernel = tables_.kernel(*op.kernel);
      std::int64_t bytes = 0;
      for (const auto* list : {&op.reads, &op.writes})
        for (const EtTensor& one : *list) bytes = std::min(bytes + one.bytes, std::int64_t{1} << 50);
      if (!op.kernel) node.bytes = Bytes(bytes);
    }
    node.name = tables_.name(op.name);
    const auto place = static_cast<std::int32_t>(rank_.nodes.size());
    std::vector<std::int32_t> needs;
    for (const EtTensor& one : op.reads)
      if (const auto found = writers_.find(one.storage); found != writers_.end())
        if (rank_.nodes[at(found->second)].stream != node.stream) needs.push_back(found->second);
    append_node(rank_, node, std::move(needs));
    const auto last = op.name.rfind("::");
    const bool in_place =
        op.comm || (last != op.name.npos && op.name.back() == '_') || op.name == "aten::copy_";
    for (const EtTensor& one : op.writes) writers_[one.storage] = place;
    if (in_place && op.writes.empty())
      for (const EtTensor& one : op.reads) writers_[one.storage] = place;
  }

  bool communicate(Node& node, const CommCall& call, CommGroups& groups) {
    const CommKind kind = comm_kind(call.collective).value_or(CommKind{});
    if (kind.role != CommRole::collective && (call.peer < 0 || call.peer >= groups.world())) {
      ++unpaired_;
      return false;
    }
    node.kind = kind.role == CommRole::collective ? NodeKind::collective
                : kind.role == CommRole::send     ? NodeKind::send
                                                  : NodeKind::recv;
    node.collective = kind.kind;
    node.peer = kind.role == CommRole::collective ? -1 : call.peer;
    node.group = groups.group_of(call);
    node.stream = 2 + node.group;
    node.bytes = payload_of(call, kind);
    if (const auto type = element_type(call.type); type && type->precision) node.precision = *type->precision;
    if (node.bytes.value == 0 || node.group < 0) ++unsized_;
    return true;
  }

  trace::Trace out_;
  TraceTables tables_{out_};
  trace::RankTrace rank_;
  std::unordered_map<std::int64_t, std::int32_t> writers_;  // of storages
  std::map<std::int32_t, trace::RankTrace> ranks_;
  std::string labels_;
  bool on_host_ = false;
  std::int64_t unsized_ = 0, unpaired_ = 0;
};

std::string profile_beside(const std::string& path, std::int32_t rank) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::vector<std::string> found;
  try {
    found = files_of(folder.empty() ? "." : folder.string(), is_kineto_file);
  } catch (const UserError&) {  // none
  }
  for (const std::string& one : found)
    if (rank >= 0 && rank_in_name(one) == rank) return one;
  return found.size() == 1 && rank < 0 ? found.front() : std::string{};
}

// A profile of the host alone contains no time that is replayed.
bool has_kernels(const std::string& profile) {
  KinetoHeader ignored;
  return read_kineto_events(profile, {}, ignored, [](KinetoEvent&) {}) > 0;
}

// Facts in the trace's nodes that the profile's ops lack, by the id of a call that both have.
KinetoFile joined(const std::string& profile, const std::string& path) {
  struct Said {
    std::string name;
    AtenCall call;
    CommCall comm;
  };
  const auto said = std::make_shared<std::unordered_map<std::int64_t, Said>>();
  KinetoFile file{profile};
  read_et_nodes(path, [&](EtNode& node) {
    if (node.name == "## process_group:init ##")
      for (CommCall& group : groups_of_text(node.text)) file.groups.push_back(std::move(group));
    if (node.record_id > 0 && (!node.call.shapes.empty() || !node.comm.collective.empty()))
      (*said)[node.record_id] = {node.name, std::move(node.call), std::move(node.comm)};
  });
  file.notes = [said](KinetoEvent& event) {
    const auto found = said->find(event.record_id > 0 ? event.record_id : event.external_id);
    if (found == said->end() || found->second.name != event.name) return;
    if (event.call.shapes.empty()) event.call = found->second.call;
    if (event.comm.collective.empty() && !found->second.comm.collective.empty())
      event.comm = found->second.comm;
  };
  return file;
}

}  // namespace

bool is_et_file(const std::string& path, std::string_view head) {
  if (!is_json_name(path)) return false;
  const auto has = [&](std::string_view part) { return head.find(part) != head.npos; };
  return has("\"schema\"") && has("\"nodes\"") && (has("rf_id") || has("pytorch|profiler"));
}

trace::Trace read_et(const Source& source) {
  const std::vector<std::string> paths = files_of(source.path, is_et_file);
  ShapesOnly shapes;
  std::vector<KinetoFile> profiles;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::int32_t named = rank_in_name(paths[i]);
    std::string profile = source.beside;
    if (profile.empty() || std::filesystem::is_directory(profile))
      profile = profile_beside(profile.empty() ? paths[i] : profile + "/",
                               paths.size() > 1 || named >= 0 ? named : -1);
    if (!profile.empty() && has_kernels(profile)) {
      profiles.push_back(joined(profile, paths[i]));
      if (named >= 0) profiles.back().rank = named;
    } else {
      shapes.add(paths[i], named >= 0 ? named : static_cast<std::int32_t>(i), source.step);
    }
  }
  if (!profiles.empty() && profiles.size() < paths.size())
    throw UserError({Problem{{source.path},
                             source.path + " has profiles for only some of its execution traces",
                             "name both kinds of file after their rank (rank-0), or remove the profiles"}});
  return profiles.empty() ? shapes.finish() : read_kineto_files(profiles, source.step);
}

}  // namespace echo::trace_io
