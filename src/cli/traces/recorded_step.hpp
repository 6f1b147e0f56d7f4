// The step of a profile of torch.profiler, as what its GPU ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explain/beside/activity.hpp"
#include "explain/beside/beside_text.hpp"

namespace echo::cli {

struct RecordedStep {
  std::vector<explain::Activity> activities;  // by start; times from the first start
  explain::RecordedFacts facts;
  // Every computation's pass is known: from autograd's ops, or from annotations that end in (F), (B) or (W).
  bool passes_known = false;
};

// `step` -1: one in the middle. UserError 2 where the file is no such profile, or has no such step.
[[nodiscard]] RecordedStep read_recorded_step(const std::string& path, std::int32_t step);

}  // namespace echo::cli
