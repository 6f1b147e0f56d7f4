// Problem. A constant that changes no error is justified by its source alone; one that reduces an error may
// hide another mistake. Both should be visible.
//
// Idea. Remove one thing at a time and predict the framework's rows again. Constants are in the framework
// and are set to zero. Choices of its recipe were copied into the rows' configs where the table left them
// open: those that still have the framework's value are set back to Recipe's default.
//
// Neglected: things that have an effect only together.
#include "calibrate/steps/ablation.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/error_table.hpp"
#include "base/at.hpp"
#include "calibrate/steps/step_study.hpp"
#include "training/axis.hpp"

namespace echo::calibrate {

namespace {

using training::FrameworkSpec;
using training::TrainingConfig;

struct Removal {
  std::string name;
  std::function<void(FrameworkSpec&)> from_framework;
  std::function<void(TrainingConfig&)> from_config;
};

Removal constant(const char* name, SimTime FrameworkSpec::*member) {
  return {name, [member](FrameworkSpec& f) { f.*member = {}; }, {}};
}

Removal overlap(const char* name, bool training::Overlap::*member) {
  return {name, {}, [member](TrainingConfig& c) { c.overlap.*member = false; }};
}

// The things whose removal would change something of `framework`.
std::vector<Removal> removals(const FrameworkSpec& framework) {
  std::vector<Removal> out;
  const auto host = [&](const char* name, SimTime FrameworkSpec::*member) {
    if (framework.*member > SimTime::zero()) out.push_back(constant(name, member));
  };
  host("kernel_gap", &FrameworkSpec::kernel_gap);
  host("host_per_kernel", &FrameworkSpec::host_per_kernel);
  host("host_per_expert", &FrameworkSpec::host_per_expert);
  host("host_per_peer", &FrameworkSpec::host_per_peer);
  host("host_per_step", &FrameworkSpec::host_per_step);
  if (framework.attention_kernel != ops::AttentionKernel::native)
    out.push_back({"attention_kernel",
                   [](FrameworkSpec& f) { f.attention_kernel = ops::AttentionKernel::native; },
                   {}});
  const auto overlaps = [&](const char* name, bool training::Overlap::*member) {
    if (framework.overlap.*member) out.push_back(overlap(name, member));
  };
  overlaps("overlap_grad_reduce", &training::Overlap::grad_reduce);
  overlaps("overlap_param_gather", &training::Overlap::param_gather);
  overlaps("overlap_p2p", &training::Overlap::pipeline);
  overlaps("overlap_tp", &training::Overlap::tensor);
  TrainingConfig started;
  started.recipe = framework.recipe;
  for (const training::AxisInfo& info : training::axis_table) {
    if (info.holder != training::AxisHolder::recipe) continue;
    const training::AxisMember& member = training::member_of(info.axis);
    const std::int32_t own = member.get(started), plain = member.get(TrainingConfig{});
    if (own == plain) continue;
    out.push_back({std::string(info.name), {}, [&member, own, plain](TrainingConfig& c) {
                     if (member.get(c) == own) member.set(c, plain);
                   }});
  }
  return out;
}

// A framework as it comes, or under a recipe.
struct Setup {
  std::size_t framework;
  training::RecipeId recipe;
  FrameworkSpec& in(simulate::Catalog& catalog) const {
    return recipe.is_none() ? catalog.frameworks[framework] : catalog.recipes[at(recipe)].over[framework];
  }
};

accuracy::ErrorSummary errors_without(StepStudy& study, const StepRows& rows, Setup setup,
                                      const Removal* removal) {
  FrameworkSpec& spec = setup.in(study.steps.catalog);
  const FrameworkSpec shipped = spec;
  if (removal != nullptr && removal->from_framework) removal->from_framework(spec);
  study.forget_prices();
  std::vector<accuracy::Comparison> compared;
  for (const config::MeasuredStep* row : rows) {
    config::MeasuredStep changed = *row;
    if (removal != nullptr && removal->from_config) removal->from_config(*changed.config);
    const double predicted = study.predict(changed);
    if (predicted > 0.0) compared.push_back({"", *row->step_seconds, predicted});
  }
  spec = shipped;
  study.forget_prices();
  return accuracy::summarise(compared);
}

void print(const std::string& name, const accuracy::ErrorSummary& e) {
  fmt::print("  {:32} {:4} rows  median {:5.1f} %  mean {:5.1f} %  bias {:+6.1f} %\n", name, e.scored,
             100 * e.median_ape, 100 * e.mean_ape, 100 * e.bias);
}

}  // namespace

int run_ablation(std::span<char*> args) {
  StepStudy study = read_step_study(step_option(args, "--table", default_step_table()));
  const StepRows all = study.scored();
  std::map<std::pair<std::size_t, training::RecipeId>, StepRows> by_setup;
  for (const config::MeasuredStep* row : all)
    by_setup[{at(row->config->framework), row->config->named_recipe}].push_back(row);
  for (const auto& [key, rows] : by_setup) {
    const Setup setup{key.first, key.second};
    const FrameworkSpec& spec = setup.in(study.steps.catalog);
    fmt::print("{}{}\n", spec.name, spec.recipe_name.empty() ? "" : " with recipe " + spec.recipe_name);
    print("as shipped", errors_without(study, rows, setup, nullptr));
    for (const Removal& removal : removals(spec))
      print("without " + removal.name, errors_without(study, rows, setup, &removal));
  }
  return 0;
}

}  // namespace echo::calibrate
