// Small workloads traced on nodes of eight GPUs, and their ops one by one.
#pragma once

#include "base/at.hpp"
#include "tests/support/fixtures.hpp"
#include "workload/generate_workload.hpp"

namespace echo::support {

inline workload::Workload traced(const training::TrainingConfig& c, const training::ModelSpec& m,
                                 const training::FrameworkSpec& f = plain_framework(),
                                 workload::Backward backward = workload::Backward::whole) {
  workload::Workload out;
  workload::generate_workload(c, m, f, eight_gpu_nodes(), layout_of(c, m), backward, out);
  return out;
}

// Calls each(count, op's lane, part, work) for every op of the runs of all chunks' passes.
template <class Each>
void for_every_op(const workload::Workload& w, const Csr<workload::BlockRun>& runs, Each each) {
  for (const workload::BlockRun& run : runs.value) {
    const workload::OpGraph& block = w.blocks[at(run.block)];
    for (std::size_t op = 0; op < block.lane.size(); ++op)
      each(run.count, block.lane[op], block.part[op], at(block.work[op]));
  }
}

}  // namespace echo::support
