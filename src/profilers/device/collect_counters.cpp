#include "profilers/device/collect_counters.hpp"

#include <cstdio>

#include "profilers/device/range_metrics.hpp"
#include "profilers/device/workbench.hpp"

namespace echo::profilers {

namespace {

void print(const std::string& line) {
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

void collect(std::int32_t device, std::span<const ops::KernelKey> kernels) {
  Gpu gpu = find_gpu(device);
  check(cudaSetDevice(device), "cudaSetDevice");
  RangeProfiler profiler(gpu);
  gpu.l2 = 0;  // no turns: CUPTI saves all memory that a kernel might write, for each replay
  Workbench bench(gpu);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::unique_ptr<RunnableKernel> kernel;
    try {
      kernel = prepare_kernel(kernels[i], bench);
    } catch (const UserError&) {
      continue;  // the measurement of durations says why
    }
    const auto launch = [&] { kernel->launch(nullptr, 0); };
    launch();  // libraries load kernels at their first launch
    check(cudaDeviceSynchronize(), "a kernel");
    print(metric_line(static_cast<std::int32_t>(i), profiler.measure(launch)));
  }
}

}  // namespace

int collect_counters(std::int32_t device, std::span<const ops::KernelKey> kernels) {
  try {
    collect(device, kernels);
    print(done_line());
    return 0;
  } catch (const UserError& error) {
    print(failure_line(error.problems().front().what));
    return error.exit_code();
  }
}

}  // namespace echo::profilers
