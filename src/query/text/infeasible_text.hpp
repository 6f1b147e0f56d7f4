// Why rows have no place in the ranking: causes, and the rows that are nearest to one.
#pragma once

#include <cstdint>
#include <string>

#include "query/rank/ranking.hpp"
#include "results/read_rows.hpp"
#include "text/json.hpp"

namespace echo::query {

// "median short by 3.1 GiB", "median 12.0 % beyond it"; "" of causes without a distance.
[[nodiscard]] std::string typical_lack(const ReasonCount&);

// The `count` rows that lack least of their memory or limit, a line each; "" where no row is of that kind.
[[nodiscard]] std::string nearest_text(const results::ResultRows&, std::int64_t count,
                                       const std::string& where = "");

// Every cause with its number of rows and one of them; then the `nearest` rows.
[[nodiscard]] std::string infeasible_text(const results::ResultRows&, std::int64_t nearest,
                                          const std::string& where = "");

// The file's /nearest: the smallest change that makes a row of each cause feasible, a line each; "" where the
// file has none.
[[nodiscard]] std::string ledger_text(const results::ResultFile&);

// Adds the members "causes" and "nearest" to the open object.
void add_infeasible(text::Json&, const results::ResultRows&, std::int64_t nearest, const std::string& where);

}  // namespace echo::query
