// When the weights and gradients that data-parallel ranks share travel: once a step, or with every
// microbatch.
#pragma once

#include "training/config.hpp"
#include "training/layout/rank_layout.hpp"

namespace echo::workload {

// Weights are gathered unit by unit in the passes themselves (ZeRO-3, FSDP), or bucket by bucket ahead of the
// first forward (ZeRO-1 and 2), or in the step's tail. Gradients leave with every microbatch's backward, with
// the last one's, or in the tail.
struct DataTraffic {
  DataTraffic(const training::TrainingConfig&, const training::RankLayout&);

  bool shards_weights = false;    // passes work on units
  bool gathers_forward = false;   // every forward gathers its units; else only the first of a step
  bool gathers_backward = false;  // and every backward again
  bool gathers_buckets = false;   // ahead of the first forward of a step
  bool reduces_each = false;      // every backward reduces
  bool reduces_last = false;      // only the last backward of a step
  bool adds_each = true;          // a microbatch's gradients are added to those of the ones before
};

}  // namespace echo::workload
