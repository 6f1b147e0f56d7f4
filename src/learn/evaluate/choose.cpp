#include "learn/evaluate/choose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/contract.hpp"
#include "base/error.hpp"

namespace echo::learn {

namespace {

std::vector<std::int32_t> grouped(const Examples& examples, Rows rows, Grouping grouping) {
  std::vector<slowdown::OverlapRow> chosen;
  chosen.reserve(rows.size());
  for (const std::int32_t i : rows) chosen.push_back(examples.rows[i].row);
  std::vector<std::int32_t> group = groups_of(chosen, grouping);
  return count_of(group) < 2 ? groups_of(chosen, Grouping::row) : group;
}

// A row that is held out several times is one row, not several.
std::vector<std::int32_t> groups_of_held_out(const Examples& examples, Rows rows, Rows held_out,
                                             Grouping grouping) {
  const auto group_of_rows = grouped(examples, rows, grouping);
  std::map<std::int32_t, std::int32_t> group_of_row, number;
  for (std::size_t i = 0; i < rows.size(); ++i) group_of_row[rows[i]] = group_of_rows[i];
  std::vector<std::int32_t> group;
  for (const std::int32_t row : held_out) {
    const auto next = static_cast<std::int32_t>(number.size());
    group.push_back(number.emplace(group_of_row.at(row), next).first->second);
  }
  return group;
}

bool teaches(const Examples& examples, Rows rows) {
  return std::any_of(rows.begin(), rows.end(), [&](std::int32_t i) {
    return outcome_of(examples.rows[i].row, examples.side, 0.0).overlap_ratio > 0.0;
  });
}

// [settings][rows] absolute errors of held-out rows, split by split.
std::vector<std::vector<double>> errors_of(const Candidate& candidate, const Examples& examples,
                                           const std::vector<Split>& splits, std::uint64_t seed) {
  std::vector<std::vector<double>> errors(candidate.settings.size());
  for (const Split& split : splits) {
    const std::vector<Fitted> fitted = candidate.fit(examples, split.training, seed);
    ECHO_ENSURE(fitted.size() == errors.size());
    for (std::size_t setting = 0; setting < fitted.size(); ++setting)
      for (const std::int32_t row : split.held_out) {
        const Example& example = examples.rows[row];
        const Outcome outcome = outcome_of(example.row, examples.side, fitted[setting].slowdown(example));
        errors[setting].push_back(std::abs(relative_error(outcome)));
      }
  }
  return errors;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double sure(const Choice& choice) { return choice.advantage - choice.doubt; }

}  // namespace

std::vector<Split> splits_of(const Examples& examples, Rows rows, const FoldSettings& settings) {
  const auto group = grouped(examples, rows, settings.grouping);
  const std::int32_t folds = std::min(settings.folds, count_of(group));
  const auto fold = fold_of(group, folds, settings.seed);
  std::vector<Split> splits(static_cast<std::size_t>(folds));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::int32_t f = 0; f < folds; ++f)
      (fold[i] == f ? splits[f].held_out : splits[f].training).push_back(rows[i]);
  return splits;
}

Choice compared(std::span<const double> errors, std::span<const double> without,
                std::span<const std::int32_t> group) {
  const auto rows = static_cast<double>(errors.size());
  const std::int32_t groups = count_of(group);
  std::vector<double> gained(static_cast<std::size_t>(groups), 0.0), size(gained);
  Choice found;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    gained[group[i]] += without[i] - errors[i];
    size[group[i]] += 1.0;
    found.mean += errors[i] / rows;
    found.advantage += (without[i] - errors[i]) / rows;
  }
  double squares = 0.0;
  for (std::int32_t g = 0; g < groups; ++g) squares += std::pow(gained[g] - size[g] * found.advantage, 2);
  if (groups > 1) found.doubt = std::sqrt(groups / (groups - 1.0) * squares) / rows;
  return found;
}

std::vector<Choice> best_settings(const std::vector<Candidate>& candidates, const Examples& examples,
                                  Rows rows, const FoldSettings& settings) {
  std::vector<Split> splits;
  for (std::int32_t repeat = 0; repeat < settings.repeats; ++repeat) {
    FoldSettings again = settings;
    again.seed = settings.seed + static_cast<std::uint64_t>(repeat) * 0x9e3779b97f4a7c15ULL;
    for (Split& split : splits_of(examples, rows, again)) splits.push_back(std::move(split));
  }
  std::erase_if(splits, [&](const Split& split) { return !teaches(examples, split.training); });
  if (splits.empty())
    throw UserError("too few rows overlap with communication for training and evaluation",
                    "use fewer folds, or a table in which more rows overlap");
  std::vector<std::int32_t> held_out;
  for (const Split& split : splits)
    held_out.insert(held_out.end(), split.held_out.begin(), split.held_out.end());
  const auto group = groups_of_held_out(examples, rows, held_out, settings.grouping);
  const std::vector<double> without = errors_of(candidates.front(), examples, splits, settings.seed).front();
  std::vector<Choice> best;
  for (std::int32_t candidate = 0; candidate < std::ssize(candidates); ++candidate) {
    if (candidate > 0 && candidates[candidate].settings.size() == 1 &&
        candidates[candidate].role != Role::learned) {  // nothing to choose
      best.push_back({.candidate = candidate, .mean = unknown, .advantage = unknown, .doubt = unknown});
      continue;
    }
    const auto errors = errors_of(candidates[candidate], examples, splits, settings.seed);
    Choice found;
    for (std::int32_t setting = 0; setting < std::ssize(errors); ++setting) {
      Choice next = compared(errors[setting], without, group);
      next.candidate = candidate;
      next.setting = setting;
      if (setting == 0 || sure(next) > sure(found)) found = next;
    }
    best.push_back(found);
  }
  return best;
}

Choice best_of(const std::vector<Candidate>& candidates, std::span<const Choice> choices) {
  Choice best = choices.front();
  for (const Choice& choice : choices)
    if (candidates[choice.candidate].role == Role::learned &&
        is_beyond_doubt(choice.advantage, choice.doubt) && sure(choice) > sure(best))
      best = choice;
  return best;
}

Choice choose_for_all(const std::vector<Candidate>& candidates, const Examples& examples,
                      const std::string& name, const FoldSettings& settings) {
  std::vector<std::int32_t> rows(examples.rows.size());
  std::iota(rows.begin(), rows.end(), 0);
  if (name.empty()) return best_of(candidates, best_settings(candidates, examples, rows, settings));
  std::string known;
  for (std::int32_t i = 0; i < std::ssize(candidates); ++i) {
    known += (known.empty() ? "" : ", ") + candidates[i].name;
    if (candidates[i].name != name) continue;
    Choice choice = best_settings({candidates.front(), candidates[i]}, examples, rows, settings).back();
    choice.candidate = i;
    return choice;
  }
  throw UserError("there is no model \"" + name + "\" for these features", "choose one of " + known);
}

}  // namespace echo::learn
