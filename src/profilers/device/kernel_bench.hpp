// A GPU ready to measure kernels alone, one after the other.
#pragma once

#include <string>

#include "profilers/device/cell_runner.hpp"
#include "profilers/kernels/kernel_runs.hpp"

namespace echo::profilers {

struct BenchChoices {
  std::string preset;       // what rows call the GPU
  std::int32_t trains = 3;  // of each kernel, at least
  bool is_warm = false;     // operands in L2, from the launch before
  std::string command;
};

class KernelBench {
 public:
  KernelBench(const Gpu&, const BenchChoices&);
  // UserError, 1, where a library refuses the kernel or its arrays do not fit.
  [[nodiscard]] KernelRuns measure(const ops::KernelKey&);

 private:
  const Gpu gpu_;
  const BenchChoices choices_;
  ActivityTrace trace_;  // before the context that the bench creates
  Clocks clocks_{gpu_.bus};
  Workbench bench_;
  CellRunner runner_{gpu_, trace_, clocks_};
  std::string how_, date_;
};

}  // namespace echo::profilers
