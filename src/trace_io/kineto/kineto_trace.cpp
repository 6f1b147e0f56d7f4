#include "trace_io/kineto/kineto_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "trace_io/kineto/kineto_graph.hpp"
#include "trace_io/model/comm_groups.hpp"
#include "trace_io/model/trace_folder.hpp"

namespace echo::trace_io {

namespace {

class Assembly {
 public:
  void add(const KinetoFile& file, std::int32_t step) {
    KinetoStep one = read_kineto_step(file.path, step, file.notes);
    if (labels_.empty() || labels_.back() != one.label) labels_.push_back(one.label);
    if (out_.gpu.empty()) out_.gpu = one.header.gpu;
    const std::int32_t rank = rank_of(file, one.header);
    if (ranks_.contains(rank))
      throw UserError({Problem{{file.path},
                               fmt::format("{} has rank {}, as another file does", file.path, rank),
                               "name the files rank-0.json, rank-1.json, or give one file"}});
    CommGroups groups(tables_, rank, one.header.world);
    for (const CommCall& group : one.header.groups) groups.declare(group);
    for (const CommCall& group : file.groups) groups.declare(group);
    ranks_[rank] = rank_of_step(one, rank, tables_, groups, doubts_);
    out_.world = std::max(out_.world, groups.world());
  }

  trace::Trace finish() {
    for (auto& [rank, nodes] : ranks_) out_.ranks.push_back(std::move(nodes));
    if (labels_.front().empty())
      out_.notes.push_back("the profile marks no steps: all of it counts as one step");
    else
      out_.notes.push_back(fmt::format("step {}", fmt::join(labels_, ", ")));
    add_notes(doubts_, out_);
    return std::move(out_);
  }

 private:
  std::int32_t rank_of(const KinetoFile& file, const KinetoHeader& header) const {
    constexpr std::int32_t most_ranks = 1 << 24;
    if (file.rank >= 0) return file.rank;
    if (header.rank >= 0 && header.rank < most_ranks) return header.rank;
    const std::int32_t named = rank_in_name(file.path);
    return named >= 0 ? named : static_cast<std::int32_t>(ranks_.size());
  }

  trace::Trace out_;
  TraceTables tables_{out_};
  GraphDoubts doubts_;
  std::map<std::int32_t, trace::RankTrace> ranks_;
  std::vector<std::string> labels_;
};

}  // namespace

bool is_kineto_file(const std::string& path, std::string_view head) {
  if (!is_json_name(path)) return false;
  const auto has = [&](std::string_view part) { return head.find(part) != head.npos; };
  return has("\"traceEvents\"") || (has("\"schemaVersion\"") && has("\"deviceProperties\"")) ||
         (head.starts_with("[") && has("\"ph\"")) || has("\"distributedInfo\"");
}

trace::Trace read_kineto(const Source& source) {
  std::vector<KinetoFile> files;
  for (const std::string& path : files_of(source.path, is_kineto_file)) files.push_back({path});
  return read_kineto_files(files, source.step);
}

trace::Trace read_kineto_files(const std::vector<KinetoFile>& files, std::int32_t step) {
  Assembly assembly;
  for (const KinetoFile& file : files) assembly.add(file, step);
  return assembly.finish();
}

}  // namespace echo::trace_io
