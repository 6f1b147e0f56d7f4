// The collapsed simulation (one gpu rank a stage, blocks multiplied, steady states folded) against every rank
// of a small world by itself, over random combinations of degrees, schedules, models and recipes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "base/at.hpp"
#include "simulate/schedule_of.hpp"
#include "simulate/simulate.hpp"
#include "sweep/space/canonical_text.hpp"
#include "sweep/space/config_id.hpp"
#include "tests/reference/all_ranks_twin.hpp"
#include "tests/support/random_recipe.hpp"

namespace echo::simulate {
namespace {

// Models of few layers: the twin runs each op of each rank.
Catalog small_models() {
  Catalog catalog = support::catalog_with_roomy_gpus();
  for (training::ModelSpec& model : catalog.models)
    if (model.layer_pattern.empty()) {
      model.layers = 8;
      model.first_dense_layers = std::min(model.first_dense_layers, 1);
    }
  for (training::FrameworkSpec& f : catalog.frameworks)
    f.host_per_kernel = f.host_per_expert = f.host_per_peer = SimTime::zero();  // binds a pass as a whole
  return catalog;
}

struct Drawn {
  training::TrainingConfig config;
  Workspace ws;
  StepReport report;
  std::vector<RankTimes> ranks;
};

class AllRanks : public ::testing::Test {
 protected:
  AllRanks() {
    known_.slowdown = slowdown::NoSlowdown{};
    known_.contention = Contention::off;
  }

  // Nothing where the config is refused.
  bool draw(std::uint64_t seed, Drawn& out, std::int32_t slow_rank = -1, SimTime slow = {}) {
    out.config = support::small_world(seed);
    if (training::gpus_of(out.config.degrees) > 64) return false;
    out.config.fabric.placement = machine::Placement::packed;  // the twin takes ranks as they come
    out.report = simulate(out.config, catalog_, known_, out.ws);
    if (out.report.status != training::Status::ok) return false;
    out.ranks =
        AllRanksTwin(out.config, schedule_of(out.config, catalog_), catalog_.framework(out.config), out.ws)
            .run(slow_rank, slow);
    return true;
  }

  // Time that transfers of all passes run on after their compute lane: what a border can hide from the fast
  // path.
  static SimTime leftovers(const Drawn& d) {
    SimTime sum{};
    const auto lag_of = [&](BlockId block) {
      SimTime most{};
      for (const SimTime lag : d.ws.step.composed.times[at(block)].lag) most = std::max(most, lag);
      return most;
    };
    const auto& work = d.ws.step.work;
    for (const auto* runs :
         {&work.forward, &work.backward, &work.weight_gradients, &work.input_gradients, &work.pairs})
      for (const workload::BlockRun& run : runs->value)
        sum += std::int64_t{training::microbatches_of(d.config)} * run.count * lag_of(run.block);
    for (const BlockId block : work.last_backward)
      if (!block.is_none()) sum += lag_of(block);
    // Where some backwards are split, a chunk's last is taken as long as a whole one.
    if (work.input_gradients.rows() > 0)
      for (std::size_t i = 0; i < d.ws.step.composed.chunks.size(); ++i) {
        const ChunkCost& chunk = d.ws.step.composed.chunks[i];
        sum += std::max(SimTime::zero(), chunk[PassKind::input_gradients].time +
                                             chunk[PassKind::weight_gradients].time -
                                             chunk[PassKind::last_backward].time);
      }
    return sum;
  }

  // First and last stage wait for each other to sum a tied embedding table; the fast path lets each go on to
  // its own gradient norm.
  SimTime tie_slack(const Drawn& d) {
    const bool copies_table =
        catalog_.model(d.config.model).tied_embeddings || d.config.recipe.mtp_layers > 0;
    if (!copies_table || d.config.degrees.pipeline == 1) return SimTime::zero();
    SimTime shortest = SimTime::max(), longest{};
    for (std::int32_t stage = 0; stage < d.config.degrees.pipeline; ++stage) {
      const auto grad_norm = d.ws.step.work.tail.grad_norm.row(stage);
      if (grad_norm.empty()) return SimTime::zero();
      const auto norm = grad_norm.front();
      const SimTime time = norm.count * d.ws.step.prices.alone[at(norm.work)];
      shortest = std::min(shortest, time), longest = std::max(longest, time);
    }
    return longest - shortest;
  }

  // Whether the ranks agree on a norm or on infinities before they update.
  static bool agrees(const Drawn& d) {
    return std::ranges::any_of(d.ws.step.work.tail.grad_norm.value,
                               [](const auto& run) { return !run.is_kernel; });
  }

  Catalog catalog_ = small_models();
  Calibration known_ = support::presets().calibration;
};

// ECHO_RANK_SEEDS=16000 in the slow tier.
TEST_F(AllRanks, EqualTheCollapsedStepWhereNoTransferCrossesAPassAndBoundItElsewhere) {
  const char* asked = std::getenv("ECHO_RANK_SEEDS");
  const std::uint64_t seeds = asked != nullptr ? std::stoull(asked) : 5'000;
  int compared = 0, exact = 0, exact_steps = 0;
  std::int64_t ranks = 0;
  std::map<std::string, int> seen;
  Drawn d;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    if (!draw(seed, d)) continue;
    const std::string told =
        "seed " + std::to_string(seed) + ": " + sweep::canonical_text(d.config, catalog_);
    ASSERT_FALSE(d.ranks.empty()) << "deadlock, " << told;
    ++compared, ranks += std::ssize(d.ranks);
    const timeline::Schedule schedule = schedule_of(d.config, catalog_);
    ++seen[schedule.name];
    const SimTime slack = leftovers(d);
    exact += slack == SimTime::zero();
    const auto replica = static_cast<std::int32_t>(std::ssize(d.ranks)) / d.config.degrees.pipeline;
    // Under ZeRO-2 and 3 a pass waits for all the traffic of the pass before, in truth for what is in its
    // way.
    const bool shards = d.config.zero >= training::ZeroStage::gradients;
    const SimTime early = shards ? slack : SimTime::zero();
    // Zero-bubble stages go on by themselves; their step is a turn, not an end.
    const bool ends = !(schedule.splits_backward && d.config.recipe.post_validation);
    SimTime step{};
    for (std::size_t r = 0; r < d.ranks.size(); ++r) {
      const SimTime fast = d.ws.step.composed.pipeline.stages[r / at(replica)].compute_end;
      ASSERT_LE(fast - early, d.ranks[r].compute_end) << "rank " << r << ", " << told;
      ASSERT_GE(fast + slack, d.ranks[r].compute_end) << "rank " << r << ", " << told;
      step = std::max(step, d.ranks[r].step_end);
    }
    if (slack == SimTime::zero() && ends) {
      if (!agrees(d)) {  // without clipping nobody waits; the fast path has the stages wait all the same
        ASSERT_GE(d.report.step, step) << told;
        continue;
      }
      ASSERT_LE(d.report.step, step) << told;
      ASSERT_GE(d.report.step + tie_slack(d), step) << told;
      exact_steps += step == d.report.step;
    }
  }
  std::string schedules;
  for (const auto& [name, count] : seen) schedules += " " + name + " " + std::to_string(count);
  printf("%d configs (%d exact, %d of them to the end of the step), %lld gpu ranks;%s\n", compared, exact,
         exact_steps, static_cast<long long>(ranks), schedules.c_str());
  EXPECT_GT(compared, static_cast<int>(seeds / 11));
  EXPECT_GT(exact, compared / 3);
  EXPECT_GT(exact_steps, compared / 5);
  EXPECT_GE(std::ssize(seen), std::ssize(timeline::schedule_table()) - 1);
}

// The twin is not the fast path in disguise: one slow rank holds up others.
TEST_F(AllRanks, NoticeOneSlowRank) {
  Drawn even, held_up;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 400 && compared < 20; ++seed) {
    if (!draw(seed, even) || even.ranks.size() < 2) continue;
    draw(seed, held_up, 0, SimTime(1'000'000));
    ++compared;
    EXPECT_GT(held_up.ranks[0].compute_end, even.ranks[0].compute_end);
    if (even.config.degrees.tensor > 1) {
      EXPECT_GT(held_up.ranks[1].compute_end, even.ranks[1].compute_end) << seed;
    }
  }
  EXPECT_EQ(compared, 20);
}

}  // namespace
}  // namespace echo::simulate
