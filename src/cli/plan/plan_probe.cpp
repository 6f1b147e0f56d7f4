// The wall time is estimated as the mean time per point times the number of points, divided by the workers.
// Its interval is a bootstrap interval (Efron 1979): the 2.5 and 97.5 % quantiles of the means of resampled
// points, widened by the uncertainty of the number of points. Not included: start-up, dispatch and assembly
// of the file; the sharing of prices between neighbouring points, which makes a run somewhat faster than
// points drawn at random; and workers that idle during the last points.
#include "cli/plan/plan_probe.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <numeric>
#include <vector>

#include "base/contract.hpp"
#include "base/counter_rng.hpp"
#include "results/columns.hpp"
#include "simulate/simulate.hpp"
#include "slowdown/model.hpp"
#include "storage/hdf5.hpp"
#include "sweep/language/limits.hpp"
#include "sweep/space/sampling.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli {

namespace {

using training::Reason;
using training::Status;

// Ratio of the stored size of a row to its uncompressed size. Measured on two shipped sweeps (November 2026):
// 54 and 58 bytes per row on disk.
constexpr double packed_row_bytes = 50.0;

std::vector<std::int64_t> points_to_probe(const sweep::SweepSpec& spec, const PlanCounts& counts,
                                          const sweep::RawSpace& space, std::int64_t wanted) {
  std::vector<std::int64_t> raws;
  if (counts.points && counts.points->size() <= wanted) {
    sweep::PointCursor cursor(*counts.points);
    for (sweep::PointIndex i = 0; i < counts.points->size(); ++i) {
      cursor.go_to(i);
      raws.push_back(cursor.raw());
    }
    return raws;
  }
  if (counts.points) {  // one point of each range of numbers
    for (std::int64_t i = 0; i < wanted; ++i) {
      const double place =
          static_cast<double>(i) + draw_unit(spec.seed, 0x9208E, static_cast<std::uint64_t>(i));
      const double number = place / static_cast<double>(wanted) * static_cast<double>(counts.points->size());
      raws.push_back(counts.points->raw_index(
          std::min(static_cast<sweep::PointIndex>(number), counts.points->size() - 1)));
    }
    return raws;
  }
  sweep::SweepSpec drawn = spec;
  drawn.search = {sweep::Strategy::random, wanted};
  return sweep::sample_points(drawn, space);
}

Range wall_time(const std::vector<double>& seconds, const PlanCounts& counts, std::uint64_t seed,
                std::int64_t workers) {
  constexpr std::size_t resamples = 400;
  std::vector<double> means;
  for (std::uint64_t r = 0; r < resamples; ++r) {
    double sum = 0.0;
    for (std::uint64_t i = 0; i < seconds.size(); ++i) sum += seconds[draw(seed, r, i) % seconds.size()];
    means.push_back(sum / static_cast<double>(seconds.size()));
  }
  std::sort(means.begin(), means.end());
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  const auto spread = [&](double each, std::int64_t points) {
    const std::int64_t busy = std::max<std::int64_t>(1, std::min(workers, points));
    return each * static_cast<double>(points) / static_cast<double>(busy);
  };
  return {spread(mean, counts.to_run.value), spread(means[resamples / 40], counts.to_run.low),
          spread(means[resamples - 1 - resamples / 40], counts.to_run.high)};
}

double plain_row_bytes() {
  double bytes = 0.0;
  for (const results::Column& column : results::column_table())
    bytes +=
        static_cast<double>(storage::size_of(column.type)) * static_cast<double>(results::width_of(column));
  return bytes;
}

// Linux: the second field of /proc/self/statm, in pages. 0 if the file is absent.
double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double whole = 0.0, resident = 0.0;
  file >> whole >> resident;
  return file ? resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) : 0.0;
}

void count_outcome(const simulate::StepReport& report, Probe& probe) {
  const double one = 1.0 / static_cast<double>(probe.points);
  if (report.status == Status::ok) probe.feasible += one;
  if (report.status == Status::failed) probe.failed += one;
  if (report.status != Status::infeasible) return;
  if (report.reason == Reason::memory) probe.memory += one;
  if (report.reason == Reason::limit) probe.limit += one;
  if (report.reason == Reason::unsupported) probe.unsupported += one;
}

}  // namespace

Probe probe_points(const sweep::SweepSpec& spec, const simulate::Catalog& catalog,
                   const simulate::Calibration& calibration, const PlanCounts& counts, std::int64_t wanted,
                   std::int64_t workers) {
  const sweep::RawSpace space(spec, catalog);
  const std::vector<std::int64_t> raws = points_to_probe(spec, counts, space, wanted);
  Probe probe{.points = static_cast<std::int64_t>(raws.size()),
              .workers = std::max<std::int64_t>(workers, 1),
              .is_search = spec.search.strategy == sweep::Strategy::best};
  if (raws.empty()) return probe;
  sweep::RawCursor cursor(space);
  simulate::Workspace workspace;
  std::vector<double> seconds;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  for (const std::int64_t raw : raws) {
    const auto start = now();
    const bool found = cursor.find(raw, raw + 1);
    ECHO_ENSURE(found);
    sweep::Row row;
    row.config = sweep::normalised(sweep::config_of(cursor.state(), catalog), catalog);
    try {
      row.report =
          simulate::simulate(row.config, catalog, calibration, workspace, spec.run.work_budget, spec.skew);
    } catch (const std::exception&) {  // as in a run: a bug costs one row
      row.report.status = Status::failed;
      workspace = simulate::Workspace();
    }
    sweep::apply_limits(space.program(cursor.group()), cursor.state(), catalog, spec.terms, row);
    seconds.push_back(std::chrono::duration<double>(now() - start).count());
    count_outcome(row.report, probe);
  }
  probe.worker_bytes = resident_bytes();
  probe.wall = wall_time(seconds, counts, spec.seed, probe.workers);
  std::sort(seconds.begin(), seconds.end());
  probe.median = seconds[seconds.size() / 2];
  probe.p99 = seconds[seconds.size() * 99 / 100];
  probe.file_least = packed_row_bytes * static_cast<double>(counts.to_run.low);
  probe.file_most = plain_row_bytes() * static_cast<double>(counts.to_run.high);
  return probe;
}

static std::string megabytes(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.1f} MB", bytes / 1e6) : fmt::format("{:.1f} GB", bytes / 1e9);
}

static std::string wall(double seconds) {
  return seconds < 1.0 ? text::show_time(seconds) : text::show_duration(seconds);
}

std::string probe_text(const Probe& probe) {
  if (probe.points == 0) return "probe  no points\n";
  std::string text = fmt::format("probe  {} points: median {}, p99 {}, {} feasible", probe.points,
                                 text::show_time(probe.median), text::show_time(probe.p99),
                                 text::show_share(probe.feasible));
  const auto add = [&](double share, const char* name) {
    if (share > 0.0) text += fmt::format(", {} {}", text::show_share(share), name);
  };
  add(probe.memory, "too large for memory");
  add(probe.limit, "beyond a limit");
  add(probe.unsupported, "unsupported");
  add(probe.failed, "failed");
  text += fmt::format("\nestimate{}  {} {}: {} ({} to {}); file {} to {}; {} per worker\n",
                      probe.is_search ? " if all were simulated" : "", probe.workers,
                      probe.workers == 1 ? "worker" : "workers", wall(probe.wall.middle),
                      wall(probe.wall.low), wall(probe.wall.high), megabytes(probe.file_least),
                      megabytes(probe.file_most), megabytes(probe.worker_bytes));
  return text;
}

void add_probe(const Probe& probe, text::Json& json) {
  json.key("probe").open_object().member("points", probe.points).member("workers", probe.workers);
  json.member("median_s", probe.median).member("p99_s", probe.p99).member("feasible", probe.feasible);
  json.member("memory", probe.memory).member("limit", probe.limit).member("unsupported", probe.unsupported);
  json.member("failed", probe.failed).member("wall_s", probe.wall.middle);
  json.member("wall_s_low", probe.wall.low).member("wall_s_high", probe.wall.high);
  json.member("file_bytes_low", probe.file_least).member("file_bytes_high", probe.file_most);
  json.member("worker_bytes", probe.worker_bytes).close();
}

}  // namespace echo::cli
