// Nested cross-validation.
//
// The problem: with many candidates and few rows, the one that has the lowest error on held-out rows is
// partly lucky; the error by which it was chosen is too small. So the choice is part of what is evaluated.
// Outer folds are held out of everything; on the remaining rows, inner folds (of the same grouping: a choice
// for unseen kernels is made on unseen kernels) choose a candidate and its settings, which is then fitted to
// all remaining rows and evaluated on the fold.
//
// The choice itself is careful: its criterion is not the lowest error but the advantage over predicting no
// slowdown, less one standard error of that difference. Errors within a group are not independent (24 rows
// of one kernel are slowed by the same cause), so the standard error is over groups:
//   d_g = sum over the rows of g of (|error of no slowdown| - |error|),  n_g rows, N rows in G groups
//   advantage = sum d_g / N,   doubt^2 = G / (G - 1) * sum (d_g - n_g advantage)^2 / N^2
// A candidate that gains much on one kernel and loses on ten has a large doubt, and is not chosen.
//
// The report's margins over the baselines are computed the same way: a margin within its own doubt is not
// claimed.
//
// Cost: every candidate is fitted (inner folds * repeats + 1) times on each outer fold, all settings at
// once.
#include "learn/evaluate/nested.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "base/error.hpp"

namespace echo::learn {

namespace {

constexpr std::int32_t least_groups = 3;  // one held out, two to choose on

std::vector<std::int32_t> all_groups(const Examples& examples, Grouping grouping) {
  std::vector<slowdown::OverlapRow> rows;
  for (const Example& example : examples.rows) rows.push_back(example.row);
  return groups_of(rows, grouping);
}

void expect_groups(const Examples& examples, Grouping grouping) {
  const std::int32_t groups = count_of(all_groups(examples, grouping));
  if (groups >= least_groups) return;
  throw UserError(fmt::format("{} group{} of rows (by {}) cannot be held out one by one", groups,
                              groups == 1 ? "" : "s", grouping_names[at(grouping)]),
                  fmt::format("use a table with at least {}, or another grouping", least_groups));
}

void ask(const Fitted& fitted, const Examples& examples, const Split& split, CandidateReport& report) {
  for (const std::int32_t row : split.held_out) {
    const Example& example = examples.rows[row];
    report.outcomes[row] = outcome_of(example.row, examples.side, fitted.slowdown(example));
  }
}

void fill_measures(CandidateReport& report) {
  report.all = measure(report.outcomes);
  report.overlapping = measure_overlapping(report.outcomes);
}

std::vector<double> errors_of(const CandidateReport& report) {
  std::vector<double> errors;
  for (const Outcome& outcome : report.outcomes) errors.push_back(std::abs(relative_error(outcome)));
  return errors;
}

std::string words_of(const Candidate& candidate, std::int32_t setting) {
  const std::string& words = candidate.settings[setting];
  return words.empty() ? candidate.name : candidate.name + " (" + words + ")";
}

}  // namespace

std::vector<Margin> margins_of(const NestedReport& report, const CandidateReport& candidate) {
  std::vector<Margin> margins;
  const std::vector<double> errors = errors_of(candidate);
  for (const CandidateReport& baseline : report.candidates) {
    if (baseline.role != Role::baseline) continue;
    const Choice found = compared(errors, errors_of(baseline), report.group);
    margins.push_back({baseline.name, found.advantage, found.doubt});
  }
  return margins;
}

NestedReport evaluate_nested(const std::vector<Candidate>& candidates, const Examples& examples,
                             const FoldSettings& settings) {
  expect_groups(examples, settings.grouping);
  const std::size_t count = examples.rows.size();
  NestedReport report{.fold = std::vector<std::int32_t>(count),
                      .group = all_groups(examples, settings.grouping)};
  for (const Candidate& candidate : candidates)
    report.candidates.push_back({.name = candidate.name,
                                 .what = candidate.what,
                                 .role = candidate.role,
                                 .outcomes = std::vector<Outcome>(count)});
  report.chosen = {.name = "nested_choice",
                   .what = "the choice of the inner folds",
                   .outcomes = std::vector<Outcome>(count)};
  std::vector<std::int32_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  const std::vector<Split> splits = splits_of(examples, all, settings);
  FoldSettings inner = settings;
  inner.seed = mix(settings.seed);
  for (std::int32_t outer = 0; outer < std::ssize(splits); ++outer) {
    const Split& split = splits[outer];
    for (const std::int32_t row : split.held_out) report.fold[row] = outer;
    const std::vector<Choice> choices = best_settings(candidates, examples, split.training, inner);
    const Choice best = best_of(candidates, choices);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const auto fitted = candidates[i].fit(examples, split.training, settings.seed);
      CandidateReport& of_candidate = report.candidates[i];
      ask(fitted[choices[i].setting], examples, split, of_candidate);
      of_candidate.chosen.push_back(candidates[i].settings[choices[i].setting]);
      if (static_cast<std::int32_t>(i) != best.candidate) continue;
      ask(fitted[best.setting], examples, split, report.chosen);
      report.chosen.chosen.push_back(words_of(candidates[i], best.setting));
    }
  }
  for (CandidateReport& candidate : report.candidates) fill_measures(candidate);
  fill_measures(report.chosen);
  const std::vector<Margin> margins = margins_of(report, report.chosen);
  report.beats_baselines = std::all_of(margins.begin(), margins.end(), [](const Margin& margin) {
    return is_beyond_doubt(margin.advantage, margin.doubt);
  });
  return report;
}

}  // namespace echo::learn
