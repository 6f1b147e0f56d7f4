#include "training/rules/rule_sets.hpp"

namespace echo::training::rules {

namespace {

constexpr SupportRule prediction_rules[] = {
    {{"multi-token prediction needs rotary positions", "mtp_layers model"},
     [](const Attempt& a) { return a.model.positions == Positions::rope; }},
    {{"tensor degree must divide the hidden width of multi-token prediction", "mtp_layers model tp"},
     [](const Attempt& a) { return a.model.hidden % a.config.degrees.tensor == 0; }},
    {{"units of several recomputed layers do not come with multi-token prediction",
      "mtp_layers recompute recompute_method recompute_layers"},
     [](const Attempt& a) {
       const Recipe& r = a.config.recipe;
       return a.config.recompute != Recompute::full || r.recompute_method != RecomputeMethod::uniform ||
              r.recompute_layers <= 1;
     }},
    {{"multi-token prediction with sharded weights (ZeRO-3) is not simulated yet",
      "mtp_layers zero dp cp offload_weights"},
     [](const Attempt& a) { return !runs_in_units(a.config); }},
};

}  // namespace

extern const RuleSet multi_token{
    "Megatron-LM megatron/training/arguments.py, core/transformer/multi_token_prediction.py",
    [](const Attempt& a) { return a.config.recipe.mtp_layers > 0; }, prediction_rules};

}  // namespace echo::training::rules
