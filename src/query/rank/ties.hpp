// Finds the rows of a ranking that cannot be distinguished from the first, given the errors of the
// predictions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error_source.hpp"
#include "query/rank/ranking.hpp"
#include "results/rank/contest.hpp"
#include "results/read_rows.hpp"
#include "text/json.hpp"

namespace echo::query {

// A row ties with the first of its group if the probability that the first is truly better is below
// results::sure (0.9), that is, if their difference is within its 80 % band. Errors that both rows share
// cancel.
struct Ties {
  bool is_judged = false;      // the errors of the metric are known; otherwise all members below are empty
  bool is_exact = false;       // the metric has no error: only equal rows tie
  std::vector<double> chance;  // per row shown: probability that the first is truly better; 0.5 for the first
  std::int64_t tied = 0;       // rows of the group, shown or not, that tie with the first, not counting it
  // The second row relative to the first: its difference, the half-width of the 80 % band of that difference,
  // and the share of each source in its variance (step times; NaN if there is none), before measured runs.
  double gap = 0.0, band = 0.0;
  std::array<double, error_source_count> share{};
  bool is_explained = false;  // the file knows measured runs
  double explained = 0.0;     // the share of the variance that these took away
  // The part of `chance` that a table shows: nothing if the metric has no error.
  [[nodiscard]] std::span<const double> shown() const {
    return is_exact ? std::span<const double>() : std::span(chance);
  }
};

// Probability that `first` is truly better; 0.5 for equal rows. A row without a value is certainly worse.
[[nodiscard]] double chance_of_first(const results::Aspect&, const results::Contender& first,
                                     const results::Contender& other);

// The ties of each group, in order. Two passes over the file; memory: the rows shown.
[[nodiscard]] std::vector<Ties> ties_of(const results::ResultRows&, const RankQuery&,
                                        std::span<const RankedGroup>);

// One or two lines: "ties: #1-#3 and 4 more of 120 rows ...". Empty if there is nothing to report.
[[nodiscard]] std::string text_of(const Ties&, const RankedGroup&, const RankQuery&);
// Add members to an open object: for the row at `place` of a group, and for the group as a whole.
void add_row_ties(text::Json&, const Ties&, std::size_t place);
void add_ties(text::Json&, const Ties&);

}  // namespace echo::query
