#include "learn/evaluate/train_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "learn/candidates/baselines.hpp"
#include "learn/candidates/white_box.hpp"

namespace echo::learn {

namespace {

std::vector<std::int32_t> all_rows(const Examples& examples) {
  std::vector<std::int32_t> rows(examples.rows.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

[[noreturn]] void refuse(const TrainRequest& request) {
  throw UserError(
      fmt::format("no model is better than \"no slowdown\" on rows held out {}; nothing was written",
                  folds_in_words(request.folds.grouping)),
      "use more rows or another grouping, or force a model with --model");
}

const CandidateReport& judged(const NestedReport& report, const TrainRequest& request) {
  if (request.candidate.empty()) return report.chosen;
  return *std::find_if(report.candidates.begin(), report.candidates.end(),
                       [&](const CandidateReport& candidate) { return candidate.name == request.candidate; });
}

// "no slowdown"
std::string in_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

void add_errors(slowdown::Evidence& evidence, const NestedReport& report, const CandidateReport& judged,
                const std::string& folds) {
  evidence.errors.push_back({"this model", folds, judged.all.mean, judged.all.total});
  const std::vector<Margin> margins = margins_of(report, judged);
  std::size_t baseline = 0;
  for (const CandidateReport& candidate : report.candidates)
    if (candidate.role == Role::baseline)
      evidence.errors.push_back({in_words(candidate.name), folds, candidate.all.mean, candidate.all.total,
                                 margins[baseline++].doubt});
}

slowdown::Range joined(const slowdown::Range& a, const slowdown::Range& b) {
  if (a.low > a.high) return b;
  if (b.low > b.high) return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Examples collectives_of(const Examples& examples) {
  Examples collectives{.features = examples.features, .side = Side::collective};
  for (const Example& example : examples.rows)
    if (is_measured(example.row, Side::collective)) collectives.rows.push_back(example);
  return collectives;
}

// The same candidate for the side of the collectives, where it is better than the model's prediction for
// them without it: the white box.
void train_collective(const Candidate& candidate, const Examples& examples, const TrainRequest& request,
                      Training& out) {
  const Examples collectives = collectives_of(examples);
  if (examples.features != slowdown::FeatureSet::simulator ||
      std::ssize(collectives.rows) < least_collective_rows)
    return;
  const std::vector<Candidate> rivals{no_slowdown(), white_box_of_prices(), candidate};
  const auto choices = best_settings(rivals, collectives, all_rows(collectives), request.folds);
  const bool is_better = candidate.name != "white_box" && choices[2].mean < choices[1].mean;
  out.collective = evaluate_nested(rivals, collectives, request.folds);
  add_errors(out.model.evidence, *out.collective, out.collective->candidates[is_better ? 2 : 1],
             folds_in_words(request.folds.grouping) + ", collectives");
  if (!is_better) return;
  // Fitted to all rows, so that the white box below has the constants of the kernels' side; rows without the
  // duration of the collective add no information.
  Examples all = examples;
  all.side = Side::collective;
  const auto fitted = candidate.fit(all, all_rows(all), request.folds.seed);
  const slowdown::LearnedModel& learned = *fitted[choices[2].setting].model;
  ECHO_ENSURE(learned.contention == out.model.contention);
  out.model.collective = learned.collective;
  for (std::size_t i = 0; i < learned.ranges.size(); ++i)
    out.model.ranges[i] = joined(out.model.ranges[i], learned.ranges[i]);
}

}  // namespace

std::string folds_in_words(Grouping grouping) {
  switch (grouping) {
    case Grouping::row:
      return "by row";
    case Grouping::kernel:
      return "by kernel name";
    case Grouping::shape:
      break;
  }
  return "by shape";
}

Training train_model(const std::vector<Candidate>& candidates, const Examples& examples,
                     const TrainRequest& request) {
  const Choice choice = choose_for_all(candidates, examples, request.candidate, request.folds);
  if (request.candidate.empty() && choice.candidate == 0) refuse(request);
  const Candidate& candidate = candidates[choice.candidate];
  if (candidate.role != Role::learned)
    throw UserError("\"" + candidate.name + "\" is a baseline for evaluation and cannot be saved",
                    "train one of those (echo-sweep slowdown evaluate lists them)");
  NestedReport report = evaluate_nested(candidates, examples, request.folds);
  // The choice from all rows may be luck; the nested report evaluates the choice as well.
  const Margin over_nothing = margins_of(report, report.chosen).front();
  if (request.candidate.empty() && !is_beyond_doubt(over_nothing.advantage, over_nothing.doubt))
    refuse(request);
  auto fitted = candidate.fit(examples, all_rows(examples), request.folds.seed);
  Training trained{.model = std::move(*fitted[choice.setting].model),
                   .setting = candidate.settings[choice.setting],
                   .gain = std::move(fitted[choice.setting].gain),
                   .report = std::move(report)};
  trained.model.name = candidate.name;
  slowdown::Evidence& evidence = trained.model.evidence;
  evidence.rows = std::ssize(examples.rows);
  evidence.dataset = request.dataset;
  evidence.assumed = request.assumed;
  evidence.seed = request.folds.seed;
  std::set<std::string> gpus;
  for (const Example& example : examples.rows) gpus.insert(example.row.gpu);
  evidence.gpus.assign(gpus.begin(), gpus.end());
  add_errors(evidence, trained.report, judged(trained.report, request),
             folds_in_words(request.folds.grouping));
  train_collective(candidate, examples, request, trained);
  return trained;
}

}  // namespace echo::learn
