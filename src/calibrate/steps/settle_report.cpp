#include "calibrate/steps/settle_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/quantile.hpp"
#include "calibrate/steps/held_out.hpp"
#include "calibrate/steps/step_errors.hpp"
#include "calibrate/steps/step_study.hpp"
#include "settle/conditioning.hpp"
#include "settle/next_runs.hpp"
#include "settle/run_noise.hpp"
#include "simulate/report/error_bands.hpp"

namespace echo::calibrate {

namespace {

constexpr std::size_t least_layouts = 4;
constexpr std::int64_t steps_of_run = 16;

struct Layout {
  settle::Choice choice;
  std::vector<double> measured;  // s, of each run that repeats it

  [[nodiscard]] double seconds() const { return median_of(measured); }
};

using Group = std::vector<Layout>;

settle::RowError row_error(const StepError& error, const simulate::ErrorModel& model) {
  settle::RowError out;
  const auto parts = simulate::contributions(model, error.evidence, error.report);
  const double scale = model.p90 / settle::z90;
  for (std::size_t k = 0; k < parts.size(); ++k) out.step[k] = scale * parts[k];
  out.owner = {error.owner[settle::index_of(ErrorSource::arithmetic)],
               error.owner[settle::index_of(ErrorSource::scale_out)],
               error.owner[settle::index_of(ErrorSource::framework)]};
  return out;
}

std::string group_of(const config::MeasuredStep& step, const simulate::Catalog& catalog) {
  const training::TrainingConfig& c = *step.config;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", step.source, c.model.index(), catalog.gpu(c).name,
                     training::gpus_of(c.degrees), c.batch.global_samples, c.batch.sequence_tokens,
                     static_cast<int>(c.precision), c.recipe.lora_rank, c.recipe.packed_tokens);
}

// Groups of layouts, by publication.
std::map<std::string, std::vector<Group>> groups_of(StepStudy& study, bool is_unseen,
                                                    const std::string& table) {
  ErrorOwners owners;
  std::map<std::string, StepError> unseen;
  if (is_unseen)
    for (StepError& one : unseen_errors(table, Facts::published)) unseen.emplace(one.row, one);
  std::map<std::pair<std::string, training::TrainingConfig>, Layout> layouts;
  std::map<std::string, std::string> publication;
  for (const config::MeasuredStep* step : study.scored()) {
    const auto found = unseen.find(step->row);
    const auto error = !is_unseen              ? step_error(study, *step, owners)
                       : found == unseen.end() ? std::nullopt
                                               : std::optional(found->second);
    if (!error) continue;
    const std::string group = group_of(*step, study.steps.catalog);
    publication[group] = step->source;
    Layout& layout = layouts[{group, *step->config}];
    const double predicted = *step->step_seconds * std::exp(error->error);
    layout.choice = {.cost = std::log(predicted),
                     .error = row_error(*error, study.calibration.errors),
                     .price = predicted,
                     .noise = settle::noise_variance(steps_of_run),
                     .competes = true,
                     .can_run = true};
    layout.measured.push_back(*step->step_seconds);
  }
  std::map<std::string, Group> by_group;
  for (auto& [key, layout] : layouts) by_group[key.first].push_back(std::move(layout));
  std::map<std::string, std::vector<Group>> out;
  for (auto& [name, group] : by_group)
    if (group.size() >= least_layouts) out[publication[name]].push_back(std::move(group));
  return out;
}

struct Regrets {
  double expected_before = 0.0, before = 0.0, expected_after = 0.0, after = 0.0, best_of_fastest = 0.0;
  double groups = 0.0, layouts = 0.0, runs = 0.0, improved = 0.0, worse = 0.0;

  void add(const Regrets& one, double weight = 1.0) {
    expected_before += weight * one.expected_before, before += weight * one.before;
    expected_after += weight * one.expected_after, after += weight * one.after;
    best_of_fastest += weight * one.best_of_fastest, runs += weight * one.runs, groups += weight * one.groups;
    layouts += one.layouts, improved += one.improved, worse += one.worse;
  }
};

std::size_t least_cost(const Group& group, const std::vector<double>& shift) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < group.size(); ++i)
    if (group[i].choice.cost + shift[i] < group[best].choice.cost + shift[best]) best = i;
  return best;
}

std::vector<double> shifts_after(const Group& group, const std::vector<std::size_t>& runs) {
  std::vector<settle::MeasuredRun> measured;
  for (const std::size_t run : runs)
    measured.push_back({static_cast<std::int64_t>(run), group[run].choice.error,
                        std::log(group[run].seconds()) - group[run].choice.cost, group[run].choice.noise});
  const settle::Conditioning known(measured);
  std::vector<double> shifts;
  for (std::size_t i = 0; i < group.size(); ++i)
    shifts.push_back(known.about(static_cast<std::int64_t>(i), group[i].choice.error).shift);
  return shifts;
}

Regrets regrets_of(const Group& group, std::size_t count) {
  std::vector<settle::Choice> choices;
  std::vector<std::size_t> fastest;
  for (const Layout& layout : group) fastest.push_back(choices.size()), choices.push_back(layout.choice);
  std::ranges::stable_sort(fastest, {}, [&](std::size_t i) { return choices[i].cost; });
  fastest.resize(std::min(count, fastest.size()));
  double best = group.front().seconds(), best_of_fastest = group[fastest.front()].seconds();
  for (const Layout& layout : group) best = std::min(best, layout.seconds());
  for (const std::size_t i : fastest) best_of_fastest = std::min(best_of_fastest, group[i].seconds());

  const auto runs = settle::next_runs(choices, count);
  const auto expected = settle::outlooks(choices, runs);
  const double before =
      group[least_cost(group, std::vector<double>(group.size(), 0.0))].seconds() / best - 1.0;
  const double after = group[least_cost(group, shifts_after(group, runs))].seconds() / best - 1.0;
  return {.expected_before = std::expm1(expected.front().regret),
          .before = before,
          .expected_after = std::expm1(expected.back().regret),
          .after = after,
          .best_of_fastest = best_of_fastest / best - 1.0,
          .groups = 1.0,
          .layouts = static_cast<double>(group.size()),
          .runs = static_cast<double>(runs.size()),
          .improved = after < before ? 1.0 : 0.0,
          .worse = after > before ? 1.0 : 0.0};
}

void print_line(const std::string& name, const Regrets& sum) {
  const auto mean = [&](double total) { return 100.0 * total / sum.groups; };
  fmt::print(
      "{:24} {:>6.0f} {:>8.0f} {:>8.2f} % {:>7.2f} % {:>8.2f} % {:>7.2f} % {:>6.1f} {:>9.2f} % {:>7.0f} "
      "{:>6.0f}\n",
      name, sum.groups, sum.layouts, mean(sum.expected_before), mean(sum.before), mean(sum.expected_after),
      mean(sum.after), sum.runs / sum.groups, mean(sum.best_of_fastest), sum.improved, sum.worse);
}

}  // namespace

int run_settle(std::span<char*> args) {
  const std::string table = step_option(args, "--table", default_step_table());
  const std::string count = step_option(args, "--runs", "3");
  const bool is_unseen = std::ranges::find(args, std::string_view("--unseen"), [](const char* one) {
                           return std::string_view(one);
                         }) != args.end();
  if (!std::filesystem::exists(table))
    throw UserError("the measured steps are not at " + table, "set ECHO_DATA_DIR to the folder of the tables",
                    3);
  if (count.empty() || count.find_first_not_of("0123456789") != std::string::npos || count.size() > 3)
    throw UserError("--runs " + count + " is no number of runs", "as in --runs 3", 2);
  StepStudy study = read_step_study(table);
  fmt::print("{:24} {:>6} {:>8} {:>21} {:>20} {:>5} {:>12} {:>14}\n", "mean regret", "groups", "layouts",
             "before: expected, is", "after: expected, is", "runs", "best of " + count, "better, worse");
  Regrets all, alike;  // groups weigh alike; publications do
  for (const auto& [name, groups] : groups_of(study, is_unseen, table)) {
    Regrets sum;
    for (const Group& group : groups) sum.add(regrets_of(group, std::stoul(count)));
    print_line(name, sum);
    all.add(sum);
    alike.add(sum, 1.0 / sum.groups);
  }
  if (all.groups <= 0.0) return 0;
  print_line("all groups alike", all);
  print_line("all publications alike", alike);
  return 0;
}

}  // namespace echo::calibrate
