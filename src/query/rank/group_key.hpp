// The groups of a ranking: rows that agree in the columns of --per.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "results/read_rows.hpp"

namespace echo::query {

inline constexpr std::size_t most_group_columns = 4;

// Values of the columns in their order, then zeros; groups are sorted by it.
using GroupKey = std::array<double, most_group_columns>;

// "model" or "model,gpus": the columns of RankQuery::per, at most most_group_columns. UserError, 2, for more,
// and for columns that have no groups.
class GroupColumns {
 public:
  GroupColumns(const results::ResultRows&, const std::string& per);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // The key of a row of the scan's batch, whose columns from the `first_column`-th on are names().
  [[nodiscard]] GroupKey key(const results::Scan& scan, std::size_t first_column, std::size_t row) const {
    GroupKey key{};
    for (std::size_t i = 0; i < names_.size(); ++i) key[i] = scan.values(first_column + i)[row];
    return key;
  }
  // "llama3-8b, 16"; empty without columns.
  [[nodiscard]] std::string text(const results::ResultRows&, const GroupKey&) const;

 private:
  std::vector<std::string> names_;
};

// The names in "a, b,c".
[[nodiscard]] std::vector<std::string> names_in_list(const std::string& list);

}  // namespace echo::query
