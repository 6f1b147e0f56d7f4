// One finished point, and the interfaces that supply points and accept rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
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
  std::int32_t limit = -1;    // of SweepSpec::limits: the first one broken; -1 = none
  double limit_excess = 0.0;  // how far past it, as a share of the bound
  double seconds = 0.0;       // wall time of this point: provenance only
};
static_assert(std::is_trivially_copyable_v<Row>);

struct IdRange {
  PointIndex begin = 0, end = 0;  // [begin, end)
  friend bool operator==(const IdRange&, const IdRange&) = default;
};

struct WorkSource {
  // Called once per batch.
  virtual std::optional<IdRange> claim() = 0;
  // Called before each point; must cost nanoseconds. What a dead worker was doing is known by it.
  virtual void begin(PointIndex) {}
  // A point that has killed its process before: it becomes a failed row, unseen.
  [[nodiscard]] virtual bool is_poisoned(PointIndex) const { return false; }
  // Asked before each point: the rest of the claimed range is to be left undone.
  [[nodiscard]] virtual bool is_stopping_now() const { return false; }
  virtual ~WorkSource() = default;
};

// The failure of a point whose row says `failed`.
struct Failure {
  PointIndex id = 0;
  std::string message;
};

struct RowSink {
  virtual void accept(std::span<const Row>) = 0;
  virtual void note_failure(const Failure&) {}  // before the row itself
  virtual ~RowSink() = default;
};

}  // namespace echo::sweep
