#include "results/code_tables.hpp"

#include <limits>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "timeline/schedule.hpp"

namespace echo::results {
namespace {

std::string name_in(Names kind, std::int64_t index, const simulate::Catalog& catalog) {
  const auto i = static_cast<std::size_t>(index);
  switch (kind) {
    case Names::models:
      return catalog.models.at(i).name;
    case Names::clusters:
      return catalog.clusters.at(i).name;
    case Names::gpus:
      return catalog.gpus.at(i).name;
    case Names::frameworks:
      return catalog.frameworks.at(i).name;
    case Names::schedules:
      ECHO_EXPECT(i < timeline::schedule_table().size());
      return timeline::schedule_table()[i]->name;
    case Names::none:
    case Names::fixed:
      break;
  }
  return {};
}

}  // namespace

CodeTables::CodeTables(const std::map<Names, std::set<std::int64_t>>& used,
                       const simulate::Catalog& catalog) {
  for (const auto& [kind, indexes] : used) {
    std::map<std::string, std::vector<std::int64_t>> by_name;
    for (const std::int64_t index : indexes)
      by_name[index < 0 ? "none" : name_in(kind, index, catalog)].push_back(index);
    if (by_name.size() > std::numeric_limits<std::int8_t>::max())
      throw UserError("one sweep names more than 127 models, clusters, GPUs or frameworks", "split the sweep",
                      2);
    for (const auto& [name, same] : by_name) {
      for (const std::int64_t index : same)
        codes_[kind][index] = static_cast<std::int8_t>(meanings_[kind].size());
      meanings_[kind].push_back(name);
    }
  }
}

std::vector<std::string> CodeTables::meanings(const Column& column) const {
  if (column.names == Names::fixed) return {column.meanings.begin(), column.meanings.end()};
  const auto found = meanings_.find(column.names);
  return found == meanings_.end() ? std::vector<std::string>{} : found->second;
}

}  // namespace echo::results
