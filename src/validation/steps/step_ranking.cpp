#include "validation/steps/step_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "accuracy/error_table.hpp"
#include "base/quantile.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::validation {

namespace {

using accuracy::RankedRun;
using accuracy::RankingScore;

std::string group_of(const PredictedStep& row) {
  const training::TrainingConfig& c = row.config();
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", row.step.source, c.model.index(), row.catalog.gpu(c).name,
                     training::gpus_of(c.degrees), c.batch.global_samples, c.batch.sequence_tokens,
                     static_cast<int>(c.precision), c.recipe.lora_rank, c.recipe.packed_tokens);
}

using Layout = std::pair<std::string, training::TrainingConfig>;  // with its group

struct Times {
  std::string source;
  double predicted = 0.0;
  std::vector<double> measured;
};

std::vector<std::string> cells(const std::string& name, const RankingScore& s) {
  return {name,
          std::to_string(s.groups),
          std::to_string(s.pairs),
          fmt::format("{:.2f}", s.mean_tau),
          text::show_share(s.median_regret),
          text::show_share(s.mean_regret),
          text::show_share(s.max_regret)};
}

void add_score(text::Json& json, const RankingScore& s) {
  json.open_object().member("groups", s.groups).member("pairs", s.pairs).member("mean_tau", s.mean_tau);
  json.member("median_regret", s.median_regret).member("mean_regret", s.mean_regret);
  json.member("max_regret", s.max_regret).close();
}

}  // namespace

StepRanking rank_steps(const std::vector<PredictedStep>& rows) {
  std::map<Layout, Times> layouts;
  std::vector<RankedRun> every_run, once;
  std::map<std::string, std::vector<RankedRun>> by_source;
  for (const PredictedStep& row : rows) {
    if (!row.is_scored()) continue;
    every_run.push_back({group_of(row), *row.step.step_seconds, row.seconds()});
    Times& times = layouts[{every_run.back().group, row.config()}];
    times.source = row.step.source, times.predicted = row.seconds();
    times.measured.push_back(*row.step.step_seconds);
  }
  for (auto& [layout, times] : layouts) {
    std::sort(times.measured.begin(), times.measured.end());
    once.push_back({layout.first, quantile(times.measured, 0.5), times.predicted});
    by_source[times.source].push_back(once.back());
  }
  StepRanking out{.all = accuracy::score_ranking(once),
                  .by_source = {},
                  .with_repeats = accuracy::score_ranking(every_run)};
  for (const auto& [source, runs] : by_source)
    if (const RankingScore score = accuracy::score_ranking(runs); score.pairs > 0)
      out.by_source[source] = score;
  return out;
}

std::string ranking_text(const StepRanking& ranking) {
  if (ranking.all.pairs == 0) return "";
  text::TextTable table({"<ranking of layouts", "groups", "pairs", "tau", "regret: median", "mean", "max"});
  for (const auto& [source, score] : ranking.by_source) table.add(cells(source, score));
  table.add(cells("all", ranking.all));
  std::string out = table.text();
  if (ranking.with_repeats.pairs > ranking.all.pairs)
    out += fmt::format(
        "tau is {:.2f} in {} groups where runs of one layout that differ by {:.0f} % or more count as "
        "pairs\n",
        ranking.with_repeats.mean_tau, ranking.with_repeats.groups, 100.0 * accuracy::distinct_times);
  return out + "\n";
}

void add_ranking(text::Json& json, const StepRanking& ranking) {
  json.key("ranking").open_object().key("all");
  add_score(json, ranking.all);
  json.key("with_repeats");
  add_score(json, ranking.with_repeats);
  json.key("by_source").open_object();
  for (const auto& [source, score] : ranking.by_source) {
    json.key(source);
    add_score(json, score);
  }
  json.close().close();
}

}  // namespace echo::validation
