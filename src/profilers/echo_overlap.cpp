// echo-overlap: measures how much kernels and communication slow each other on the installed GPU, and writes
// one dataset. The method and the contents of the file: README.md beside this file.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/csv.hpp"
#include "profilers/child_process.hpp"
#include "profilers/device/collect_counters.hpp"
#include "profilers/device/measure_overlaps.hpp"
#include "profilers/kernels/duration_guess.hpp"
#include "profilers/kernels/kernel_plan.hpp"
#include "profilers/overlap/overlap_options.hpp"
#include "profilers/plan_text.hpp"
#include "profilers/program.hpp"
#include "storage/overlap_file.hpp"

namespace {

using namespace echo::profilers;  // the program is this folder's
using echo::ops::KernelKey;

int print_plan(const OverlapOptions& options, const std::vector<KernelKey>& kernels) {
  std::vector<double> seconds;
  seconds.reserve(kernels.size());
  for (const KernelKey& key : kernels) seconds.push_back(guess_seconds(key));
  CommunicationChoices beside = options.beside;
  beside.nccl &= options.names_beside;  // most that plan have one GPU in mind
  const std::vector<CommunicationCase> cases = communication_cases(beside);
  const Schedule schedule = fit(all_cells(seconds, static_cast<std::int32_t>(cases.size())), seconds,
                                options.budget, options.rounds, options.seed);
  fmt::print("Durations are guesses for an H100 SXM; a run begins by measuring them.\n{}",
             plan_text(kernels, seconds, cases, schedule));
  return 0;
}

// In a process of its own: it may need permissions, slows everything it observes, and may fail where timing
// does not.
CollectedMetrics counters_of(const OverlapOptions& options) {
  if (!options.counters) return {.of_kernel = {}, .failure = "not requested"};
  const double longest = 0.25 * options.budget;
  fmt::print("collecting counters, {:.0f} s at most\n", longest);
  const ChildOutput output = run_child("/proc/self/exe", counter_arguments(options), longest);
  CollectedMetrics metrics = read_metric_text(output.text, output.ended);
  if (!metrics.failure.empty())
    fmt::print(stderr, "counters of only {} kernels: {}\n", metrics.of_kernel.size(), metrics.failure);
  return metrics;
}

int run(const std::vector<std::string>& arguments) {
  const std::optional<OverlapOptions> options = parse_options(arguments);
  if (!options) return 0;
  const std::vector<KernelKey> kernels = options->kernels.empty()
                                             ? default_kernels()
                                             : read_kernels(echo::CsvTable::read_file(options->kernels));
  if (options->is_dry_run) return print_plan(*options, kernels);
  if (options->collects_counters) return collect_counters(options->device, kernels);
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                             std::chrono::duration<double>(options->budget));
  const Gpu gpu = find_gpu(options->device);
  const CollectedMetrics metrics = counters_of(*options);
  std::string digest;
  const echo::slowdown::OverlapData data = measure_overlaps(
      gpu, *options, kernels, metrics, deadline, [&](const echo::slowdown::OverlapData& so_far) {
        if (!so_far.rows.empty()) digest = echo::storage::write_overlaps(options->out, so_far);
      });
  fmt::print("{}: {} rows, digest {}\n", options->out, data.rows.size(), digest);
  return data.rows.empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  // One hardware queue would put the communication behind the gate that waits for it.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
  return run_program(argc, argv, run);
}
