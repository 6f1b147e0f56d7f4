#include "profilers/device/kernel_bench.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <ctime>

#include "profilers/device/machine_text.hpp"

namespace echo::profilers {

// Does not disturb other users of this machine: a wait for all GPUs would create a context on each.
static Gpu by_itself(Gpu gpu) {
  gpu.count = 1;
  return gpu;
}

// Where there is no L2 to avoid, launches do not alternate between copies.
static Gpu as_seen_by_rotation(Gpu gpu, bool is_warm) {
  if (is_warm) gpu.l2 = 0;
  return gpu;
}

KernelBench::KernelBench(const Gpu& gpu, const BenchChoices& choices)
    : gpu_(by_itself(gpu)), choices_(choices), bench_(as_seen_by_rotation(gpu, choices.is_warm)) {
  how_ = how_text(choices_.command, machine_text(gpu, clocks_), choices_.is_warm);
  date_ = fmt::format("{:%Y-%m-%d} UTC", fmt::gmtime(std::time(nullptr)));
}

KernelRuns KernelBench::measure(const ops::KernelKey& key) {
  KernelRuns out{.gpu = choices_.preset,
                 .key = key,
                 .origin = {.library = library_text(key), .how = how_, .date = date_},
                 .trains = {}};
  const std::unique_ptr<RunnableKernel> kernel = prepare_kernel(key, bench_);
  try {
    const KernelProbe probe = runner_.probe(*kernel);
    while (!is_settled(out.trains, choices_.trains)) {
      const RunOutcome run =
          runner_.run({.kernel = kernel.get(),
                       .launches = launches_in_train(probe.seconds, probe.kernels_per_launch),
                       .kernels_per_launch = probe.kernels_per_launch,
                       .beside = {}});
      LaunchTrain train{.seconds = {}, .clock_mhz = run.clock_mhz.value_or(0.0)};
      for (const Sample& sample : run.samples.kernel) train.seconds.push_back(sample.seconds);
      out.trains.push_back(std::move(train));
    }
  } catch (const UserError&) {
    runner_.recover();
    throw;
  }
  return out;
}

}  // namespace echo::profilers
