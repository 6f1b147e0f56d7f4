// Which rows of a ranking cannot be told apart from the first, given how wrong predictions are.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error_source.hpp"
#include "query/ranking.hpp"
#include "results/read_rows.hpp"
#include "text/json.hpp"

namespace echo::query {

// A row ties with the first of its group where the first is truly better with a chance below results::sure (9
// in 10): where their difference is within its 80 % band. Errors that the two share cancel.
struct Ties {
  bool is_judged = false;      // the errors of the metric are known; else all below is empty
  bool is_exact = false;       // the metric has none: only equal rows tie
  std::vector<double> chance;  // of each row shown, that the first is truly better; 0.5 for the first itself
  std::int64_t tied = 0;       // rows of the group, shown or not, that tie with the first; without it
  // Of the second row against the first, relative: how much worse it is, the half-width of the 80 % band of
  // that difference, and the share of each source in its variance (step times; NaN where there is none).
  double gap = 0.0, band = 0.0;
  std::array<double, error_source_count> share{};
  // What a table shows of `chance`: nothing where the metric has no error.
  [[nodiscard]] std::span<const double> shown() const {
    return is_exact ? std::span<const double>() : std::span(chance);
  }
};

// Of each group, in order. Two passes over the file; memory: the rows shown.
[[nodiscard]] std::vector<Ties> ties_of(const results::ResultRows&, const RankQuery&,
                                        std::span<const RankedGroup>);

// One or two lines: "ties: #1-#3 and 4 more of 120 rows ...". Empty where there is nothing to tell.
[[nodiscard]] std::string text_of(const Ties&, const RankedGroup&, const RankQuery&);
// Members of an open object: of the row at `place` of a group, and of the group as a whole.
void add_row_ties(text::Json&, const Ties&, std::size_t place);
void add_ties(text::Json&, const Ties&);

}  // namespace echo::query
