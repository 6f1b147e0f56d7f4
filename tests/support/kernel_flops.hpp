// Flops of a traced workload's kernels, counted op by op.
#pragma once

#include <initializer_list>

#include "base/at.hpp"
#include "workload/workload.hpp"

namespace echo::support {

// Of one block, for the kernels that pass `wanted(KernelKey, Part)`.
template <class Wanted>
double block_flops(const workload::Workload& w, const workload::OpGraph& block, const Wanted& wanted) {
  double sum = 0.0;
  for (std::size_t op = 0; op < block.lane.size(); ++op) {
    if (block.lane[op] != Lane::compute) continue;
    const ops::KernelKey& key = w.kernels[at(block.work[op])];
    if (wanted(key, block.part[op])) sum += ops::flops_of(key).value;
  }
  return sum;
}

// Over all chunks, one microbatch of each of `passes`.
template <class Wanted>
double pass_flops(const workload::Workload& w, std::initializer_list<const Csr<workload::BlockRun>*> passes,
                  const Wanted& wanted) {
  double sum = 0.0;
  for (const Csr<workload::BlockRun>* runs : passes)
    for (const workload::BlockRun& run : runs->value)
      sum += run.count * block_flops(w, w.blocks[at(run.block)], wanted);
  return sum;
}

}  // namespace echo::support
