// Generates the work of one training step from a config.
#pragma once

#include "machine/cluster.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"
#include "workload/body.hpp"
#include "workload/workload.hpp"

namespace echo::workload {

// What a step is generated from.
struct StepSource {
  const training::TrainingConfig& config;
  const training::ModelSpec& model;
  const training::FrameworkSpec& framework;
  const machine::ClusterSpec& cluster;
  const training::RankLayout& layout;
  Backward backward = Backward::whole;
  std::int32_t compute_capability = 90;  // of the GPU
};

// Contract: any split backward does not come with sharded gradients or weights (zero <= 1).
// Contract: `config` breaks no rule of training::rule_sets; `layout` holds its groups, chunk layers and
// chunk-to-stage map. `out` is reused; a warm call allocates nothing.
void generate_workload(const training::TrainingConfig&, const training::ModelSpec&,
                       const training::FrameworkSpec&, const machine::ClusterSpec&,
                       const training::RankLayout& layout, Backward backward, Workload& out,
                       std::int32_t compute_capability = 90);

// Configs of which config_of_work() is the same have the same work: all that it does not look at has one
// fixed value there. Blocks are of one microbatch, so that what matters of their number is mostly whether
// there are several.
[[nodiscard]] training::TrainingConfig config_of_work(training::TrainingConfig);

// The same in two steps. Configs of which config_of_body() is the same share the body: it is generated from
// that config, in which all that the ends alone look at has one fixed value.
[[nodiscard]] training::TrainingConfig config_of_body(training::TrainingConfig);
// Buffers of `body` are kept.
void generate_body(const StepSource&, Workload& out, Body& body);
// Replaces what follows the body. Contract: nobody else has changed `out` since generate_body made this one.
void generate_ends(const StepSource&, Body&, Workload& out);

}  // namespace echo::workload
