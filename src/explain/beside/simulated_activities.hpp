// A simulated step, or one pair of chunks of it, as what ran on one GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "explain/beside/activity.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "training/config.hpp"

namespace echo::explain {

enum class Stretch : std::int8_t {
  step,  // of the stage with the most work
  pair   // a forward and a backward of two microbatches that run as one (overlap_ep), each in the middle of
         // the step, on the stage of the middle of the pipeline
};

struct SimulatedStretch {
  std::vector<Activity> activities;
  SimTime extent{};  // how long it takes, waiting for the host included
  std::string what;  // "stage 7: forward of chunk 7 with backward of chunk 24"
};

// UserError 3 where the config cannot run, 2 where its step has no such pair.
[[nodiscard]] SimulatedStretch simulated_stretch(const training::TrainingConfig&, const simulate::Catalog&,
                                                 const simulate::Calibration&, Stretch);

}  // namespace echo::explain
