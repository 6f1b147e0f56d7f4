#include <algorithm>

#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

constexpr SupportRule mamba_rules[] = {
    {{"tensor degree must divide the Mamba heads", "tp model"},
     [](const Attempt& a) { return a.model.mamba.heads % a.config.degrees.tensor == 0; }},
    {{"tensor degree must divide the Mamba groups", "tp model"},
     [](const Attempt& a) { return a.model.mamba.groups % a.config.degrees.tensor == 0; }},
    {{"tensor times context degree must divide the Mamba heads", "tp cp model"},
     [](const Attempt& a) {
       return a.model.mamba.heads / a.config.degrees.tensor % a.config.degrees.context == 0;
     }},
    {{"context degree must divide the Mamba groups of a tensor rank, or be a multiple of them",
      "tp cp model"},
     [](const Attempt& a) {
       const std::int32_t groups = std::max(1, a.model.mamba.groups / a.config.degrees.tensor),
                          cp = a.config.degrees.context;
       return groups % cp == 0 || cp % groups == 0;
     }},
};

}  // namespace

extern const RuleSet mamba{"Megatron-LM core/ssm/{mamba_mixer,mamba_context_parallel}.py",
                           [](const Attempt& a) { return a.model.mamba.heads > 0; }, mamba_rules};

}  // namespace echo::training::rules
