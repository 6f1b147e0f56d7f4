#include "sweep/run/run_sweep.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "base/at.hpp"
#include "simulate/simulate.hpp"
#include "sweep/language/limits.hpp"
#include "sweep/run/visit_order.hpp"
#include "sweep/space/config_ids.hpp"

namespace echo::sweep {

static double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static simulate::StepReport failed(training::Reason reason) {
  simulate::StepReport report;
  report.status = training::Status::failed;
  report.reason = reason;
  return report;
}

namespace {

// Points that are visited together, and whose rows are handed on together, and for how long.
constexpr PointIndex most_together = 512;
constexpr double most_seconds = 0.2;

// Simulates the points of one worker.
class PointRunner {
 public:
  PointRunner(const DesignSpace& space, const simulate::Catalog& catalog,
              const simulate::Calibration& calibration, WorkSource& source, RowSink& sink,
              const simulate::PacketMemory& memory)
      : space_(space),
        catalog_(catalog),
        known_(calibration),
        source_(source),
        sink_(sink),
        memory_(memory),
        point_(space),
        ids_(catalog) {
    workspace_.memo.packet_memory = memory;
  }

  // At most most_together points. Their rows go to the sink in the order of their numbers. Points for which
  // there was no time are visited in that order too, and each handed on at once: what a crash can lose is
  // what was done within most_seconds. While the source is stopping, the rest is left out.
  void run(const IdRange& range) {
    rows_.clear();
    order_.clear();
    for (PointIndex id = range.begin; id < range.end; ++id) rows_.push_back(row_of(id));
    is_done_.assign(rows_.size(), 0);
    const auto start = std::chrono::steady_clock::now();
    for (const std::int32_t place : order_.places()) {
      if (source_.is_stopping_now() || seconds_since(start) > most_seconds) break;
      simulate_point(rows_[at(place)]);
      is_done_[at(place)] = 1;
    }
    std::size_t first = 0;  // of what is not handed on
    for (std::size_t place = 0; place < rows_.size(); ++place) {
      if (is_done_[place] != 0) continue;
      hand_on(first, place);
      first = place + 1;
      if (source_.is_stopping_now()) continue;
      simulate_point(rows_[place]);
      hand_on(place, place + 1);
    }
    hand_on(first, rows_.size());
  }

  // After the last point.
  [[nodiscard]] SweepSummary take_summary() {
    summary_.memos = workspace_.counts;
    return std::move(summary_);
  }

 private:
  Row row_of(PointIndex id) {
    point_.go_to(id);
    Row row;
    row.id = id;
    row.config = point_.config();
    const training::AxisValues values = training::values_of(row.config);
    row.config_id = ids_.of(row.config, values);
    order_.add(values);
    return row;
  }

  void simulate_point(Row& row) {
    const auto start = std::chrono::steady_clock::now();  // provenance only
    source_.begin(row.id);
    if (source_.is_poisoned(row.id)) {
      row.report = failed(training::Reason::crashed);
      note(row.id, "it crashed its process before");
    } else {
      simulate(row);
    }
    row.seconds = seconds_since(start);
  }

  void hand_on(std::size_t first, std::size_t end) {
    if (first == end) return;
    for (std::size_t place = first; place < end; ++place) judge(rows_[place]);
    sink_.accept({rows_.data() + first, end - first});
  }

  // Applies the limits of the sweep, which see the point's values.
  void judge(Row& row) {
    if (!point_.program().limits.empty()) {
      point_.go_to(row.id);
      apply_limits(point_.program(), point_.state(), catalog_, space_.terms(), row);
    }
    ++summary_.by_status[at(row.report.status)];
  }

  void simulate(Row& row) {
    try {
      simulate_once(row);
    } catch (const std::bad_alloc&) {  // what earlier points left may be in the way
      start_again();
      simulate_once(row);
    }
  }
  void start_again() {
    const simulate::MemoCounts counts = workspace_.counts;
    workspace_ = simulate::Workspace();
    workspace_.counts = counts;
    workspace_.memo.packet_memory = memory_;
  }
  // Where the machine refuses memory, that is no failure of the point: it is thrown.
  void simulate_once(Row& row) {
    try {
      row.report =
          simulate::simulate(row.config, catalog_, known_, workspace_, space_.work_budget(), space_.skew());
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {  // one bug must not take the sweep down
      row.report = failed(training::Reason::internal_error);
      start_again();
      note(row.id, error.what());
    }
  }
  void note(PointIndex id, const char* message) {
    constexpr std::size_t max_failures_told = 100;
    const Failure failure{id, message};
    sink_.note_failure(failure);
    if (summary_.failures.size() < max_failures_told) summary_.failures.push_back(failure);
  }

  SweepSummary summary_;
  const DesignSpace& space_;
  const simulate::Catalog& catalog_;
  const simulate::Calibration& known_;
  WorkSource& source_;
  RowSink& sink_;
  const simulate::PacketMemory& memory_;
  PointCursor point_;
  ConfigIds ids_;
  simulate::Workspace workspace_;
  VisitOrder order_;  // of rows_
  std::vector<Row> rows_;
  std::vector<std::uint8_t> is_done_;
};

}  // namespace

SweepSummary run_sweep(const DesignSpace& space, const simulate::Catalog& catalog,
                       const simulate::Calibration& calibration, WorkSource& source, RowSink& sink,
                       const simulate::PacketMemory& memory) {
  PointRunner runner(space, catalog, calibration, source, sink, memory);
  while (const auto claimed = source.claim())
    for (PointIndex first = claimed->begin; first < claimed->end && !source.is_stopping_now();
         first += most_together)
      runner.run({first, std::min(first + most_together, claimed->end)});
  return runner.take_summary();
}

}  // namespace echo::sweep
