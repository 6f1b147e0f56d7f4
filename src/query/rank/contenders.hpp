// The rows of a ranking as contenders for its first place: costs with their errors.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "query/rank/group_key.hpp"
#include "query/rank/ranking.hpp"
#include "query/rank/where.hpp"
#include "results/rank/contest.hpp"
#include "results/rank/eligible.hpp"

namespace echo::query {

// The groups by their first row; those without one, or whose first has no value of the metric, are left out.
[[nodiscard]] std::map<std::int64_t, std::size_t> groups_by_first_row(std::span<const RankedGroup>);

class Contenders {
 public:
  // `others`: further columns that the visitor wants.
  Contenders(const results::ResultRows& rows, const RankQuery& query, std::vector<std::string> others = {})
      : rows_(rows),
        query_(query),
        aspect_(results::aspect_of(rows, query.by)),
        errors_(rows),
        filter_(rows, query.where),
        per_(rows, query.per),
        others_(std::move(others)) {}
  [[nodiscard]] const results::Aspect& aspect() const { return aspect_; }

  // Calls see(key of the group, contender, other) for each ranked row that satisfies `where`; other(i) is the
  // row's value of others[i].
  template <class See>
  void for_each(See see) {
    for_each_in([](std::int64_t, std::int64_t) { return true; }, see);
  }
  // The same for stretches of the file that hold one of the rows that are the keys; others are not read.
  template <class Value, class See>
  void for_each_near(const std::map<std::int64_t, Value>& by_row, See see) {
    for_each_in(
        [&](std::int64_t first, std::int64_t last) {
          const auto found = by_row.lower_bound(first);
          return found != by_row.end() && found->first <= last;
        },
        see);
  }

 private:
  // The same for stretches of the file of which is_wanted(first row, last row) is true; others are not read.
  template <class Wanted, class See>
  void for_each_in(Wanted is_wanted, See see) {
    const results::Eligible eligible(rows_);
    const auto [status, chance] = eligible.columns();
    std::vector<std::string> columns{status, chance, query_.by.metric};
    const auto add = [&columns](const std::vector<std::string>& more) {
      const std::size_t first = columns.size();
      columns.insert(columns.end(), more.begin(), more.end());
      return first;
    };
    const std::size_t first_of_group = add(per_.names()), first_error = add(errors_.names()),
                      first_other = add(others_), first_filtered = add(filter_.columns());
    results::Contender contender;
    for (results::Scan scan(rows_, columns); scan.next();) {
      if (!is_wanted(scan.first(), scan.first() + scan.count() - 1)) continue;
      for (std::int64_t i = 0; i < scan.count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!eligible(scan, at) || !filter_.keeps(scan, first_filtered, i)) continue;
        contender.row = scan.first() + i;
        contender.cost[0] = aspect_.cost_of(scan.values(2)[at]);
        contender.error = errors_.at(scan, first_error, at);
        see(per_.key(scan, first_of_group, at), contender,
            [&](std::size_t other) { return scan.values(first_other + other)[at]; });
      }
    }
  }

  const results::ResultRows& rows_;
  const RankQuery& query_;
  results::Aspect aspect_;
  results::ErrorColumns errors_;
  RowFilter filter_;
  GroupColumns per_;
  std::vector<std::string> others_;
};

}  // namespace echo::query
