#include "sweep/run/run_sweep.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <utility>

#include "base/at.hpp"
#include "simulate/simulate.hpp"
#include "sweep/language/limits.hpp"
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

// Simulates the points of one worker, one by one.
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

  Row run(PointIndex id) {
    const auto start = std::chrono::steady_clock::now();  // provenance only
    source_.begin(id);
    point_.go_to(id);
    Row row;
    row.id = id;
    row.config = point_.config();
    row.config_id = ids_.of(row.config, training::values_of(row.config));
    if (source_.is_poisoned(id)) {
      row.report = failed(training::Reason::crashed);
      note(id, "it crashed its process before");
    } else {
      simulate(row);
      apply_limits(point_.program(), point_.state(), catalog_, space_.terms(), row);
    }
    row.seconds = seconds_since(start);
    ++summary_.by_status[at(row.report.status)];
    return row;
  }

  // After the last point.
  [[nodiscard]] SweepSummary take_summary() {
    summary_.memos = workspace_.counts;
    return std::move(summary_);
  }

 private:
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
};

}  // namespace

SweepSummary run_sweep(const DesignSpace& space, const simulate::Catalog& catalog,
                       const simulate::Calibration& calibration, WorkSource& source, RowSink& sink,
                       const simulate::PacketMemory& memory) {
  PointRunner runner(space, catalog, calibration, source, sink, memory);
  while (const auto range = source.claim()) {
    for (PointIndex id = range->begin; id < range->end && !source.is_stopping_now(); ++id) {
      const Row row = runner.run(id);
      sink.accept({&row, 1});  // at once: a journal may lose what it does not have
    }
  }
  return runner.take_summary();
}

}  // namespace echo::sweep
