// The communicators of a generated trace: the communicator of each collective of the workload, and its ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/lane.hpp"
#include "machine/group.hpp"
#include "trace/trace.hpp"
#include "training/layout/rank_groups.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// The two places of a step where collectives are.
enum class TailPlace : std::int8_t { gradients, grad_norm, update };

// A workload describes its groups by their shape, on which their time depends: the kind is one that has that
// shape and can be on the lane.
class TraceGroups {
 public:
  // Keeps references; groups that are asked for are added to `out`, with a note where a shape has no group.
  TraceGroups(const training::Degrees&, const training::RankLayout&, trace::Trace& out);

  [[nodiscard]] training::GroupKind kind_of(Lane, TimeCategory, const machine::GroupSpan&);
  [[nodiscard]] training::GroupKind kind_of(TailPlace, TimeCategory, const machine::GroupSpan&,
                                            std::int32_t stage);
  // The group of this kind that `rank` is in, an index into Trace::groups.
  std::int32_t group(training::GroupKind, std::int32_t rank);

 private:
  training::GroupKind like(std::span<const training::GroupKind> candidates, const machine::GroupSpan&);

  const training::RankLayout& layout_;
  training::GroupDegrees degrees_;
  trace::Trace& out_;
  std::vector<std::vector<std::int32_t>> known_;  // [GroupKind][number]: of Trace::groups, or -1
  bool noted_ = false;
};

[[nodiscard]] trace::GroupRole role_of(training::GroupKind);

}  // namespace echo::simulate
