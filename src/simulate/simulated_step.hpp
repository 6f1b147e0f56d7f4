// Everything that the report of a generated step was worked out from.
#pragma once

#include "machine/cluster.hpp"
#include "simulate/catalog.hpp"
#include "simulate/prices/prices.hpp"
#include "simulate/report/evidence.hpp"
#include "simulate/step/composed_step.hpp"
#include "timeline/schedule.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// The body that a step's work begins with. Bodies that have the same number in one workspace are the same;
// 0: nobody knows.
struct BodyNumber {
  std::int64_t number = 0;
  std::int32_t blocks = 0;  // the first of the step's
};

struct SimulatedStep {
  training::RankLayout layout;  // with chunks where the schedule places them
  workload::Workload work;
  BodyNumber body;
  Prices prices;
  ComposedStep composed;  // with slowdown
  Evidence evidence;      // behind the report
};

// The inputs from which a step is composed. Refers to all of them.
struct StepInput {
  const training::TrainingConfig& config;
  const training::ModelSpec& model;
  const training::FrameworkSpec& framework;
  const machine::ClusterSpec& cluster;
  const training::RankLayout& layout;
  const workload::Workload& work;
  const Prices& prices;
  timeline::Schedule schedule;
  BodyNumber body;

  [[nodiscard]] timeline::PipelineShape shape() const;  // as the schedule sees it
  [[nodiscard]] std::int32_t microbatches() const {     // of one copy of the model
    return training::microbatches_of(config) / layout.copies;
  }
};
[[nodiscard]] StepInput input_of(const training::TrainingConfig&, const Catalog&, const SimulatedStep&);

// The shape a schedule sees; its chunk-to-stage map lives in `layout`.
[[nodiscard]] timeline::PipelineShape pipeline_shape(const training::TrainingConfig&,
                                                     const training::RankLayout& layout,
                                                     const timeline::Schedule&);

}  // namespace echo::simulate
