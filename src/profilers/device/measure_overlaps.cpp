#include "profilers/device/measure_overlaps.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ctime>
#include <map>

#include "ops/describe.hpp"
#include "profilers/device/cell_runner.hpp"
#include "profilers/device/machine_text.hpp"
#include "profilers/overlap/overlap_rows.hpp"
#include "profilers/plan_text.hpp"

namespace echo::profilers {

namespace {

using slowdown::CommunicationKind;
using std::chrono::steady_clock;

struct PreparedKernel {
  std::unique_ptr<RunnableKernel> kernel;
  std::int32_t kernels_per_launch = 1;
};

class Measurement {
 public:
  Measurement(const Gpu& gpu, const OverlapOptions& options) : gpu_(gpu), options_(options) {}

  void prepare(const std::vector<ops::KernelKey>& keys, const CollectedMetrics& metrics);
  void prepare_communication();
  [[nodiscard]] Schedule plan(double budget) const;
  // False: the deadline came first.
  bool run_round(const Schedule&, std::uint64_t round, steady_clock::time_point deadline);
  [[nodiscard]] slowdown::OverlapData data(const CollectedMetrics&, std::int32_t rounds) const;

 private:
  void add_kernel(const ops::KernelKey&, const MetricValues* counters);
  [[nodiscard]] Companion* companion_of(const Cell&) const;
  void run_cell(const Cell&, CellResult&);
  [[nodiscard]] std::string how(const CollectedMetrics&, std::int32_t rounds) const;

  const Gpu& gpu_;
  const OverlapOptions& options_;
  ActivityTrace trace_;  // before the context that the bench creates
  Clocks clocks_{gpu_.bus};
  Workbench bench_{gpu_};
  CellRunner runner_{gpu_, trace_, clocks_};
  OverlapTables tables_;
  std::vector<PreparedKernel> kernels_;
  std::vector<double> seconds_;  // of each kernel alone
  std::map<CommunicationKind, std::unique_ptr<Companion>> companions_;
  std::map<Cell, CellResult> results_;
  std::int32_t failures_ = 0;
};

void Measurement::add_kernel(const ops::KernelKey& key, const MetricValues* counters) {
  PreparedKernel prepared{prepare_kernel(key, bench_), 1};
  const KernelProbe probe = runner_.probe(*prepared.kernel);
  prepared.kernels_per_launch = probe.kernels_per_launch;
  MeasuredKernel measured{.key = key, .name = probe.name, .metrics = {}};
  if (counters != nullptr) measured.metrics = metrics_of(*counters);
  add_shape(measured.metrics, probe.shape);
  measured.metrics.maximum_occupancy = maximum_occupancy(probe.shape, gpu_.sm);
  kernels_.push_back(std::move(prepared));
  tables_.kernels.push_back(std::move(measured));
  seconds_.push_back(probe.seconds);
}

void Measurement::prepare(const std::vector<ops::KernelKey>& keys, const CollectedMetrics& metrics) {
  tables_.gpu = gpu_.preset;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto counters = metrics.of_kernel.find(static_cast<std::int32_t>(i));
    try {
      add_kernel(keys[i], counters != metrics.of_kernel.end() ? &counters->second : nullptr);
    } catch (const UserError& error) {
      fmt::print(stderr, "left out: {}: {}\n", ops::describe(keys[i]), error.problems().front().what);
    }
  }
  if (kernels_.empty()) fail("preparing the kernels", "none of them runs on this GPU");
}

void Measurement::prepare_communication() {
  CommunicationChoices choices = options_.beside;
  if (choices.nccl && gpu_.count < 2) {
    fmt::print(stderr, "left out: NCCL's collectives: they need two GPUs, but there is only one\n");
    choices.nccl = false;
  }
  if (choices.proxy) companions_[CommunicationKind::proxy] = proxy_companion();
  if (choices.copies) companions_[CommunicationKind::copy_engine] = copy_companion();
  if (choices.nccl) {
    const NcclChoice held = hold_nccl();
    tables_.nccl_algorithm = held.algorithm;
    tables_.nccl_protocol = held.protocol;
    companions_[CommunicationKind::collective] = nccl_companion(gpu_);
  }
  tables_.cases = communication_cases(choices);
  for (const CommunicationCase& c : tables_.cases) runner_.prepare(*companions_.at(c.made_by), c);
}

Schedule Measurement::plan(double budget) const {
  const auto cases = static_cast<std::int32_t>(tables_.cases.size());
  Schedule schedule = fit(all_cells(seconds_, cases), seconds_, budget, options_.rounds, options_.seed);
  std::vector<ops::KernelKey> keys;
  for (const MeasuredKernel& kernel : tables_.kernels) keys.push_back(kernel.key);
  fmt::print("{}", plan_text(keys, seconds_, tables_.cases, schedule));
  return schedule;
}

Companion* Measurement::companion_of(const Cell& cell) const {
  if (cell.communication < 0) return nullptr;
  return companions_.at(tables_.cases[static_cast<std::size_t>(cell.communication)].made_by).get();
}

void Measurement::run_cell(const Cell& cell, CellResult& result) {
  RunRequest request{.companion = companion_of(cell), .beside = {}, .milliseconds = cell.milliseconds};
  if (request.companion != nullptr)
    request.beside = tables_.cases[static_cast<std::size_t>(cell.communication)];
  if (cell.kernel >= 0) {
    const PreparedKernel& kernel = kernels_[static_cast<std::size_t>(cell.kernel)];
    request.kernel = kernel.kernel.get();
    request.kernels_per_launch = kernel.kernels_per_launch;
    request.launches =
        std::max(8, launches_of(seconds_[static_cast<std::size_t>(cell.kernel)], cell.milliseconds) /
                        kernel.kernels_per_launch);
  }
  const RunOutcome outcome = runner_.run(request);
  add_run(result, outcome.samples);
  if (outcome.clock_mhz) result.clocks_mhz.push_back(*outcome.clock_mhz);
  if (outcome.payload > 0.0) result.payload = outcome.payload;
}

bool Measurement::run_round(const Schedule& schedule, std::uint64_t round,
                            steady_clock::time_point deadline) {
  constexpr std::int32_t most_failures = 20;
  for (const std::int32_t i :
       shuffled(static_cast<std::int32_t>(schedule.cells.size()), options_.seed, round + 1)) {
    if (steady_clock::now() > deadline) return false;
    const Cell& cell = schedule.cells[static_cast<std::size_t>(i)];
    CellResult& result = results_[cell];
    result.cell = cell;
    try {
      run_cell(cell, result);
    } catch (const UserError& error) {
      // One run whose records were lost is no loss; many are.
      if (++failures_ > most_failures) throw;
      fmt::print(stderr, "a run failed: {}\n", error.problems().front().what);
      trace_.drop();
    }
  }
  return true;
}

std::string Measurement::how(const CollectedMetrics& metrics, std::int32_t rounds) const {
  std::string counters = fmt::format("counters of {} kernels", metrics.of_kernel.size());
  if (!metrics.failure.empty()) counters += ", then none: " + metrics.failure;
  return fmt::format("{}; {:%Y-%m-%d} UTC; {}; {} rounds; {}", machine_text(gpu_, clocks_),
                     fmt::gmtime(std::time(nullptr)), options_.command, rounds, counters);
}

slowdown::OverlapData Measurement::data(const CollectedMetrics& metrics, std::int32_t rounds) const {
  std::vector<CellResult> results;
  for (const auto& [cell, result] : results_) results.push_back(result);
  return {
      .origins = {{.source = "measured by echo-overlap", .license = "", .measured_by = how(metrics, rounds)}},
      .rows = overlap_rows(tables_, results)};
}

}  // namespace

slowdown::OverlapData measure_overlaps(const Gpu& gpu, const OverlapOptions& options,
                                       const std::vector<ops::KernelKey>& kernels,
                                       const CollectedMetrics& metrics, steady_clock::time_point deadline,
                                       const RoundDone& round_done) {
  Measurement measurement(gpu, options);
  measurement.prepare(kernels, metrics);
  measurement.prepare_communication();
  const std::chrono::duration<double> left = deadline - steady_clock::now();
  const Schedule schedule = measurement.plan(left.count());
  slowdown::OverlapData data;
  bool has_time = true;
  for (std::int32_t round = 0; round < schedule.rounds && has_time; ++round) {
    has_time = measurement.run_round(schedule, static_cast<std::uint64_t>(round), deadline);
    data = measurement.data(metrics, round + 1);
    round_done(data);
    fmt::print("round {} of {}{}: {} rows\n", round + 1, schedule.rounds,
               has_time ? "" : ", cut short by the budget", data.rows.size());
  }
  return data;
}

}  // namespace echo::profilers
