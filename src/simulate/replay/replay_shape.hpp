// The shape of a traced job: degrees that can grow, and the positions of further data-parallel ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/refusal.hpp"
#include "machine/cluster.hpp"
#include "machine/group.hpp"
#include "trace/trace.hpp"
#include "training/config.hpp"

namespace echo::simulate {

// Data-parallel ranks are those at places 0..size of a dimension of `stride`: rank = (a * size + i) * stride
// + b.
struct TraceShape {
  training::Degrees degrees;        // of the traced job; gpus_of(degrees) is its world
  std::vector<std::uint8_t> grows;  // [Trace::groups] its members multiply
  std::int32_t stride = 1, size = 1;
  bool can_grow = false;
  bool can_be_any = false;     // the dimension may have any length, not only a multiple of the traced one
  bool splits_states = false;  // optimizer states are spread over what grows
};
[[nodiscard]] TraceShape shape_of(const trace::Trace&);

// By how much the job has grown: data degree over the traced one, below 1 where it has shrunk; 0 where it
// cannot have that degree.
[[nodiscard]] double growth_of(const TraceShape&, const training::Degrees&);

// Why the config cannot be made of the trace; none where it can.
[[nodiscard]] Refusal why_trace_cannot(const trace::Trace&, const TraceShape&,
                                       const training::TrainingConfig&, const machine::ClusterSpec&);
[[nodiscard]] std::vector<Refusal> replay_refusals();  // all there are

// Where the ranks of the grown job run.
class TraceRanks {
 public:
  TraceRanks(const trace::Trace&, const TraceShape&, const training::TrainingConfig&,
             const machine::ClusterSpec&);

  // The rank that `traced` is in copy `copy` of the traced job; of a job that has shrunk several are the
  // same.
  [[nodiscard]] std::int32_t place(std::int32_t traced, std::int32_t copy) const;
  [[nodiscard]] std::int32_t copies() const { return copies_; }
  // group: -1 = all ranks of the job.
  [[nodiscard]] machine::GroupSpan span(std::int32_t group) const;
  [[nodiscard]] machine::GroupSpan span_of_pair(std::int32_t from, std::int32_t to) const;

 private:
  [[nodiscard]] machine::GroupSpan span_of_ranks(std::vector<std::int32_t>& ranks) const;

  const trace::Trace& trace_;
  const TraceShape& shape_;
  std::int32_t copies_ = 1, length_ = 1;  // of the job; of the dimension now
  std::int32_t domain_ = 8, gpus_per_node_ = 8, gpus_ = 1;
  std::vector<std::int32_t> slots_;  // empty: packed
};

}  // namespace echo::simulate
