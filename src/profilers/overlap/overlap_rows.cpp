// From samples to rows.
//
// A kernel's time alone is the median of all launches of its own cell; its overlapped time is that of
// launches that had communication beside them for nine tenths of their time or more. The few that had less
// (the first, while the communication starts; those after it has ended) are left out rather than corrected.
// The communication's overlap ratio is the measured one, since it starts before the first launch.
#include "profilers/overlap/overlap_rows.hpp"

#include <algorithm>
#include <map>

#include "base/quantile.hpp"
#include "nsight/kernel_name.hpp"
#include "profilers/overlap/overlap_ratio.hpp"
#include "profilers/sample_summary.hpp"

namespace echo::profilers {

using slowdown::CommunicationKind;
using slowdown::OverlapRow;

namespace {

constexpr double least_beside = 0.9, half_beside = 0.5;
constexpr std::size_t least_samples = 3;

std::vector<double> seconds_of(const std::vector<Sample>& samples, double beside) {
  std::vector<double> seconds;
  for (const Sample& sample : samples)
    if (sample.beside >= beside) seconds.push_back(sample.seconds);
  return seconds;
}

double mean_beside(const std::vector<Sample>& samples, double least) {
  double sum = 0.0, count = 0.0;
  for (const Sample& sample : samples)
    if (sample.beside >= least) {
      sum += sample.beside;
      count += 1.0;
    }
  return count > 0.0 ? sum / count : 0.0;
}

double median_or(std::vector<double> values, double otherwise) {
  return values.empty() ? otherwise : median_of(std::move(values));
}

class Rows {
 public:
  Rows(const OverlapTables& tables, const std::vector<CellResult>& results) : tables_(tables) {
    for (const CellResult& result : results) by_cell_.emplace(result.cell, &result);
  }

  std::vector<OverlapRow> all() const {
    std::vector<OverlapRow> rows;
    for (const auto& [cell, result] : by_cell_)
      if (cell.kernel >= 0 && cell.communication != nothing) add(*result, rows);
    return rows;
  }

 private:
  const CellResult* find(const Cell& cell) const {
    const auto found = by_cell_.find(cell);
    return found == by_cell_.end() ? nullptr : found->second;
  }

  void add(const CellResult& result, std::vector<OverlapRow>& rows) const {
    const Cell& cell = result.cell;
    const bool is_control = cell.communication == control;
    const double least = is_control ? 0.0 : least_beside;
    const CellResult* alone = find({cell.kernel, nothing, cell.milliseconds});
    const std::vector<double> overlapped = seconds_of(result.kernel, least);
    if (alone == nullptr || alone->kernel.size() < least_samples || overlapped.size() < least_samples) return;
    const MeasuredKernel& kernel = tables_.kernels[static_cast<std::size_t>(cell.kernel)];
    const SampleSummary summary = summarise(overlapped);
    OverlapRow row;
    row.full_name = demangled(kernel.name);
    row.kernel = nsight::short_name_of(row.full_name);
    row.gpu = tables_.gpu;
    row.shape = kernel.key;
    row.metrics = kernel.metrics;
    row.alone = summarise(seconds_of(alone->kernel, 0.0)).median;
    row.overlapped = summary.median;
    if (!is_control)
      row.overlap_ratio = ratio_of_alone(mean_beside(result.kernel, least), row.overlapped, row.alone);
    row.spread = summary.spread;
    row.repeats = summary.kept;
    row.clock_mhz = median_or(result.clocks_mhz, slowdown::not_measured);
    row.beside = is_control ? slowdown::Communication{.made_by = CommunicationKind::proxy} : beside(result);
    if (why_unsound(row) == nullptr) rows.push_back(std::move(row));
  }

  slowdown::Communication beside(const CellResult& result) const {
    const CommunicationCase& asked = tables_.cases[static_cast<std::size_t>(result.cell.communication)];
    slowdown::Communication c{.made_by = asked.made_by, .collective = asked.collective};
    if (asked.made_by == CommunicationKind::collective) {
      c.algorithm = tables_.nccl_algorithm;
      c.protocol = tables_.nccl_protocol;
    }
    c.channels = result.channels;
    c.threads = result.threads;
    const bool is_idle = asked.made_by == CommunicationKind::proxy && asked.traffic == ProxyTraffic{};
    c.payload = is_idle ? 0.0 : result.payload;
    if (asked.link_rate > 0.0 && !is_idle) c.link_rate = asked.link_rate;
    const CellResult* alone = find({nothing, result.cell.communication, result.cell.milliseconds});
    if (alone == nullptr || alone->communication.empty() || result.communication.empty()) return c;
    c.alone = summarise(seconds_of(alone->communication, 0.0)).median;
    // In a sequence of collectives, the last may run when the kernels are done.
    const double least = seconds_of(result.communication, half_beside).empty() ? 0.0 : half_beside;
    c.overlapped = summarise(seconds_of(result.communication, least)).median;
    c.overlap_ratio = ratio_of_alone(mean_beside(result.communication, least), c.overlapped, c.alone);
    if (asked.made_by == CommunicationKind::proxy)
      c.memory_rate = c.payload * (asked.traffic.reads + asked.traffic.writes) / c.alone;
    if (asked.made_by == CommunicationKind::copy_engine) c.memory_rate = c.payload / c.alone;
    return c;
  }

  const OverlapTables& tables_;
  std::map<Cell, const CellResult*> by_cell_;
};

}  // namespace

void add_run(CellResult& result, const CellSamples& run) {
  const std::size_t skipped = std::min(launches_at_rest, run.kernel.size());
  result.kernel.insert(result.kernel.end(), run.kernel.begin() + static_cast<std::ptrdiff_t>(skipped),
                       run.kernel.end());
  result.communication.insert(result.communication.end(), run.communication.begin(), run.communication.end());
  result.channels = run.channels;
  result.threads = run.threads;
}

std::vector<OverlapRow> overlap_rows(const OverlapTables& tables, const std::vector<CellResult>& results) {
  return Rows(tables, results).all();
}

}  // namespace echo::profilers
