// Groups measured training steps by their properties for the error tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "validation/steps/predicted_step.hpp"

namespace echo::validation {

// Features of a run that others lack: "tp", "pp", "vpp", "zero bubble", "cp", "ep", "mixture",
// "fsdp", "full recompute", "selective recompute", "long sequence" (8192 tokens or more), "fp8", "LoRA",
// "packed", "unfused attention"; "plain" where it makes use of none.
[[nodiscard]] std::vector<std::string> features_of(const PredictedStep&);
inline constexpr int long_sequence = 8192;

// Model FLOPs utilisation as measured: the predicted one, over the ratio of the times. Precondition:
// is_scored().
[[nodiscard]] double measured_mfu(const PredictedStep&);

struct StepGrouping {
  const char* name;                                          // "gpu"
  std::vector<std::string> (*groups)(const PredictedStep&);  // that a scored row is in; mostly one
};
// stratum, source, gpu, framework, gpus (how many, in bands of eight), precision, feature, mfu (in bands).
[[nodiscard]] std::span<const StepGrouping> step_groupings();

}  // namespace echo::validation
