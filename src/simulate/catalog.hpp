// The catalog: every model, GPU, cluster and framework a sweep may name. Immutable once read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/at.hpp"
#include "machine/cluster.hpp"
#include "machine/gpu.hpp"
#include "ops/collective.hpp"
#include "timeline/patterns/given_order.hpp"
#include "trace/trace.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"
#include "training/recipe_preset.hpp"

namespace echo::simulate {

struct Catalog {
  std::vector<machine::GpuSpec> gpus;
  std::vector<training::ModelSpec> models;
  std::vector<machine::ClusterSpec> clusters;
  std::vector<training::FrameworkSpec> frameworks;
  std::vector<training::RecipePreset> recipes;
  std::vector<machine::PacketPreset> nics, switches;    // of the packet simulator
  std::vector<std::vector<std::int32_t>> layer_tables;  // explicit layers per chunk
  std::vector<timeline::GivenOrder> orders;  // schedules of files: ids that follow those of schedule_table()
  std::vector<trace::Trace> traces;          // found by ModelSpec::trace
  friend bool operator==(const Catalog&, const Catalog&) = default;

  [[nodiscard]] const training::ModelSpec& model(training::ModelId id) const { return models.at(at(id)); }
  [[nodiscard]] const machine::ClusterSpec& cluster(machine::ClusterId id) const {
    return clusters.at(at(id));
  }
  // With the recipe laid over it; as it comes, where the recipe is not for it.
  [[nodiscard]] const training::FrameworkSpec& framework(training::FrameworkId id,
                                                         training::RecipeId recipe) const {
    const training::FrameworkSpec& stock = frameworks.at(at(id));
    if (recipe.is_none()) return stock;
    const training::FrameworkSpec& laid = recipes.at(at(recipe)).over.at(at(id));
    return laid.name.empty() ? stock : laid;
  }
  [[nodiscard]] const training::FrameworkSpec& framework(const training::TrainingConfig& c) const {
    return framework(c.framework, c.named_recipe);
  }
  // Applies `change` to the framework of this name, as it comes and under every recipe.
  template <class Change>
  void change_framework(std::string_view name, Change change) {
    for (training::FrameworkSpec& framework : frameworks)
      if (framework.name == name) change(framework);
    for (training::RecipePreset& recipe : recipes)
      for (training::FrameworkSpec& framework : recipe.over)
        if (framework.name == name) change(framework);
  }
  [[nodiscard]] const machine::GpuSpec& gpu(const training::TrainingConfig& c) const {
    return gpus.at(at(c.gpu.is_none() ? cluster(c.cluster).gpu : c.gpu));
  }
};

}  // namespace echo::simulate
