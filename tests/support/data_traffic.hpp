// What a traced workload sends over the data lane in one step, passes and tail together.
#pragma once

#include <array>
#include <cstdint>

#include "base/at.hpp"
#include "workload/workload.hpp"

namespace echo::support {

struct DataBytes {
  std::array<std::int64_t, ops::collective_kind_count> of{};  // [CollectiveKind], payloads
  [[nodiscard]] std::int64_t operator[](ops::CollectiveKind kind) const { return of[at(kind)]; }
};

inline void add_block(const workload::Workload& w, BlockId block, std::int64_t count, Lane lane,
                      DataBytes& out) {
  const workload::OpGraph& graph = w.blocks[at(block)];
  for (std::size_t op = 0; op < graph.lane.size(); ++op) {
    if (graph.lane[op] != lane) continue;
    const ops::CollectiveQuery& query = w.collectives[at(graph.work[op]) - w.kernels.size()];
    out.of[at(query.kind)] += count * query.payload.value;
  }
}

// All chunks together; of the tail, what carries gradients and weights of data-parallel copies.
inline DataBytes bytes_per_step(const workload::Workload& w, std::int64_t microbatches,
                                Lane lane = Lane::data) {
  DataBytes sum;
  for (std::int32_t chunk = 0; chunk < w.forward.rows(); ++chunk) {
    const std::size_t place = at(chunk);
    const auto passes = [&](const Csr<workload::BlockRun>& runs, std::int64_t count) {
      for (const workload::BlockRun& run : runs.row(chunk))
        add_block(w, run.block, count * run.count, lane, sum);
    };
    const bool first = !w.first_forward[place].is_none(), last = !w.last_backward[place].is_none();
    passes(w.forward, microbatches - (first ? 1 : 0));
    if (first) add_block(w, w.first_forward[place], 1, lane, sum);
    passes(w.backward, microbatches - (last ? 1 : 0));
    if (last) add_block(w, w.last_backward[place], 1, lane, sum);
  }
  const auto tail = [&](const Csr<workload::WorkRun>& runs) {
    for (const workload::WorkRun& run : runs.value) {
      if (run.is_kernel || (run.part != TimeCategory::dp_comm && run.part != TimeCategory::zero_comm))
        continue;
      const ops::CollectiveQuery& query = w.collectives[at(run.work) - w.kernels.size()];
      sum.of[at(query.kind)] += run.count * query.payload.value;
    }
  };
  if (lane == Lane::data) tail(w.tail.gradients), tail(w.tail.update);
  return sum;
}

}  // namespace echo::support
