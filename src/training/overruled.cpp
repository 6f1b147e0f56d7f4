#include "training/overruled.hpp"

#include "training/layout/gradient_sums.hpp"

namespace echo::training {
namespace {

// `config` with every axis that frameworks decide as this one decides it.
TrainingConfig as_it_comes(TrainingConfig config, const FrameworkSpec& framework) {
  const Degrees& d = config.degrees;
  if (d.data * d.context > 1) {
    config.overlap.grad_reduce = sums_beside_backward(framework, config.zero);
    config.zero = framework.zero;
    config.overlap.param_gather = framework.overlap.param_gather;
  }
  if (d.tensor > 1) {
    config.sequence_parallel = framework.sequence_parallel;
    config.overlap.tensor = framework.overlap.tensor;
  }
  if (d.pipeline > 1) config.overlap.pipeline = framework.overlap.pipeline;
  config.recompute = framework.recompute;
  config.flash_attention = framework.flash_attention;
  config.recipe = framework.recipe;
  return config;
}

}  // namespace

std::vector<Axis> set_otherwise(const TrainingConfig& config, const FrameworkSpec& framework) {
  const TrainingConfig usual = as_it_comes(config, framework);
  std::vector<Axis> out;
  for (const AxisInfo& info : axis_table) {
    const AxisMember& member = member_of(info.axis);
    if (member.get != nullptr && member.get(config) != member.get(usual)) out.push_back(info.axis);
  }
  return out;
}

std::int64_t overruled_axes(const TrainingConfig& config, const FrameworkSpec& framework) {
  return config.named_recipe.is_none() ? 0 : std::ssize(set_otherwise(config, framework));
}

}  // namespace echo::training
