// When data-parallel ranks communicate weights and gradients: once per step or with every microbatch.
#pragma once

#include "training/config.hpp"
#include "training/layout/rank_layout.hpp"

namespace echo::workload {

// Weights are gathered per unit in the passes themselves (ZeRO-3, FSDP), per bucket ahead of the first
// forward (ZeRO-1 and 2), or in the step's tail. Gradients are reduced in every microbatch's backward, in the
// last one, or in the tail.
struct DataTraffic {
  DataTraffic(const training::TrainingConfig&, const training::RankLayout&);

  bool in_units = false;          // weights come layer by layer: from other ranks, a memory tier or both
  bool gathers_forward = false;   // every forward gathers its units; else only the first of a step
  bool gathers_backward = false;  // every backward gathers them again
  bool gathers_buckets = false;   // ahead of the first forward of a step
  bool reduces_each = false;      // every backward reduces
  bool reduces_last = false;      // only the last backward of a step
  bool adds_each = true;          // a microbatch's gradients are added to those of earlier ones
};

}  // namespace echo::workload
