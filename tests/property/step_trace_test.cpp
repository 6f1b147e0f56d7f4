// A generated trace says what the report of the same step says: op by op, over seeded random configs.
#include "simulate/unfold/recorded_step.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "base/at.hpp"
#include "base/error.hpp"
#include "simulate/prices/host_time.hpp"
#include "tests/support/kernel_flops.hpp"
#include "tests/support/random_recipe.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::simulate {
namespace {

using support::catalog_with_roomy_gpus;
using support::presets;
using trace::Node;
using trace::NodeKind;
using training::Status;
using training::TrainingConfig;

constexpr std::uint64_t seeds = support::is_sanitized ? 60 : 800;
// Of as many as are drawn.
constexpr int at_least(int of_all) { return support::is_sanitized ? 0 : of_all; }

struct Generated {
  StepReport report;
  StepTrace trace;
};

Generated generate(const TrainingConfig& c, const Catalog& catalog, Workspace& ws,
                   const StepTraceRequest& request = {}) {
  const StepTimeline step = unfold_step(c, catalog, presets().calibration, ws);
  if (step.report.status != Status::ok) return {step.report, {}};
  return {step.report, generate_trace(step, c, catalog, ws.step, request)};
}

// Random configs on few layers; every schedule is among them.
TrainingConfig drawn(std::uint64_t seed) {
  return seed % 2 == 0 ? support::random_config(seed) : support::small_world(seed);
}

Catalog with_instant_hosts(Catalog catalog) {
  for (training::FrameworkSpec& framework : catalog.frameworks) {
    framework.host_per_kernel = framework.host_per_peer = SimTime::zero();
    framework.host_per_step = framework.host_per_slice = framework.host_per_expert = SimTime::zero();
  }
  return catalog;
}

// A step of a ring is two nodes that go out as one.
bool counts(const Node& node) { return node.kind != NodeKind::send || node.launch < 0; }

TEST(StepTrace, IsSoundAndItsPartsAreThoseOfTheReport) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  int composed = 0;
  std::set<std::int32_t> schedules;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const TrainingConfig c = drawn(seed);
    const auto [report, made] = generate(c, catalog, ws);
    if (report.status != Status::ok) continue;
    ++composed;
    schedules.insert(c.schedule.index());
    ASSERT_EQ(trace::why_unsound(made.trace), "") << "seed " << seed;
    ASSERT_EQ(static_cast<std::int32_t>(made.trace.ranks.size()), c.degrees.pipeline) << "seed " << seed;
    const std::size_t stage = at(report.critical_stage);
    const trace::RankTrace& rank = made.trace.ranks[stage];
    std::array<SimTime, time_category_count> total{};
    for (std::size_t i = 0; i < rank.nodes.size(); ++i)
      if (counts(rank.nodes[i])) total[at(made.parts[stage][i])] += rank.nodes[i].duration;
    for (std::size_t part = 0; part < time_category_count; ++part) {
      if (part == static_cast<std::size_t>(TimeCategory::pp_comm)) continue;
      EXPECT_EQ(total[part], report.total[part])
          << time_category_names[part] << ", seed " << seed << ", schedule "
          << timeline::schedule_table()[at(c.schedule.index())]->name;
    }
  }
  EXPECT_GT(composed, at_least(300));
  EXPECT_GT(std::ssize(schedules), at_least(10));
}

// Kinds, sizes and ranks are those that the workload asks for.
TEST(StepTrace, CollectivesGoOverGroupsAsLargeAsTheWorkloadSays) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  std::map<std::string, int> kinds;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const TrainingConfig c = drawn(seed);
    const auto [report, made] = generate(c, catalog, ws);
    if (report.status != Status::ok || made.trace.notes.size() > 1) continue;  // ranks not packed
    std::set<std::tuple<ops::CollectiveKind, std::int64_t, std::size_t>> asked;
    for (const ops::CollectiveQuery& query : ws.step.work.collectives)
      asked.emplace(query.kind, query.payload.value, static_cast<std::size_t>(query.group.ranks));
    for (const trace::RankTrace& rank : made.trace.ranks)
      for (const Node& node : rank.nodes) {
        if (node.kind != NodeKind::collective || node.group < 0) continue;
        const trace::Group& group = made.trace.groups[at(node.group)];
        ++kinds[group.name.substr(0, group.name.rfind('-'))];
        ASSERT_TRUE(asked.contains({node.collective, node.bytes.value, group.ranks.size()}))
            << made.trace.names[at(node.name)] << " of " << group.ranks.size() << ", seed " << seed;
      }
  }
  EXPECT_GT(std::ssize(kinds), at_least(14));
}

TEST(StepTrace, WhatAStageSendsItsNeighbourReceives) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  std::int64_t met = 0;
  for (std::uint64_t seed = 0; seed < seeds / 2; ++seed) {
    const TrainingConfig c = drawn(seed);
    const auto [report, made] = generate(c, catalog, ws);
    if (report.status != Status::ok || c.degrees.pipeline == 1) continue;
    using Message = std::tuple<std::int32_t, std::int32_t, std::int64_t>;  // from, to, tag
    std::map<Message, Bytes> sent, received;
    for (const trace::RankTrace& rank : made.trace.ranks)
      for (const Node& node : rank.nodes) {
        if (node.launch >= 0) continue;
        bool is_new = true;
        if (node.kind == NodeKind::send)
          is_new = sent.emplace(Message{rank.rank, node.peer, node.tag}, node.bytes).second;
        if (node.kind == NodeKind::recv)
          is_new = received.emplace(Message{node.peer, rank.rank, node.tag}, node.bytes).second;
        ASSERT_TRUE(is_new) << "seed " << seed;
      }
    ASSERT_EQ(sent, received) << "seed " << seed;
    met += std::ssize(sent);
  }
  EXPECT_GT(met, at_least(1000));
}

TEST(StepTrace, ProductsDoTheArithmeticOfTheWorkload) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < seeds / 2; ++seed) {
    const TrainingConfig c = drawn(seed);
    const auto [report, made] = generate(c, catalog, ws);
    if (report.status != Status::ok || c.recipe.overlap_ep || ws.step.layout.copies > 1) continue;
    const workload::Workload& w = ws.step.work;
    const auto is_product = [](const ops::KernelKey& key, TimeCategory) {
      return key.kind == ops::KernelKind::gemm;
    };
    double expected = 0.0;  // every pass of every chunk, once per microbatch
    for (const auto* runs : {&w.forward, &w.backward, &w.weight_gradients})
      for (const workload::BlockRun& run : runs->value)
        expected += run.count * support::block_flops(w, w.blocks[at(run.block)], is_product);
    expected *= training::microbatches_of(c);
    double traced = 0.0;
    for (const trace::RankTrace& rank : made.trace.ranks)
      for (const Node& node : rank.nodes)
        if (node.kernel >= 0 && made.trace.kernels[at(node.kernel)].kind == ops::KernelKind::gemm)
          traced += node.flops;
    if (w.input_gradients.rows() > 0) continue;  // some backwards are split: input_gradients stand for others
    ++compared;
    ASSERT_NEAR(traced / expected, 1.0, 1e-9) << "seed " << seed;
  }
  EXPECT_GT(compared, at_least(100));
}

// When the last op of a rank ends that waits for nobody else: each stream in order, each op for those it
// names.
SimTime replayed(const trace::RankTrace& rank) {
  std::vector<SimTime> end(rank.nodes.size());
  std::map<std::int32_t, SimTime> stream;
  SimTime last{};
  for (std::size_t i = 0; i < rank.nodes.size(); ++i) {
    const Node& node = rank.nodes[i];
    SimTime start = stream[node.stream];
    for (const auto* waits : {&rank.needs, &rank.follows})
      for (const std::int32_t before : waits->row(static_cast<std::int32_t>(i)))
        start = std::max(start, end[at(before)]);
    end[i] = start + node.duration;
    stream[node.stream] = end[i];
    last = std::max(last, end[i]);
  }
  return last;
}

// Unhindered by the host, a step of one stage takes as long as its trace played back; sharded backwards,
// whose traffic the model lets one steady state stand for, no longer.
TEST(StepTrace, PlayedBackIsAsLongAsTheStep) {
  const Catalog catalog = with_instant_hosts(catalog_with_roomy_gpus());
  Workspace ws;
  int equal = 0, bounded = 0;
  double least = 1.0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TrainingConfig c = drawn(seed);
    c.degrees.pipeline = c.degrees.virtual_stages = 1;
    c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
    c.batch.global_samples = c.degrees.data * c.batch.micro_samples * 3;
    const auto [report, made] = generate(c, catalog, ws);
    if (report.status != Status::ok) continue;
    const SimTime played = replayed(made.trace.ranks.front());
    if (c.zero <= training::ZeroStage::optimizer && c.recipe.offload_layers == 0) {
      ++equal;
      EXPECT_EQ(played, report.step_no_slowdown) << "seed " << seed;
    } else {
      ++bounded;
      EXPECT_LE(played, report.step_no_slowdown) << "seed " << seed;
      least = std::min(
          least, static_cast<double>(played.count()) / static_cast<double>(report.step_no_slowdown.count()));
    }
  }
  EXPECT_GT(equal, at_least(100));
  EXPECT_GT(bounded, at_least(50));
  EXPECT_GT(least, 0.9);
}

// All ranks together: a transfer begins when both its ends are ready, what a group agrees on when all are.
class Playback {
 public:
  explicit Playback(const trace::Trace& trace) : trace_(trace) {
    for (const trace::RankTrace& rank : trace.ranks) {
      std::vector<std::int32_t>& before = before_.emplace_back();
      std::map<std::int32_t, std::int32_t> last;
      for (std::size_t i = 0; i < rank.nodes.size(); ++i) {
        const auto [place, fresh] = last.try_emplace(rank.nodes[i].stream, -1);
        before.push_back(place->second);
        place->second = static_cast<std::int32_t>(i);
      }
      end_.emplace_back(rank.nodes.size(), SimTime(-1));
    }
  }
  // Of the last op; negative where ranks wait for each other forever.
  SimTime end() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t r = 0; r < end_.size(); ++r)
        for (std::size_t i = 0; i < end_[r].size(); ++i)
          if (end_[r][i] < SimTime::zero()) moved |= advance(r, i);
    }
    SimTime last{};
    for (const auto& of_rank : end_)
      for (const SimTime one : of_rank)
        last = one < SimTime::zero() || last < SimTime::zero() ? SimTime(-1) : std::max(last, one);
    return last;
  }

 private:
  using Meeting = std::tuple<std::int32_t, std::int32_t, std::int64_t>;
  bool advance(std::size_t r, std::size_t i) {
    const trace::RankTrace& rank = trace_.ranks[r];
    const Node& node = rank.nodes[i];
    SimTime ready{};
    const auto wait_for = [&](std::int32_t other) {
      if (other < 0 || ready < SimTime::zero()) return;
      const SimTime end = end_[r][at(other)];
      ready = end < SimTime::zero() ? end : std::max(ready, end);
    };
    wait_for(before_[r][i]);
    for (const auto* waits : {&rank.needs, &rank.follows})
      for (const std::int32_t other : waits->row(static_cast<std::int32_t>(i))) wait_for(other);
    if (ready < SimTime::zero()) return false;
    const bool is_message = node.communicates() && node.kind != NodeKind::collective && node.launch < 0;
    const bool is_agreement = node.kind == NodeKind::collective && node.group >= 0 &&
                              trace_.groups[at(node.group)].name.starts_with("model");
    if (!is_message && !is_agreement) {
      end_[r][i] = ready + node.duration;
      return true;
    }
    const bool sends = node.kind == NodeKind::send;
    const Meeting meeting =
        is_agreement ? Meeting{-1, node.group, 0}
                     : Meeting{sends ? rank.rank : node.peer, sends ? node.peer : rank.rank, node.tag};
    auto& met = ready_[meeting];
    const bool is_new = met.emplace(r, ready).second;
    if (met.size() < (is_agreement ? end_.size() : 2)) return is_new;
    SimTime start{};
    for (const auto& [who, when] : met) start = std::max(start, when);
    end_[r][i] = start + node.duration;
    return true;
  }
  const trace::Trace& trace_;
  std::vector<std::vector<std::int32_t>> before_;  // [ranks][nodes] of the same stream
  std::vector<std::vector<SimTime>> end_;
  std::map<Meeting, std::map<std::size_t, SimTime>> ready_;
};

// Of every schedule, none of which may wait forever; with receives posted late as in 1F1B or early elsewhere,
// and gathers of scattered hops behind tensor-parallel traffic, a step is up to 2 % shorter or 1 % longer.
TEST(StepTrace, PipelinesPlayedBackAreAsLongAsTheStep) {
  const Catalog catalog = with_instant_hosts(catalog_with_roomy_gpus());
  Workspace ws;
  std::map<std::int32_t, int> schedules;
  int composed = 0, equal = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    TrainingConfig c = drawn(seed);
    if (c.degrees.pipeline == 1) continue;
    c.recipe.grad_clip = true, c.recipe.post_validation = false;
    c.overlap.grad_reduce = false;
    c.zero = std::min(c.zero, training::ZeroStage::optimizer);
    const auto [report, made] = generate(c, catalog, ws);
    if (report.status != Status::ok) continue;
    const SimTime played = Playback(made.trace).end();
    ++composed, ++schedules[c.schedule.index()];
    equal += played == report.step_no_slowdown;
    const double ratio =
        static_cast<double>(played.count()) / static_cast<double>(report.step_no_slowdown.count());
    EXPECT_GT(ratio, 0.975) << "seed " << seed;
    EXPECT_LT(ratio, 1.01) << "seed " << seed;
  }
  EXPECT_GT(std::ssize(schedules), at_least(10));
  EXPECT_GT(equal, at_least(composed / 2));
}

TEST(StepTrace, GathersOfZero1StartWithTheStepAndThoseOfZero3WithTheirPass) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  TrainingConfig c = support::random_config(0);
  c.degrees = {.tensor = 1, .pipeline = 4, .data = 8};
  c.model = training::ModelId(support::named(catalog.models, "llama2-7b"));
  c.framework = training::FrameworkId(support::named(catalog.frameworks, "megatron-core"));
  c.recipe = catalog.framework(c).recipe;
  c.sequence_parallel = false;
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
  c.recompute = training::Recompute::none;
  c.batch = {.global_samples = 64, .micro_samples = 1, .sequence_tokens = 2048};
  c.overlap = {.grad_reduce = true, .param_gather = true, .pipeline = true};
  c.zero_group = 0;
  const auto free_gathers = [&](training::ZeroStage zero) {
    c.zero = zero;
    const auto [report, made] = generate(c, catalog, ws);
    EXPECT_EQ(report.status, Status::ok);
    const trace::RankTrace& rank = made.trace.ranks[2];
    int found = 0;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(rank.nodes.size()); ++i)
      found += rank.nodes[at(i)].collective == ops::CollectiveKind::all_gather &&
               rank.nodes[at(i)].kind == NodeKind::collective && rank.needs.row(i).empty() &&
               rank.follows.row(i).empty();
    return found;
  };
  EXPECT_GT(free_gathers(training::ZeroStage::optimizer), 3);
  EXPECT_EQ(free_gathers(training::ZeroStage::parameters), 0);
}

TEST(StepTrace, RanksMayBeWrittenOneByOne) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  TrainingConfig c = support::random_config(0);
  c.degrees = {.tensor = 2, .pipeline = 2, .data = 2};
  c.recipe.overlap_ep = false;
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
  c.zero = training::ZeroStage::none, c.zero_group = 0;
  c.batch = {.global_samples = 8, .micro_samples = 1, .sequence_tokens = 2048};
  const auto [report, made] = generate(c, catalog, ws, {.ranks = {0, 1, 2, 3, 4, 5, 6, 7}});
  ASSERT_EQ(report.status, Status::ok);
  ASSERT_EQ(trace::why_unsound(made.trace), "");
  ASSERT_EQ(made.trace.ranks.size(), 8U);
  for (const trace::RankTrace& rank : made.trace.ranks) {
    EXPECT_EQ(rank.stands_for, std::vector{rank.rank});
    EXPECT_EQ(rank.nodes.front().gap, host_of_step(catalog.framework(c), ws.step.work.tail));
    EXPECT_EQ(rank.nodes.size(), made.trace.ranks[at(rank.rank / 4 * 4)].nodes.size());
  }
  for (const trace::Group& group : made.trace.groups)
    if (group.name == "tensor-3") {
      EXPECT_EQ(group.ranks, (std::vector{6, 7}));
    }
  const StepTimeline step = unfold_step(c, catalog, presets().calibration, ws);
  EXPECT_THROW((void)generate_trace(step, c, catalog, ws.step, {.ranks = {8}}), UserError);
  EXPECT_THROW((void)generate_trace(step, c, catalog, ws.step, {.most_nodes = 100}), UserError);
}

}  // namespace
}  // namespace echo::simulate
