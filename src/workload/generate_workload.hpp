// Generates the work of one training step from a config.
#pragma once

#include "machine/cluster.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"
#include "workload/workload.hpp"

namespace echo::workload {

// Contract: any split backward does not come with sharded gradients or weights (zero <= 1).
// Contract: `config` breaks no rule of training::rule_sets; `layout` holds its groups, chunk layers and chunk-to-stage map.
// `out` is reused; a warm call allocates nothing.
void generate_workload(const training::TrainingConfig&, const training::ModelSpec&,
                       const training::FrameworkSpec&, const machine::ClusterSpec&,
                       const training::RankLayout& layout, Backward backward, Workload& out,
                       std::int32_t compute_capability = 90);

}  // namespace echo::workload
