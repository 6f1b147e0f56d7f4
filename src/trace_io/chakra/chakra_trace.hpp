// Assembles a trace from Chakra's messages, rank by rank.
#pragma once

#include <et_def.pb.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "trace/trace.hpp"
#include "trace_io/chakra/chakra_extras.hpp"
#include "trace_io/chakra/chakra_facts.hpp"
#include "trace_io/chakra/chakra_groups.hpp"
#include "trace_io/format.hpp"
#include "trace_io/model/rank_files.hpp"

namespace echo::trace_io {

class ChakraTraceBuilder {
 public:
  // Fills the next node of a file and where it begins; false at its end.
  using NodeSource = std::function<bool(ChakraProtoMsg::Node&, std::int64_t& offset)>;

  // Problems are kept for finish(), but what `next` throws goes through.
  void add_rank(const RankFile&, const ChakraProtoMsg::GlobalMetadata&, const NodeSource& next);
  void add_groups(ChakraGroups groups) { groups_.merge(groups); }
  // Throws UserError, 2, with every problem found. `ranks`: of the job, at least.
  [[nodiscard]] trace::Trace finish(std::int32_t ranks);

 private:
  struct File {
    std::string path;
    std::vector<std::int64_t> offsets;         // [nodes, as read]
    std::vector<std::int32_t> groups;          // [nodes, as the trace has them] of mentioned_, -1: none
    std::vector<std::int8_t> counts_one_rank;  // [nodes, in the same order]
  };
  void complain(const File&, std::int64_t offset, const std::string& what, const char* remedy);
  std::int32_t name_number(const std::string& name);
  // The place in trace_.kernels of each of the file's kernels.
  std::vector<std::int32_t> read_facts(const File&, const ChakraProtoMsg::GlobalMetadata&);
  void read_nodes(const NodeSource&, const std::vector<std::int32_t>& kernels, File&, trace::RankTrace&,
                  struct NamedDependencies&);
  void reorder(File&, trace::RankTrace&, const struct NamedDependencies&, ChakraFile& extra);
  void fill_groups(std::int32_t ranks);
  void use_group(const File&, std::size_t node, const std::vector<bool>& is_member, trace::RankTrace&);

  trace::Trace trace_;
  ChakraGroups groups_;
  std::map<std::string, trace::GroupRole> roles_;  // by pg_name, "0": of all ranks
  std::map<std::string, std::int32_t> names_, mentioned_;
  std::map<ops::KernelKey, std::int32_t> kernels_;
  std::vector<std::string> mentioned_names_;
  std::vector<std::int32_t> group_of_;  // [mentioned] of trace_.groups, -1: nowhere
  std::vector<File> files_;             // [ranks]
  std::vector<ChakraFile> extras_;      // [ranks]
  std::set<std::string> notes_;
  std::vector<Problem> problems_;
};

// All of `source`: files of ranks, and groups beside them. `read_rank` adds one, and says of how many ranks
// the job is; 0: it does not.
[[nodiscard]] trace::Trace read_chakra(const Source& source, std::string_view ending,
                                       std::int32_t (*read_rank)(const RankFile&, ChakraTraceBuilder&));

}  // namespace echo::trace_io
