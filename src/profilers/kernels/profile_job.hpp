// The part of an echo-profile run that needs no GPU: wanted kernels, existing profile, output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/database/measurement.hpp"
#include "profilers/kernels/kernel_plan.hpp"
#include "profilers/kernels/measure_kernels.hpp"
#include "profilers/kernels/profile_options.hpp"

namespace echo::profilers {

class ProfileJob {
 public:
  // Reads the tables and the profile that is there, and chooses for --gpu, or for the GPU of a replay.
  // UserError, 2: a table or the profile cannot be read, a replay of several GPUs, or a profile whose
  // operands were where these are not.
  explicit ProfileJob(const ProfileOptions&);

  // The kernels left to measure on this GPU. Compute capability 0 = not known.
  void choose_for(const std::string& gpu, std::int32_t compute_capability);

  [[nodiscard]] bool is_replay() const { return !options_.replay.empty(); }
  [[nodiscard]] const std::string& gpu() const { return gpu_; }
  [[nodiscard]] const std::vector<ops::KernelKey>& kernels() const { return chosen_.kernels; }
  [[nodiscard]] std::string plan() const;

  // Measures, by `measure` or the replay, writes profile and launches as it goes on, and says how far it is.
  // UserError, 5: one of
  // them cannot be written.
  [[nodiscard]] MeasuringOutcome run(const Measure& measure, const std::function<double()>& seconds_left);

 private:
  void read_replay();
  void refuse_other_warmth() const;
  [[nodiscard]] ChosenKernels wanted() const;
  [[nodiscard]] std::vector<KernelRuns> replayed(const ops::KernelKey&) const;
  void save(std::span<const KernelRuns>);

  const ProfileOptions options_;
  std::optional<CsvTable> table_;   // --gaps or --kernels
  std::vector<KernelRuns> replay_;  // of one GPU
  kernels::Profile there_;          // what the file holds
  std::string gpu_;
  ChosenKernels chosen_;
  std::size_t saved_ = 0;  // kernels of this run
};

}  // namespace echo::profilers
