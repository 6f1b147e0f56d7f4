// echo-profile: measures how long kernels take on the installed GPU, and writes a profile with which
// echo-sweep prices sweeps. What is measured and how: README.md beside this file.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "profilers/device/kernel_bench.hpp"
#include "profilers/kernels/profile_job.hpp"
#include "profilers/kernels/profile_text.hpp"
#include "profilers/program.hpp"

namespace {

using namespace echo::profilers;  // the program is this folder's

constexpr int resumable_exit_code = 75;  // EX_TEMPFAIL, as echo-sweep

std::function<double()> seconds_left_of(double budget) {
  const auto start = std::chrono::steady_clock::now();
  return [=] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return is_asked_to_stop() ? 0.0 : budget - spent.count();
  };
}

int run(const std::vector<std::string>& arguments) {
  const auto parsed = parse_profile_options(arguments);
  if (!parsed) return 0;
  const ProfileOptions& options = *parsed;
  const auto seconds_left = seconds_left_of(options.budget);
  ProfileJob job(options);  // reads every table before it looks for a GPU
  if (options.is_dry_run) {
    fmt::print("Durations are guesses for an H100 SXM.\n{}", job.plan());
    return 0;
  }
  std::unique_ptr<KernelBench> bench;
  if (!job.is_replay()) {
    const Gpu gpu = find_gpu(options.device);
    job.choose_for(options.gpu.empty() ? gpu.preset : options.gpu, gpu.compute_capability);
    if (!job.kernels().empty())
      bench = std::make_unique<KernelBench>(gpu, BenchChoices{.preset = job.gpu(),
                                                              .trains = options.trains,
                                                              .is_warm = options.is_warm,
                                                              .command = options.command});
  }
  fmt::print("{}", job.plan());
  std::fflush(stdout);
  catch_stop_signals();
  const MeasuringOutcome outcome = job.run(
      [&](const echo::ops::KernelKey& key) { return std::vector{bench->measure(key)}; }, seconds_left);
  fmt::print("{}", outcome_text(outcome));
  if (job.kernels().empty()) return 0;
  if (!outcome.is_complete() && !outcome.gave_up) {
    fmt::print(stderr, "stopped early; continue with the same command:\n  {}\n", options.command);
    return resumable_exit_code;
  }
  return outcome.gave_up || outcome.measured == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);  // as echo-overlap: one protocol, one set of queues
  return run_program(argc, argv, run);
}
