// Merges the communicators named by several ranks into the groups of one trace.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trace_io/model/trace_tables.hpp"
#include "trace_io/pytorch_et/torch_comm.hpp"

namespace echo::trace_io {

// The groups of one rank as its file describes them, and the participants of a call.
class CommGroups {
 public:
  // `world` 0: not known; then the largest rank that is heard of, or the largest group.
  CommGroups(TraceTables& tables, std::int32_t rank, std::int32_t world)
      : tables_(&tables), rank_(rank), world_(world) {}
  void declare(const CommCall& group);  // by name
  // Hear of the world's size before `group_of`: calls name ranks too.
  void hear(const CommCall&);
  [[nodiscard]] std::int32_t world() const;
  // The group of the trace; -1 where its members are not known, or this rank is none of them.
  [[nodiscard]] std::int32_t group_of(const CommCall&);

 private:
  [[nodiscard]] std::vector<std::int32_t> members_of(const CommCall&) const;
  TraceTables* tables_;
  std::int32_t rank_, world_, heard_ = 1;
  std::map<std::string, CommCall> declared_;
  std::map<std::string, std::int32_t> found_;
};

}  // namespace echo::trace_io
