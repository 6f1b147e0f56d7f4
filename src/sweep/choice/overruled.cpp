#include "sweep/choice/overruled.hpp"

#include "base/at.hpp"
#include "sweep/space/config_id.hpp"
#include "training/layout/gradient_sums.hpp"

namespace echo::sweep {

std::vector<training::Axis> overruled_axes(const training::TrainingConfig& config,
                                           const simulate::Catalog& catalog) {
  if (config.named_recipe.is_none()) return {};
  const training::FrameworkSpec& framework = catalog.framework(config);
  training::TrainingConfig usual = config;
  usual.overlap = framework.overlap;
  usual.overlap.grad_reduce = training::sums_beside_backward(framework, config.zero);
  usual.zero = framework.zero;
  usual.sequence_parallel = framework.sequence_parallel;
  usual.recompute = framework.recompute;
  usual.flash_attention = framework.flash_attention;
  usual.recipe = framework.recipe;
  const AxisSet idle = irrelevant_axes(config, catalog);
  std::vector<training::Axis> out;
  for (const training::AxisInfo& info : training::axis_table) {
    const training::AxisMember& member = training::member_of(info.axis);
    if (member.get == nullptr || idle.test(at(info.axis))) continue;
    if (member.get(config) != member.get(usual)) out.push_back(info.axis);
  }
  return out;
}

}  // namespace echo::sweep
