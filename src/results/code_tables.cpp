#include "results/code_tables.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/error.hpp"
#include "simulate/schedule_rules.hpp"
#include "timeline/schedule.hpp"
#include "training/axis.hpp"

namespace echo::results {
namespace {

std::string name_in(Names kind, std::int64_t index, const simulate::Catalog& catalog) {
  const std::size_t i = at(index);
  switch (kind) {
    case Names::models:
      return catalog.models.at(i).name;
    case Names::clusters:
      return catalog.clusters.at(i).name;
    case Names::gpus:
      return catalog.gpus.at(i).name;
    case Names::frameworks:
      return catalog.frameworks.at(i).name;
    case Names::recipes:
      return catalog.recipes.at(i).name;
    case Names::nics:
      return i == 0 ? training::own_preset : catalog.nics.at(i - 1).name;
    case Names::switches:
      return i == 0 ? training::own_preset : catalog.switches.at(i - 1).name;
    case Names::schedules: {
      const auto own = timeline::schedule_table();
      return i < own.size() ? own[i]->name : catalog.orders.at(i - own.size()).name;
    }
    case Names::rules:
      return word_of(simulate::refusal_of(static_cast<std::int32_t>(index)));
    case Names::limits:  // not of the catalogue
    case Names::none:
    case Names::fixed:
      break;
  }
  return {};
}

std::int8_t next_code(const std::vector<std::string>& names) {
  if (names.size() > std::numeric_limits<std::int8_t>::max())
    throw UserError(
        "one sweep names more than 127 models, clusters, GPUs, frameworks, recipes, NICs, switches, limits "
        "or rules",
        "split the sweep", 2);
  return static_cast<std::int8_t>(names.size());
}

}  // namespace

CodeTables::CodeTables(const std::map<Names, std::set<std::int64_t>>& used,
                       const std::map<Names, std::set<std::string>>& carried,
                       const simulate::Catalog& catalog, const std::vector<std::string>& limit_names) {
  std::map<Names, std::map<std::string, std::vector<std::int64_t>>> by_name;
  for (const auto& [kind, indexes] : used)
    for (const std::int64_t index : indexes)
      by_name[kind][index < 0 ? "none" : name_in(kind, index, catalog)].push_back(index);
  for (const auto& [kind, names] : carried)
    for (const std::string& name : names) by_name[kind].try_emplace(name);
  for (const auto& [kind, names] : by_name) {
    if (kind == Names::limits) continue;
    for (const auto& [name, same] : names) {
      for (const std::int64_t index : same) codes_[kind][index] = next_code(meanings_[kind]);
      meanings_[kind].push_back(name);
    }
  }
  meanings_[Names::limits] = {"none"};
  codes_[Names::limits][-1] = 0;
  for (const std::string& name : limit_names) {
    codes_[Names::limits].emplace(std::ssize(meanings_[Names::limits]) - 1,
                                  next_code(meanings_[Names::limits]));
    meanings_[Names::limits].push_back(name);
  }
}

std::int8_t CodeTables::code(Names kind, const std::string& name) const {
  const auto& known = meanings_.at(kind);
  const auto found = std::ranges::find(known, name);
  ECHO_EXPECT(found != known.end());
  return static_cast<std::int8_t>(found - known.begin());
}

std::vector<std::string> CodeTables::meanings(const Column& column) const {
  if (column.names == Names::fixed) return {column.meanings.begin(), column.meanings.end()};
  const auto found = meanings_.find(column.names);
  return found == meanings_.end() ? std::vector<std::string>{} : found->second;
}

}  // namespace echo::results
