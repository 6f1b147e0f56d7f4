#include "sweep/run_sweep.hpp"

#include <chrono>
#include <exception>

#include "simulate/simulate.hpp"
#include "sweep/config_id.hpp"

namespace echo::sweep {

static double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static simulate::StepReport failed_report() {
  simulate::StepReport report;
  report.status = training::Status::failed;
  report.reason = training::Reason::internal_error;
  return report;
}

SweepSummary run_sweep(const DesignSpace& space, const simulate::Catalog& catalog,
                       const simulate::Calibration& known, WorkSource& source, RowSink& sink) {
  constexpr std::size_t max_failures_told = 100;
  SweepSummary summary;
  simulate::Workspace workspace;
  std::vector<Row> rows;
  while (const auto range = source.claim()) {
    rows.clear();
    for (PointIndex id = range->begin; id < range->end; ++id) {
      const auto start = std::chrono::steady_clock::now();  // provenance only
      Row row;
      row.id = id;
      row.config = space.at(id);
      row.config_id = config_id_of(row.config, catalog);
      try {
        row.report = simulate::simulate(row.config, catalog, known, workspace);
      } catch (const std::exception& error) {  // one bug must not take the sweep down
        row.report = failed_report();
        workspace = simulate::Workspace();
        if (summary.failures.size() < max_failures_told) summary.failures.push_back({id, error.what()});
      }
      row.seconds = seconds_since(start);
      ++summary.by_status[static_cast<std::size_t>(row.report.status)];
      rows.push_back(row);
    }
    sink.accept(rows);
  }
  return summary;
}

}  // namespace echo::sweep
