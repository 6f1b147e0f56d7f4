// The catalog: every model, GPU, cluster and framework a sweep may name. Immutable once read.
#pragma once

#include <cstdint>
#include <vector>

#include "base/at.hpp"
#include "machine/cluster.hpp"
#include "machine/gpu.hpp"
#include "ops/collective.hpp"
#include "timeline/patterns/given_order.hpp"
#include "trace/trace.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"

namespace echo::simulate {

struct Catalog {
  std::vector<machine::GpuSpec> gpus;
  std::vector<training::ModelSpec> models;
  std::vector<machine::ClusterSpec> clusters;
  std::vector<training::FrameworkSpec> frameworks;
  std::vector<std::vector<std::int32_t>> layer_tables;  // explicit layers per chunk
  std::vector<timeline::GivenOrder> orders;  // schedules of files: ids that follow those of schedule_table()
  std::vector<trace::Trace> traces;          // found by ModelSpec::trace
  friend bool operator==(const Catalog&, const Catalog&) = default;

  [[nodiscard]] const training::ModelSpec& model(training::ModelId id) const { return models.at(at(id)); }
  [[nodiscard]] const machine::ClusterSpec& cluster(machine::ClusterId id) const {
    return clusters.at(at(id));
  }
  [[nodiscard]] const training::FrameworkSpec& framework(training::FrameworkId id) const {
    return frameworks.at(at(id));
  }
  [[nodiscard]] const machine::GpuSpec& gpu(const training::TrainingConfig& c) const {
    return gpus.at(at(c.gpu.is_none() ? cluster(c.cluster).gpu : c.gpu));
  }
};

}  // namespace echo::simulate
