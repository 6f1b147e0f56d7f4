#include "sweep/language/vocabulary.hpp"

#include "machine/precision.hpp"
#include "timeline/schedule.hpp"
#include "training/config.hpp"

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
  if (axis == Axis::schedule) {
    for (const timeline::Schedule* schedule : timeline::schedule_table()) names.emplace_back(schedule->name);
    for (const timeline::GivenOrder& order : catalog.orders) names.push_back(order.name);
  }
  if (axis == Axis::recompute)
    names.assign(training::recompute_names.begin(), training::recompute_names.end());
  if (choice_of(axis) >= 0) {
    const training::Choice& choice = training::recipe_choices()[static_cast<std::size_t>(choice_of(axis))];
    if (choice.kind == training::ChoiceKind::word) names.assign(choice.words.begin(), choice.words.end());
  }
  if (axis == Axis::precision) names.assign(machine::precision_names.begin(), machine::precision_names.end());
  return names;
}

}  // namespace echo::sweep
