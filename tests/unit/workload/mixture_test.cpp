// Layers that mix experts, and latent attention: who computes, sends and reduces what.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/workload/traced_mixture.hpp"
#include "training/layout/rank_parameters.hpp"
#include "training/memory/memory.hpp"

namespace echo::workload::mixtures {
namespace {

const Degrees grids[] = {{.data = 1},
                         {.data = 8, .expert = 8},
                         {.tensor = 2, .data = 4, .expert = 4, .expert_tensor = 2},
                         {.tensor = 4, .pipeline = 2, .data = 4, .expert = 16},
                         {.tensor = 2, .pipeline = 4, .data = 2, .context = 2, .expert = 4}};

TEST(MixtureWorkload, ProductsOfAllRanksDoTheModelFlopsExactly) {
  for (const training::ModelSpec& m : {support::tiny_mixture(), latent_mixture()})
    for (const Degrees& d : grids) {
      const TrainingConfig c = mixing(d);
      training::ModelSpec padded = m;
      padded.vocab = static_cast<std::int32_t>(training::padded_vocabulary(c, m, support::plain_framework()));
      const double channels = static_cast<double>(m.heads) * (m.query_head_dim() + m.value_head_dim());
      const double attention = 3.0 * 1024 * 1024 * channels * m.layers;
      const double ranks = d.tensor * d.context;
      const Workload w = traced(c, m);
      EXPECT_DOUBLE_EQ(flops(w, false) * ranks, training::model_flops(padded, 1, 1024) - attention)
          << m.name << " tp " << d.tensor << " ep " << d.expert << " etp " << d.expert_tensor;
      // Backward attention recomputes its scores: 3 k + 2 v channels where MFU counts 2 (k + v).
      const double keys = m.query_head_dim(), values = m.value_head_dim();
      const double recounted = (keys + values + 3 * keys + 2 * values) / (3 * (keys + values));
      EXPECT_DOUBLE_EQ(flops(w, true) * ranks, attention * recounted);
    }
}

TEST(MixtureWorkload, ASplitBackwardDoesTheSameProductsInTwoPasses) {
  for (const training::ModelSpec& m : {support::tiny_mixture(), latent_mixture()}) {
    const TrainingConfig c = mixing({.tensor = 2, .pipeline = 2, .data = 4, .expert = 8});
    EXPECT_DOUBLE_EQ(flops(traced(c, m, Backward::split), false), flops(traced(c, m), false)) << m.name;
  }
}

TEST(MixtureWorkload, EveryCopyOfATokenGoesToItsExpertAndComesBack) {
  const training::ModelSpec m = support::tiny_mixture();
  for (const Degrees& d : grids) {
    const TrainingConfig c = mixing(d);
    const training::RankLayout layout = support::layout_of(c, m);
    const Workload w = traced(c, m);
    const std::int64_t mixing_layers = moe_layers(m, 0, m.layers);
    const std::int64_t sent = 1024 / d.tensor / d.context * m.experts_per_token * m.hidden * 2;
    for (const Csr<BlockRun>* runs : {&w.forward, &w.backward}) {
      auto bytes = expert_traffic(w, *runs);
      EXPECT_EQ((bytes[{CollectiveKind::all_to_all, layout.expert}]),
                d.expert > 1 ? mixing_layers * 2 * sent : 0);
      const std::int64_t counts = runs == &w.forward && d.expert * d.expert_tensor > 1
                                      ? mixing_layers * 8 * m.experts * d.expert * d.expert_tensor
                                      : 0;
      EXPECT_EQ((bytes[{CollectiveKind::reduce_scatter, layout.expert_tensor}]),
                d.expert_tensor > 1 ? mixing_layers * sent * d.expert_tensor : 0);
      std::int64_t gathered = 0;
      for (const auto& [key, sum] : bytes)
        if (key.first == CollectiveKind::all_gather) gathered += sum;
      EXPECT_EQ(gathered, counts + (d.expert_tensor > 1 ? mixing_layers * sent * d.expert_tensor : 0));
    }
  }
}

// Slow twin of the formula: every way in which a token's two experts can fall among `parts`, all alike
// likely.
double parts_visited(int parts) {
  int visited = 0;
  for (int first = 0; first < parts; ++first)
    for (int second = 0; second < parts; ++second) visited += first == second ? 1 : 2;
  return static_cast<double>(visited) / (parts * parts);
}

TEST(MixtureWorkload, ADispatcherThatKnowsNodesSendsATokenOnceToEachNodeAndRank) {
  const training::ModelSpec m = support::tiny_mixture();  // two experts a token
  TrainingConfig c = mixing({.data = 32, .expert = 16});
  c.recipe.dispatch = training::Dispatch::per_node;
  const training::RankLayout layout = support::layout_of(c, m);
  EXPECT_EQ(layout.expert_across.ranks, 2);
  EXPECT_EQ(layout.expert_across.nodes, 2);
  EXPECT_EQ(layout.expert_within.ranks, 8);
  EXPECT_EQ(layout.expert_within.nodes, 1);
  const double token_bytes = 1024.0 * m.hidden * 2;
  const double transfers = 2.0 * moe_layers(m, 0, m.layers);
  const Workload w = traced(c, m);
  for (const Csr<BlockRun>* runs : {&w.forward, &w.backward}) {
    auto bytes = expert_traffic(w, *runs);
    EXPECT_EQ(static_cast<double>(bytes[{CollectiveKind::all_to_all, layout.expert_across}]),
              transfers * token_bytes * parts_visited(2));
    EXPECT_EQ(static_cast<double>(bytes[{CollectiveKind::all_to_all, layout.expert_within}]),
              transfers * token_bytes * parts_visited(16));
    EXPECT_EQ(bytes.count({CollectiveKind::all_to_all, layout.expert}), 0U);
  }
  // Inside one node there is one leg; a rank with two of a token's experts gets it once.
  TrainingConfig near = mixing({.data = 32, .expert = 8});
  near.recipe.dispatch = training::Dispatch::per_node;
  const training::RankLayout inside = support::layout_of(near, m);
  const Workload whole = traced(near, m);
  auto bytes = expert_traffic(whole, whole.forward);
  EXPECT_EQ(static_cast<double>(bytes[{CollectiveKind::all_to_all, inside.expert}]),
            transfers * token_bytes * parts_visited(8));
}

TEST(MixtureWorkload, HybridEpGathersTheRoutingMapInsteadOfCounts) {
  const training::ModelSpec m = support::tiny_mixture();
  TrainingConfig c = mixing({.data = 32, .expert = 16});
  const auto gathered = [&] {
    const Workload w = traced(c, m);
    std::int64_t bytes = 0;
    for (const auto& [key, sum] : expert_traffic(w, w.forward))
      if (key.first == CollectiveKind::all_gather) bytes += sum;
    return bytes / moe_layers(m, 0, m.layers);
  };
  const std::int64_t counts = 8 * m.experts * 16, map = 1024 * m.experts * 16;
  c.recipe.comm_kernels = static_cast<std::int32_t>(ops::CommKernel::hybridep);
  EXPECT_EQ(gathered(), counts);  // copies are sent by the library
  c.recipe.dispatch = training::Dispatch::per_node;
  EXPECT_EQ(gathered(), map);
  c.recipe.capacity_permille = 1000;  // it needs the map all the same
  EXPECT_EQ(gathered(), map);
}

TEST(MixtureWorkload, ExpertsWorkOnAllCopiesOfTheirGroupsTokensBetweenThem) {
  const training::ModelSpec m = support::tiny_mixture();
  for (const Degrees& d : grids) {
    const Workload w = traced(mixing(d), m);
    const auto grouped = std::find_if(w.kernels.begin(), w.kernels.end(), [&](const KernelKey& k) {
      return k.kind == KernelKind::gemm && k.layout == ops::GemmLayout::tn &&
             k.n == 2 * m.expert_ffn_hidden / d.expert_tensor && k.batch == m.experts / d.expert;
    });
    ASSERT_NE(grouped, w.kernels.end());
    EXPECT_EQ(grouped->grouped, m.experts > d.expert);
    const std::int64_t tokens_of_group = 1024 / d.tensor / d.context * d.expert * d.expert_tensor;
    EXPECT_EQ(std::int64_t{grouped->m} * m.experts, tokens_of_group * m.experts_per_token);
  }
}

// Kernels that run while tokens are on their way to their experts or back. (Counts, not tokens, are gathered
// over the whole expert grid.)
int kernels_beside_transfers(const Workload& w, const machine::GroupSpan& grid) {
  int count = 0;
  for (std::int32_t i = 0; i < w.block_count; ++i) {
    const OpGraph& block = w.blocks[at(i)];
    OpId open;  // the last transfer nobody has waited for yet
    for (const OpId op : ids<OpId>(block.size())) {
      const std::size_t place = at(op);
      for (const OpId need : block.needs.row(op))
        if (need == open) open = OpId::none();
      if (block.lane[place] == Lane::expert) {
        if (w.collectives[at(block.work[place]) - w.kernels.size()].group != grid) open = op;
      }
      if (block.lane[place] == Lane::compute && !open.is_none()) ++count;
    }
  }
  return count;
}

// One expert for every token is the dense net behind a router.
TEST(MixtureWorkload, OneExpertIsTheDenseLayerAndARouter) {
  const training::ModelSpec dense = support::tiny_llama();
  training::ModelSpec one = dense;
  one.experts = one.experts_per_token = 1, one.expert_ffn_hidden = dense.ffn_hidden;
  const TrainingConfig c = mixing({.data = 2});
  const Workload plain = traced(c, dense), routed = traced(c, one);
  const auto belongs_to_router = [&](const KernelKey& k) {
    const bool product = k.kind == KernelKind::gemm && (k.n == 1 || k.k == 1);
    return product || k.kind == KernelKind::router_forward || k.kind == KernelKind::router_backward ||
           k.kind == KernelKind::permute || k.kind == KernelKind::unpermute;
  };
  for (const auto pass : {&Workload::forward, &Workload::backward}) {
    std::vector<KernelKey> rest = kernels_of(routed, routed.*pass);
    const std::size_t layers = at(dense.layers);
    const std::size_t before = rest.size();
    std::erase_if(rest, belongs_to_router);
    EXPECT_EQ(before - rest.size(), layers * (pass == &Workload::forward ? 4 : 5));
    std::vector<KernelKey> expected = kernels_of(plain, plain.*pass);
    if (pass == &Workload::backward) {  // the gradient of the router's input is added to the expert's
      KernelKey sum = expected.front();
      for (const KernelKey& k : rest)
        if (k.kind == KernelKind::elementwise && k.n == one.hidden) sum = k;
      const std::size_t sums =
          at(std::count(rest.begin(), rest.end(), sum) - std::count(expected.begin(), expected.end(), sum));
      EXPECT_EQ(sums, layers);
      expected.insert(expected.end(), sums, sum);
    }
    std::sort(rest.begin(), rest.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(rest, expected);
  }
  EXPECT_TRUE(expert_traffic(routed, routed.forward).empty());
}

TEST(MixtureWorkload, SharedExpertsRunBesideTheAllToAllOnlyWhereTheFrameworkOverlapsThem) {
  const training::ModelSpec m = support::tiny_mixture();
  TrainingConfig c = mixing({.tensor = 2, .data = 8, .expert = 4, .expert_tensor = 2});
  const training::FrameworkSpec f = support::plain_framework();
  const Workload apart = traced(c, m, Backward::whole, f);
  c.recipe.overlaps_shared_experts = true;
  const Workload beside = traced(c, m, Backward::whole, f);
  for (const auto pass : {&Workload::forward, &Workload::backward}) {
    std::vector<KernelKey> first = kernels_of(apart, apart.*pass), second = kernels_of(beside, beside.*pass);
    EXPECT_NE(first, second);
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    EXPECT_EQ(first, second);
  }
  const machine::GroupSpan grid = support::layout_of(c, m).expert_grid;
  EXPECT_EQ(kernels_beside_transfers(apart, grid), 0);
  EXPECT_EQ(kernels_beside_transfers(beside, grid),
            3 + 5);  // forward: 2 products, activation; backward: 4 and 1
}

// One expert a rank has nothing to sort, eight bits much to copy and cast.
TEST(MixtureWorkload, ExpertsStartWhenTheirTokensAreThere) {
  for (const std::int32_t expert : {4, 16})
    for (const auto precision : {machine::Precision::bf16, machine::Precision::fp8}) {
      TrainingConfig c = mixing({.tensor = 2, .data = 16, .expert = expert, .expert_tensor = 2});
      c.precision = precision;
      const training::ModelSpec m = support::tiny_mixture();
      EXPECT_EQ(kernels_beside_transfers(traced(c, m), support::layout_of(c, m).expert_grid), 0);
    }
}

TEST(MixtureWorkload, GradientsGoOnceOverTheRanksThatHoldCopiesOfTheirWeights) {
  for (const training::ModelSpec& m : {support::tiny_mixture(), latent_mixture()})
    for (const bool overlapped : {false, true})
      for (const Degrees& d : grids) {
        TrainingConfig c = mixing(d);
        c.zero = training::ZeroStage::optimizer;
        c.overlap.grad_reduce = overlapped;
        const training::RankLayout layout = support::layout_of(c, m);
        const Workload w = traced(c, m);
        std::map<machine::GroupSpan, std::int64_t> reduced, expected;
        const auto count = [&](const ops::CollectiveQuery& query) {
          if (query.kind == CollectiveKind::reduce_scatter) reduced[query.group] += query.payload.value;
        };
        for (std::int32_t chunk = 0; chunk < d.pipeline; ++chunk) {
          const training::RankParameters held =
              training::chunk_parameters(c, m, support::plain_framework(), layout, chunk);
          if (layout.shard.ranks > 1) expected[layout.shard] += 4 * held.dense;
          if (layout.expert_shard.ranks > 1) expected[layout.expert_shard] += 4 * held.expert;
          if (!overlapped || layout.shard.ranks == 1) continue;
          const OpGraph& block = w.blocks[at(w.last_backward[at(chunk)])];
          for (std::size_t op = 0; op < block.lane.size(); ++op)
            if (block.lane[op] == Lane::data) count(w.collectives[at(block.work[op]) - w.kernels.size()]);
        }
        for (const WorkRun& run : w.tail.gradients.value)
          count(w.collectives[at(run.work) - w.kernels.size()]);
        ASSERT_EQ(reduced.size(), expected.size());
        for (const auto& [group, bytes] : expected) {
          // Overlapped, the final norm rides with its neighbours.
          EXPECT_LE(reduced[group], bytes);
          EXPECT_GE(reduced[group], bytes - (overlapped ? 4 * m.hidden : 0)) << m.name << " ep " << d.expert;
        }
      }
}

TEST(MixtureWorkload, ParametersAreGatheredOnceOverTheRanksThatShareTheirStates) {
  const training::ModelSpec m = support::tiny_mixture();
  TrainingConfig c = mixing({.data = 8, .expert = 4});
  c.zero = training::ZeroStage::optimizer;
  for (const bool overlapped : {false, true}) {
    c.overlap.param_gather = overlapped;
    const training::RankLayout layout = support::layout_of(c, m);
    const Workload w = traced(c, m);
    std::map<machine::GroupSpan, std::int64_t> gathered;
    const auto count = [&](WorkId work) {
      const ops::CollectiveQuery& query = w.collectives[at(work) - w.kernels.size()];
      gathered[query.group] += query.payload.value;
    };
    if (overlapped) {
      const OpGraph& block = w.blocks[at(w.first_forward[0])];
      for (std::size_t op = 0; op < block.lane.size(); ++op)
        if (block.lane[op] == Lane::data) count(block.work[op]);
    } else {
      for (const WorkRun& run : w.tail.update.value)
        if (!run.is_kernel) count(run.work);
    }
    const training::RankParameters held =
        training::chunk_parameters(c, m, support::plain_framework(), layout, 0);
    EXPECT_EQ(gathered, (std::map<machine::GroupSpan, std::int64_t>{{layout.shard, 2 * held.dense},
                                                                    {layout.expert_shard, 2 * held.expert}}));
  }
}

TEST(MixtureWorkload, ChunksOfLikeLayersShareBlocksAndOthersDoNot) {
  training::ModelSpec m = support::tiny_mixture();
  m.first_dense_layers = 3;
  TrainingConfig c = mixing({.pipeline = 4, .data = 8, .expert = 8});
  c.overlap.grad_reduce = true;
  const Workload w = traced(c, m);  // chunks: dense dense, dense moe, moe moe, moe moe
  EXPECT_NE(w.last_backward[1], w.last_backward[2]);
  m.first_dense_layers = 0, m.layers = 12;
  const Workload even = traced(c, m);
  EXPECT_EQ(even.last_backward[1], even.last_backward[2]);
}

TEST(MixtureWorkload, DependenciesPointBackwards) {
  TrainingConfig c = mixing({.tensor = 2, .pipeline = 2, .data = 8, .expert = 4, .expert_tensor = 2});
  c.overlap = {.grad_reduce = true, .param_gather = true, .tensor = true};
  c.zero = training::ZeroStage::optimizer;
  c.recompute = training::Recompute::full;
  const Workload w = traced(c, latent_mixture());
  for (std::int32_t i = 0; i < w.block_count; ++i) {
    const OpGraph& block = w.blocks[at(i)];
    ASSERT_EQ(block.needs.rows(), block.size());
    for (const OpId op : ids<OpId>(block.size()))
      for (const OpId need : block.needs.row(op)) {
        EXPECT_FALSE(need.is_none());
        EXPECT_LT(need, op);
      }
  }
}

// Every transfer to or from experts has ended when its block's compute lane has: a run of layers is then
// exactly a multiple of one.
TEST(MixtureWorkload, NoExpertTransferOutlivesItsLayer) {
  for (const Degrees& d : grids) {
    TrainingConfig c = mixing(d);
    const Workload w = traced(c, latent_mixture());
    for (std::int32_t i = 0; i < w.block_count; ++i) {
      const OpGraph& block = w.blocks[at(i)];
      OpId last, waited_for;
      for (const OpId op : ids<OpId>(block.size())) {
        if (block.lane[at(op)] == Lane::expert) last = op;
        for (const OpId need : block.needs.row(op)) waited_for = std::max(waited_for, need);
      }
      EXPECT_LE(last, waited_for) << "block " << i;
    }
  }
}

}  // namespace
}  // namespace echo::workload::mixtures
