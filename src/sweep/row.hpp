// One finished point, and the interfaces through which points are claimed and rows leave.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "simulate/report.hpp"
#include "training/config.hpp"

namespace echo::sweep {

using PointIndex = std::int64_t;  // position in the (lazy, filtered) mixed-radix space

struct Row {
  PointIndex id = 0;
  std::uint64_t config_id = 0;  // hash of canonical axis names and values
  training::TrainingConfig config;
  simulate::StepReport report;
  double seconds = 0.0;  // wall time of this point: provenance only
};
static_assert(std::is_trivially_copyable_v<Row>);

struct IdRange {
  PointIndex begin = 0, end = 0;  // [begin, end)
};

// Called once per batch.
struct WorkSource {
  virtual std::optional<IdRange> claim() = 0;
  virtual ~WorkSource() = default;
};
struct RowSink {
  virtual void accept(std::span<const Row>) = 0;
  virtual ~RowSink() = default;
};

}  // namespace echo::sweep
