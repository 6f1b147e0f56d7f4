// What a framework, or this simulator, requires of a config: rules in rules/, each with its own words.
#pragma once

#include <span>

#include "base/refusal.hpp"
#include "machine/cluster.hpp"
#include "machine/gpu.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"

namespace echo::training {

// A config, and what its ids mean.
struct Attempt {
  const TrainingConfig& config;
  const ModelSpec& model;
  const FrameworkSpec& framework;
  const machine::ClusterSpec& cluster;
  const machine::GpuSpec& gpu;
};

struct SupportRule {
  Refusal otherwise;
  bool (*holds)(const Attempt&);
};

// Rules of one subject. They are tested in their order, each only where those before it hold, and only where
// the set applies. `source`: the code that makes the requirements.
struct RuleSet {
  const char* source;
  bool (*applies)(const Attempt&);  // null: always
  std::span<const SupportRule> rules;
};

// In the order in which they are tested.
[[nodiscard]] std::span<const RuleSet* const> rule_sets();

}  // namespace echo::training
