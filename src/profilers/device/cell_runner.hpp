// Runs cells on the GPU: launches of a kernel behind a gate, the communication first, then the gate opened.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profilers/device/activity.hpp"
#include "profilers/device/clocks.hpp"
#include "profilers/device/companion.hpp"
#include "profilers/device/workbench.hpp"
#include "profilers/overlap/cell_samples.hpp"
#include "profilers/overlap/communication_plan.hpp"

namespace echo::profilers {

struct RunRequest {
  const RunnableKernel* kernel = nullptr;  // null = the communication alone
  std::int32_t launches = 0, kernels_per_launch = 1;
  Companion* companion = nullptr;  // null = the kernel alone
  CommunicationCase beside;
  std::int32_t milliseconds = 0;
};

struct RunOutcome {
  CellSamples samples;
  std::optional<double> clock_mhz;
  double payload = 0.0;  // bytes of one communication
};

// A kernel by itself: how long a launch takes, how many GPU kernels it is, and which.
struct KernelProbe {
  double seconds = 0.0;
  std::int32_t kernels_per_launch = 1;
  std::string name;  // mangled
  LaunchShape shape;
};

class CellRunner {
 public:
  CellRunner(const Gpu&, ActivityTrace&, const Clocks&);
  // Also warms up: libraries load kernels at their first launch, which must not fall into a run.
  [[nodiscard]] KernelProbe probe(const RunnableKernel&);
  // Once for each case, before it runs.
  void prepare(Companion&, const CommunicationCase&);
  [[nodiscard]] RunOutcome run(const RunRequest&);
  // After a run that threw: opens the gate, waits for what was queued and forgets its records. UserError
  // where the GPU answers no more.
  void recover();

 private:
  void wait_for_all() const;
  void wait_until_started(const Companion&) const;

  const Gpu& gpu_;
  ActivityTrace& trace_;
  const Clocks& clocks_;
  Stream stream_ = new_stream();
  HostMemory gate_ = host_memory(sizeof(std::int32_t));
};

}  // namespace echo::profilers
