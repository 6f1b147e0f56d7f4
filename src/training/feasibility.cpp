#include "training/feasibility.hpp"

#include "training/rules/rule_sets.hpp"

namespace echo::training {

// The general rules come first: others divide by the degrees.
std::span<const RuleSet* const> rule_sets() {
  static constexpr const RuleSet* sets[] = {
      &rules::general,      &rules::not_simulated,  &rules::context,       &rules::mamba,
      &rules::cuda_graphs,  &rules::graph_modules,  &rules::fused_experts, &rules::formats,
      &rules::offloading,   &rules::expert_overlap, &rules::multi_token,   &rules::recomputation,
      &rules::dense_models, &rules::experts,        &rules::given_machines};
  return sets;
}

Refusal first_broken_rule(const Attempt& attempt) {
  for (const RuleSet* const set : rule_sets()) {
    if (set->applies != nullptr && !set->applies(attempt)) continue;
    for (const SupportRule& rule : set->rules)
      if (!rule.holds(attempt)) return rule.otherwise;
  }
  return {};
}

}  // namespace echo::training
