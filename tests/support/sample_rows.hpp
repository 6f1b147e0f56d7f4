// Rows and a catalogue to write files from; values follow from the id alone.
#pragma once

#include <cstdint>
#include <vector>

#include "base/counter_rng.hpp"
#include "results/write/row_stream.hpp"
#include "simulate/catalog.hpp"

namespace echo::results {

inline simulate::Catalog sample_catalog() {
  simulate::Catalog catalog;
  catalog.gpus = {{.name = "h800"}, {.name = "a100"}};
  catalog.models = {{.name = "zeta"}, {.name = "alpha"}, {.name = "unused"}};
  catalog.clusters = {{.name = "pod", .gpu = machine::GpuId(0), .nccl_version = 22105}};
  catalog.frameworks = {{.name = "megatron"}};
  return catalog;
}

inline FinishedRow sample_row(sweep::PointIndex id) {
  FinishedRow finished;
  sweep::Row& row = finished.row;
  const auto key = static_cast<std::uint64_t>(id);
  row.id = id;
  row.config_id = mix(key);
  row.config.model = training::ModelId(static_cast<std::int32_t>(id % 2));
  row.config.cluster = machine::ClusterId(0);
  row.config.framework = training::FrameworkId(0);
  row.config.schedule = training::ScheduleId(0);
  row.config.degrees = {.tensor = 1 << (id % 4), .pipeline = 2, .data = 3};
  row.config.batch = {.global_samples = 48, .micro_samples = 2, .sequence_tokens = 2048};
  simulate::StepReport& report = row.report;
  report.memory_peak = Bytes(static_cast<std::int64_t>(draw(1, key, 0) % 100'000'000'000));
  report.memory_limit = Bytes(80'000'000'000);
  report.memory[0] = report.memory_peak;
  if (id % 3 == 2) {
    report.status = training::Status::infeasible;
    report.reason = training::Reason::memory;
    report.reason_margin = 1e9;
    return finished;
  }
  report.status = training::Status::ok;
  report.step_no_slowdown = SimTime(static_cast<std::int64_t>(1 + draw(1, key, 1) % 10'000'000'000'000));
  report.step = report.step_no_slowdown + report.step_no_slowdown / 4;
  report.exposed[0] = report.step_no_slowdown;
  report.exposed[static_cast<std::size_t>(TimeCategory::slowdown)] = report.step - report.step_no_slowdown;
  report.total = report.exposed;
  report.mfu = 0.5 * draw_unit(1, key, 2);
  report.tokens_per_second = 48.0 * 2048.0 / to_seconds(report.step);
  report.evidence = ops::Grade::interpolated;
  return finished;
}

inline std::vector<FinishedRow> sample_rows(std::int64_t count) {
  std::vector<FinishedRow> rows;
  for (std::int64_t id = 0; id < count; ++id) rows.push_back(sample_row(id));
  return rows;
}

}  // namespace echo::results
