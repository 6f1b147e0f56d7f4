#include "sweep/language/vocabulary.hpp"

#include "timeline/schedule.hpp"

namespace echo::sweep {

template <class Table>
static std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  names.reserve(table.size());
  for (const auto& row : table) names.push_back(row.name);
  return names;
}

std::vector<std::string> vocabulary_of(Axis axis, const simulate::Catalog& catalog) {
  if (axis == Axis::model) return names_in(catalog.models);
  if (axis == Axis::cluster) return names_in(catalog.clusters);
  if (axis == Axis::gpu) return names_in(catalog.gpus);
  if (axis == Axis::framework) return names_in(catalog.frameworks);
  std::vector<std::string> names;
  if (axis == Axis::recipe) {
    names = names_in(catalog.recipes);
    names.insert(names.begin(), training::no_recipe);
  }
  if (training::has_cluster_presets(axis)) {
    names = names_in(axis == Axis::nic ? catalog.nics : catalog.switches);
    names.insert(names.begin(), training::own_preset);
  }
  if (axis == Axis::schedule) {
    for (const timeline::Schedule* schedule : timeline::schedule_table()) names.emplace_back(schedule->name);
    for (const timeline::GivenOrder& order : catalog.orders) names.push_back(order.name);
  }
  if (info_of(axis).kind == AxisKind::word) {
    const auto words = training::member_of(axis).words;
    names.insert(names.end(), words.begin(), words.end());
  }
  return names;
}

}  // namespace echo::sweep
