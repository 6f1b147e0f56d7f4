// A config that replays a trace, ready to be simulated.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "base/named_table.hpp"
#include "simulate/replay/replay_scratch.hpp"
#include "simulate/replay/replay_shape.hpp"
#include "simulate/replay/replay_step.hpp"
#include "simulate/simulate.hpp"
#include "tests/support/random_config.hpp"

namespace echo::support {

struct Traced {
  explicit Traced(trace::Trace trace) : catalog(presets().catalog) {
    EXPECT_EQ(trace::why_unsound(trace), "");
    catalog.traces.push_back(std::move(trace));
    catalog.models.push_back({.name = "traced", .trace = training::TraceId(0)});
    const simulate::TraceShape shape = simulate::shape_of(catalog.traces[0]);
    config.model = training::ModelId(static_cast<std::int32_t>(catalog.models.size()) - 1);
    config.cluster = machine::ClusterId(find_named(catalog.clusters, "dgx-h100-ndr400"));
    config.framework = training::FrameworkId(find_named(catalog.frameworks, "megatron-core"));
    config.degrees = shape.degrees;
    config.batch = simulate::batch_of_trace(0.0, 1);
  }
  [[nodiscard]] simulate::StepReport run(const simulate::Skew& skew = {}) {
    return simulate::simulate(config, catalog, presets().calibration, ws, 0, skew);
  }
  void gpu(const char* name) { config.gpu = machine::GpuId(find_named(catalog.gpus, name)); }
  simulate::Catalog catalog;
  training::TrainingConfig config;
  simulate::Workspace ws;
};

}  // namespace echo::support
