// Machines given by their dimensions, as ASTRA-sim describes them: no library chooses there, and no packet or
// rail tells where a rank is.
#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

constexpr SupportRule machine_rules[] = {
    {{"a machine given by its dimensions runs textbook collectives; use collectives = \"generic\"",
      "cluster collectives"},
     [](const Attempt& a) { return a.config.recipe.collectives == ops::CollectiveModel::generic; }},
    {{"ranks of a machine given by its dimensions are packed", "cluster placement"},
     [](const Attempt& a) { return a.config.fabric.placement == machine::Placement::packed; }},
};

}  // namespace

extern const RuleSet given_machines{"system/astraccl/native_collectives of ASTRA-sim",
                                    [](const Attempt& a) { return a.cluster.dimensions.is_given(); },
                                    machine_rules};

}  // namespace echo::training::rules
