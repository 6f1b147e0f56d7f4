// The work of one training step on the GPUs: distinct blocks of ops, distinct kernels, distinct collectives.
// Each is stored once; stages refer to them by index.
#pragma once

#include <cstdint>
#include <vector>

#include "base/csr.hpp"
#include "base/ids.hpp"
#include "base/lane.hpp"
#include "ops/collective.hpp"
#include "ops/kernel.hpp"

namespace echo::workload {

// Structure of arrays, in launch order. `work` is a kernel on the compute lane, else a collective.
struct OpGraph {
  std::vector<Lane> lane;
  std::vector<TimeCategory> part;
  std::vector<WorkId> work;
  Csr<OpId> needs;                 // needs.row(op): earlier ops that must end first
  std::int32_t launches = 0;       // kernels the host issues for this block, without those of replayed graphs
  std::int32_t looped = 0;         // those among them that a loop of the framework's own issues
  std::int32_t graphs = 0;         // CUDA graphs it replays
  std::int32_t transfers = 0;      // tensor-parallel collectives among them
  std::vector<std::int32_t> cuts;  // of a layer: ends of the segments that pairs interleave (pair.cpp)

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(lane.size()); }
  void clear();
};

// `count` runs of one block, one after the other.
struct BlockRun {
  BlockId block;
  std::int32_t count = 1;
  friend bool operator==(const BlockRun&, const BlockRun&) = default;
};

// `count` equal ops outside the pipeline, one after the other.
struct WorkRun {
  WorkId work;
  std::int32_t count = 1;
  TimeCategory part = TimeCategory::other;
  bool is_kernel = false;
  friend bool operator==(const WorkRun&, const WorkRun&) = default;
};

// Work of one gpu rank of each stage once per step, after its last backward.
struct StepTail {
  Csr<WorkRun>
      gradients;  // [stages] gradient reductions not hidden behind the backward, tied-embedding all-reduce
  Csr<WorkRun> grad_norm;   // [stages] gradient norm: every rank waits for the slowest here
  std::int64_t slices = 0;  // parts of weights that the host copies into place, on the stage with most
  Csr<WorkRun> update;      // [stages] optimizer, parameter gathers not hidden behind the next forward
};

// Whether a schedule runs weight gradients as tasks of their own: of no backward, of all, or of some.
enum class Backward : std::int8_t { whole, split, both };

// Which rows of blocks a pass runs: simulate/step/passes.hpp.
struct Workload {
  Backward backwards = Backward::whole;
  std::vector<OpGraph> blocks;
  std::int32_t block_count = 0;  // blocks beyond it are spare buffers
  std::vector<ops::KernelKey> kernels;
  std::vector<ops::CollectiveQuery> collectives;
  // Per model chunk: [pipeline * virtual stages].
  Csr<BlockRun> forward, backward;  // backward: of input gradients alone where all are split
  Csr<BlockRun> weight_gradients;   // rows are empty unless the backward is split
  Csr<BlockRun> input_gradients;    // what is left of a split backward where others are whole; rows or none
  Csr<BlockRun> pairs;  // [chunks][chunks of a stage] a forward and a backward run as one; rows or none
  // One block for the chunk's every pass, or none: layer by layer.
  std::vector<BlockId> whole_forward, whole_backward;
  // One block for the chunk's first or last pass, or none: the same as the others.
  std::vector<BlockId> first_forward, last_backward;
  bool gathers_each = false;  // every forward begins with a gather of weights
  bool gathers_once = false;  // the first one does; else first_forward gathers from the start of the step
  StepTail tail;
  ops::CollectiveQuery hop_within,
      hop_across;     // transfer of a microbatch between two stages: within a node, between nodes
  WorkId hop_gather;  // collective that reassembles a scattered hop, or none
};

}  // namespace echo::workload
