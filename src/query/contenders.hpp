// The rows of a ranking as contenders for its first place: costs with their errors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "query/ranking.hpp"
#include "query/where.hpp"
#include "results/rank/contest.hpp"
#include "results/rank/eligible.hpp"

namespace echo::query {

class Contenders {
 public:
  // `others`: further columns that the visitor wants.
  Contenders(const results::ResultRows& rows, const RankQuery& query, std::vector<std::string> others = {})
      : rows_(rows),
        query_(query),
        aspect_(results::aspect_of(rows, query.by)),
        errors_(rows),
        filter_(rows, query.where),
        others_(std::move(others)) {}
  [[nodiscard]] const results::Aspect& aspect() const { return aspect_; }

  // Calls see(value of `per`, contender, other) for each ranked row that satisfies `where`; other(i) is the
  // row's value of others[i].
  template <class See>
  void for_each(See see) {
    const results::Eligible eligible(rows_);
    const auto [status, chance] = eligible.columns();
    std::vector<std::string> columns{status, chance, query_.by.metric,
                                     query_.per.empty() ? "status" : query_.per};
    const auto add = [&columns](const std::vector<std::string>& more) {
      const std::size_t first = columns.size();
      columns.insert(columns.end(), more.begin(), more.end());
      return first;
    };
    const std::size_t first_error = add(errors_.names()), first_other = add(others_),
                      first_filtered = add(filter_.columns());
    results::Contender contender;
    for (results::Scan scan(rows_, columns); scan.next();) {
      for (std::int64_t i = 0; i < scan.count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!eligible(scan, at) || !filter_.keeps(scan, first_filtered, i)) continue;
        contender.row = scan.first() + i;
        contender.cost[0] = aspect_.cost_of(scan.values(2)[at]);
        contender.error = errors_.at(scan, first_error, at);
        see(scan.values(3)[at], contender,
            [&](std::size_t other) { return scan.values(first_other + other)[at]; });
      }
    }
  }

 private:
  const results::ResultRows& rows_;
  const RankQuery& query_;
  results::Aspect aspect_;
  results::ErrorColumns errors_;
  RowFilter filter_;
  std::vector<std::string> others_;
};

}  // namespace echo::query
