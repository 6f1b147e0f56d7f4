#include "explain/nearest/best_row.hpp"

#include <span>

#include "query/rank/ranking.hpp"
#include "query/text/result_text.hpp"

namespace echo::explain {

BestRow best_row(const results::ResultRows& rows, const std::string& where) {
  BestRow best{.by = query::ranking_objective(rows)};
  for (const query::Ranked which : {query::Ranked::sure, query::Ranked::doubtful}) {
    const auto groups = query::ranked(rows, {.by = best.by, .count = 1, .where = where, .which = which});
    if (groups.front().rows.empty()) continue;
    best.row = groups.front().rows.front();
    best.value = groups.front().values.front();
    best.name = query::config_key(rows.pick_configs(std::span(&best.row, 1)), 0).substr(0, 8);
    break;
  }
  return best;
}

}  // namespace echo::explain
