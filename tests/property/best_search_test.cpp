// A search for the best finds what a grid finds, exactly, and its proof holds; an altered one does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "search/best_first.hpp"
#include "search/evaluator.hpp"
#include "search/prove.hpp"
#include "search/record.hpp"
#include "sweep/run/in_process.hpp"
#include "sweep/run/run_sweep.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/small_space.hpp"

namespace echo::search {
namespace {

using support::Draws;
using support::names;
using support::numbers;
using sweep::Axis;

std::int64_t asked_of(const char* variable, std::int64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}
// Spaces to search, and combinations of axes that one has at most.
std::int64_t spaces_to_search() { return asked_of("ECHO_BEST_SPACES", 10); }
std::int64_t most_combinations() { return asked_of("ECHO_BEST_COMBINATIONS", 6000); }
bool are_large() { return most_combinations() > 6000; }

sweep::Dimension some_of(const sweep::Dimension& all, Draws& draws) {
  sweep::Dimension out{{{all.columns[0].axis, {}}}};
  for (const sweep::AxisValue& value : all.columns[0].values)
    if (draws.below(are_large() ? 8 : 3) != 0) out.columns[0].values.push_back(value);
  if (out.columns[0].values.empty()) out.columns[0].values.push_back(all.columns[0].values[0]);
  return out;
}

std::vector<sweep::Dimension> some_dimensions(Draws& draws) {
  std::vector<sweep::Dimension> out{
      names(Axis::model, {draws.one_of({"gpt3-1.3b", "gpt3-6.7b", "llama2-7b", "qwen3-30b-a3b"})}),
      some_of(names(Axis::cluster, {"dgx-a100-hdr200", "dgx-h100-ndr400"}), draws),
      some_of(numbers(Axis::gpus, {8, 16, 32}), draws),
      some_of(numbers(Axis::tp, {1, 2, 4, 8}), draws),
      some_of(numbers(Axis::pp, {1, 2, 4}), draws),
      some_of(numbers(Axis::global_batch, {32, 64}), draws)};
  const std::vector<sweep::Dimension> more{
      numbers(Axis::vpp, {1, 2}),
      numbers(Axis::micro_batch, {1, 2, 4}),
      names(Axis::schedule, {"1f1b", "gpipe", "interleaved", "zb-h1", "zb-1p", "zb-v", "dualpipe"}),
      numbers(Axis::ep, {1, 2, 4}),
      names(Axis::recompute, {"none", "selective", "full"}),
      numbers(Axis::zero, {0, 1, 2, 3}),
      numbers(Axis::sequence_parallel, {1, 0}),
      numbers(Axis::overlap_tp, {0, 1}),
      numbers(Axis::overlap_grad_reduce, {0, 1}),
      numbers(Axis::overlap_param_gather, {1, 0}),
      numbers(Axis::overlap_p2p, {0, 1}),
      numbers(Axis::offload_optimizer, {0, 1}),
      numbers(Axis::flash_attention, {1, 0}),
      names(Axis::kernels, {"eager", "fused", "compiled"}),
      numbers(Axis::fp32_gradients, {1, 0}),
      numbers(Axis::scatter_gather, {1, 0}),
      names(Axis::precision, {"bf16", "fp8"}),
      names(Axis::framework, {"megatron-core", "megatron-deepspeed", "fsdp"}),
      numbers(Axis::cp, {1, 2}),
      numbers(Axis::cuda_graphs, {0, 1})};
  std::int64_t size = 1;
  for (const sweep::Dimension& dimension : out) size *= dimension.size();
  for (const sweep::Dimension& dimension : more) {
    if (are_large() ? draws.below(4) == 0 : draws.coin()) continue;
    const sweep::Dimension one = some_of(dimension, draws);
    if (size * one.size() > most_combinations()) continue;
    size *= one.size();
    out.push_back(one);
  }
  // In any order: the search chooses its own.
  for (std::size_t i = out.size(); i > 1; --i)
    std::swap(out[i - 1], out[static_cast<std::size_t>(draws.below(static_cast<std::int32_t>(i)))]);
  return out;
}

bool has_axis(const std::vector<sweep::Dimension>& dimensions, Axis axis) {
  return std::ranges::any_of(dimensions, [&](const auto& d) { return d.columns[0].axis == axis; });
}

sweep::SweepSpec random_sweep(std::uint64_t seed) {
  Draws draws(seed ^ 0xBE57);
  sweep::SweepSpec spec;
  spec.seed = static_cast<std::int64_t>(seed);
  spec.dimensions = some_dimensions(draws);
  if (draws.below(3) == 0) spec.groups = {{"one", some_dimensions(draws)}, {"two", some_dimensions(draws)}};
  if (draws.coin()) spec.rules.push_back(support::keep("small", "micro_batch * tp <= 8"));
  if (draws.below(3) == 0) spec.rules.push_back(support::keep("cheap", "zero == 0 or not overlap_p2p"));
  if (draws.below(3) == 0 && spec.groups.empty() && !has_axis(spec.dimensions, Axis::offload_optimizer))
    spec.rules.push_back(support::derive("offload_optimizer", "zero > 0"));
  if (draws.below(3) == 0) spec.limits.push_back({"room", "mem_peak", "0.6 * gpu.memory", ""});
  if (draws.below(4) == 0) spec.limits.push_back({"fast", "mfu", "", "0.2"});
  if (draws.coin()) spec.min_fit_chance = draws.one_of({0.0, 0.5, 0.99});
  using sweep::Goal;
  const std::vector<std::vector<sweep::Objective>> objectives{
      {},
      {{"step_time", Goal::min}},
      {{"mfu", Goal::max}},
      {{"mem_peak", Goal::min}},
      {{"bubble_frac", Goal::min}},
      {{"tokens_per_s", Goal::max}, {"mem_peak", Goal::min}},
      {{"step_time", Goal::min}, {"gpus", Goal::min}},
      {{"gpus", Goal::min}, {"tokens_per_s_per_gpu", Goal::max}}};
  spec.objectives =
      objectives[static_cast<std::size_t>(draws.below(static_cast<std::int32_t>(objectives.size())))];
  spec.search.strategy = sweep::Strategy::best;
  spec.search.top = draws.one_of({1, 3, 20});
  if (draws.below(4) == 0) spec.search.within = draws.one_of({0.02, 0.2});
  if (draws.below(3) == 0) spec.search.per = {"cluster", "gpus"};
  if (draws.below(6) == 0) spec.search.per = {"recompute"};
  return spec;
}

std::string words_of(const sweep::SweepSpec& spec) {
  std::string text =
      "top " + std::to_string(spec.search.top) + " within " + std::to_string(spec.search.within);
  for (const std::string& axis : spec.search.per) text += " per " + axis;
  for (const sweep::Objective& objective : spec.objectives) text += " " + objective.metric;
  for (const sweep::Rule& rule : spec.rules) text += " " + rule.name;
  for (const sweep::Limit& limit : spec.limits) text += " " + limit.name;
  const auto add = [&](const std::vector<sweep::Dimension>& dimensions) {
    text += "; ";
    for (const sweep::Dimension& dimension : dimensions)
      text += " " + std::string(sweep::info_of(dimension.columns[0].axis).name);
  };
  if (spec.groups.empty()) add(spec.dimensions);
  for (const sweep::SubSpace& group : spec.groups) add(group.dimensions);
  return text;
}

// What a grid has: its rows that are ranked, by the number of their combination.
struct GridRow {
  std::int64_t raw = 0;
  std::vector<std::int64_t> slice;
  double first = 0.0, second = 0.0;  // less is better
};

std::vector<GridRow> grid_of(const sweep::SweepSpec& spec, const simulate::Catalog& catalog,
                             const simulate::Calibration& known) {
  const sweep::DesignSpace space(spec, catalog);
  sweep::VectorSink sink;
  sweep::AllIds all(space.size());
  (void)run_sweep(space, catalog, known, all, sink);
  std::vector<GridRow> rows;
  std::vector<sweep::Objective> objectives = spec.objectives;
  if (objectives.empty()) objectives = {{"tokens_per_s_per_gpu", sweep::Goal::max}};
  for (const sweep::Row& row : sink.rows) {
    if (row.report.status != training::Status::ok ||
        static_cast<double>(row.report.fit_chance) < spec.min_fit_chance)
      continue;
    GridRow one{.raw = space.raw_index(row.id)};
    const auto cost = [&](const sweep::Objective& objective) {
      double value =
          sweep::find_metric(objective.metric)->value({row.config, row.report, catalog, spec.terms});
      if (objective.metric == "mfu" || objective.metric == "bubble_frac") value = static_cast<float>(value);
      return objective.goal == sweep::Goal::min ? value : -value;
    };
    one.first = cost(objectives[0]);
    if (objectives.size() > 1) one.second = cost(objectives[1]);
    for (const std::string& name : spec.search.per)
      one.slice.push_back(name == "gpus" ? training::gpus_of(row.config.degrees)
                                         : training::member_of(*training::find_axis(name)).get(row.config));
    rows.push_back(one);
  }
  return rows;
}

std::vector<std::int64_t> best_of_grid(std::vector<GridRow> rows, const sweep::SweepSpec& spec) {
  std::map<std::vector<std::int64_t>, std::vector<GridRow>> slices;
  for (const GridRow& row : rows) slices[row.slice].push_back(row);
  std::set<std::int64_t> found;
  for (auto& [values, slice] : slices) {
    std::ranges::sort(slice, {}, [](const GridRow& row) { return std::tuple(row.first, row.raw); });
    const double best = slice.front().first;
    for (std::size_t i = 0; i < slice.size(); ++i) {
      const bool is_near = slice[i].first <= best + spec.search.within * std::fabs(best);
      if (spec.search.within > 0.0 ? is_near : static_cast<std::int64_t>(i) < spec.search.top)
        found.insert(slice[i].raw);
      const bool is_beaten =
          spec.objectives.size() < 2 || std::ranges::any_of(slice, [&](const GridRow& other) {
            const bool no_worse = other.first <= slice[i].first && other.second <= slice[i].second;
            const bool is_equal = other.first == slice[i].first && other.second == slice[i].second;
            return no_worse && (!is_equal || other.raw < slice[i].raw);
          });
      if (!is_beaten) found.insert(slice[i].raw);
    }
  }
  return {found.begin(), found.end()};
}

struct Searched {
  explicit Searched(const sweep::SweepSpec& given)
      : spec(given),
        space(spec, support::presets().catalog),
        evaluator(space, spec, support::presets().catalog, support::presets().calibration) {}
  SearchResult run() {
    const Aims aims(spec);
    return search_best(
        spec.search, aims, {evaluator.whole(), space.ordered().size(), 0.0},
        [&](std::span<const Node> tasks) {
          std::vector<Outcome> outcomes;
          for (const Node& task : tasks) outcomes.push_back(evaluator.run(task));
          return outcomes;
        },
        [](const SearchProgress&) { return true; });
  }
  sweep::SweepSpec spec;
  OrderedSpace space;
  Evaluator evaluator;
};

TEST(BestSearch, FindsWhatAGridFinds) {
  std::int64_t simulated = 0, points = 0, combinations = 0;
  for (std::uint64_t seed = 0; std::cmp_less(seed, spaces_to_search()); ++seed) {
    const sweep::SweepSpec spec = random_sweep(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + words_of(spec));
    const auto rows = grid_of(spec, support::presets().catalog, support::presets().calibration);
    Searched searched(spec);
    const SearchResult result = searched.run();
    ASSERT_EQ(result.certificate.points, best_of_grid(rows, spec));
    EXPECT_EQ(result.certificate.gap, 0.0);
    simulated += result.certificate.members()[static_cast<std::size_t>(Fate::simulated)];
    points += static_cast<std::int64_t>(rows.size());
    combinations += searched.space.ordered().size();
    const Certificate again = certificate_of(record_of(result.certificate, spec));
    ASSERT_EQ(again, result.certificate);
    const Proof proof = prove(again, spec, searched.space, searched.evaluator, 20, seed);
    ASSERT_EQ(proof.problem, "");
  }
  EXPECT_GT(points, 0);
  EXPECT_LT(simulated, points);  // of those that are ranked
  std::cout << combinations << " combinations, " << points << " ranked, " << simulated << " simulated\n";
}

TEST(BestSearch, AnAlteredProofIsRefused) {
  sweep::SweepSpec spec = random_sweep(0);
  spec.groups.clear();
  spec.limits.clear();
  spec.objectives.clear();
  spec.search = {.strategy = sweep::Strategy::best, .top = 3};
  Searched searched(spec);
  const Certificate sound = searched.run().certificate;
  const auto problem_of = [&](const Certificate& altered) {
    return prove(altered, spec, searched.space, searched.evaluator, 0, 1).problem;
  };
  ASSERT_EQ(problem_of(sound), "");
  const auto bounded = std::ranges::find(sound.sets, Fate::bound, &Node::fate) - sound.sets.begin();
  ASSERT_LT(bounded, std::ssize(sound.sets));
  const auto at_bounded = [&](Certificate& altered) -> Node& {
    return altered.sets[static_cast<std::size_t>(bounded)];
  };
  Certificate altered = sound;
  at_bounded(altered).least[0] = std::nextafter(at_bounded(altered).least[0], 0.0);
  EXPECT_NE(problem_of(altered), "") << "a bound";
  altered = sound;
  ++at_bounded(altered).members;
  EXPECT_NE(problem_of(altered), "") << "a count";
  altered = sound;
  ++at_bounded(altered).members, --altered.sets.back().members;
  EXPECT_NE(problem_of(altered), "") << "two counts with the same sum";
  altered = sound;
  altered.sets.erase(altered.sets.begin() + bounded);
  EXPECT_NE(problem_of(altered), "") << "a set left out";
  altered = sound;
  altered.kept -= at_bounded(altered).members;
  altered.sets.erase(altered.sets.begin() + bounded);
  EXPECT_NE(problem_of(altered), "") << "a set left out of a smaller space";
  altered = sound;
  altered.points.pop_back();
  EXPECT_NE(problem_of(altered), "") << "a point left out";
  altered = sound;
  at_bounded(altered).fate = Fate::memory;
  EXPECT_NE(problem_of(altered), "") << "another reason";
}

}  // namespace
}  // namespace echo::search
