// [simulate] contention = "flow": prices on the links that flows leave a group, against those of the closed
// forms.
#include <gtest/gtest.h>

#include "simulate/prices/price_work.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using machine::GroupSpan;
using ops::CollectiveKind;
using support::presets;

training::TrainingConfig on(const char* cluster) {
  training::TrainingConfig config;
  config.cluster = machine::ClusterId(support::named(presets().catalog.clusters, cluster));
  return config;
}

Calibration with(Contention contention) {
  Calibration calibration = presets().calibration;
  calibration.contention = contention;
  return calibration;
}

ops::CollectiveQuery query(CollectiveKind kind, std::int64_t bytes, GroupSpan group) {
  return {.kind = kind, .payload = Bytes(bytes), .group = group};
}

// Like GPUs of every node; whole nodes.
GroupSpan rail(std::int32_t nodes) {
  return {.ranks = nodes, .nodes = nodes, .ranks_per_node = 1, .stride = 8, .sharing = 8};
}
GroupSpan whole(std::int32_t nodes) { return {.ranks = 8 * nodes, .nodes = nodes, .ranks_per_node = 8}; }

ops::CollectiveEstimate priced(const char* cluster, Contention contention, const ops::CollectiveQuery& q) {
  PriceMemo memo;
  return price_collective(q, on(cluster), presets().catalog, with(contention), memo);
}

TEST(LinksByFlows, PriceAsTheClosedFormWhereThatIsExact) {
  for (const char* cluster : {"dgx-h100-ndr400", "dgx-h100-rail-ndr400"}) {
    for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter}) {
      for (const GroupSpan& group : {rail(4), rail(16), whole(2), whole(4)}) {
        const ops::CollectiveQuery q = query(kind, 256 << 20, group);
        const auto closed = priced(cluster, Contention::analytical, q),
                   flows = priced(cluster, Contention::flow, q);
        EXPECT_EQ(flows.algorithm, closed.algorithm);
        EXPECT_EQ(flows.protocol, closed.protocol);
        // A flow that changes GPUs to stay on its rail adds the latency of a hop inside the node.
        EXPECT_NEAR(to_seconds(flows.time), to_seconds(closed.time), 0.002 * to_seconds(closed.time))
            << cluster << ' ' << group.ranks;
      }
    }
  }
}

// A contiguous ring leaves a leaf of four nodes on one of four edges, so that half the uplinks are enough;
// the closed form takes every edge to cross. Inside a node nothing changes.
TEST(LinksByFlows, KnowWhichEdgesCrossTheFabric) {
  const char* cluster = "dgx-h100-fattree-2to1-ndr400";
  const ops::CollectiveQuery ring = query(CollectiveKind::all_gather, 1 << 30, whole(16));
  const auto closed = priced(cluster, Contention::analytical, ring),
             flows = priced(cluster, Contention::flow, ring);
  EXPECT_GT(static_cast<double>(closed.time.count()), 1.7 * static_cast<double>(flows.time.count()));
  EXPECT_EQ(flows.algorithm, closed.algorithm);
  const ops::CollectiveQuery inside = query(CollectiveKind::all_reduce, 1 << 28, whole(1));
  EXPECT_EQ(priced(cluster, Contention::flow, inside), priced(cluster, Contention::analytical, inside));
}

TEST(LinksByFlows, DoNotDependOnWhatWasAskedBefore) {
  const Calibration flow = with(Contention::flow), analytical = with(Contention::analytical);
  PriceMemo memo;
  for (const char* cluster : {"dgx-h100-fattree-2to1-ndr400", "dgx-h100-rail-ndr400"}) {
    for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_to_all}) {
      for (const std::int64_t bytes : {1 << 12, 1 << 20, 1 << 28}) {
        for (const GroupSpan& group : {whole(1), rail(8), whole(8)}) {
          const ops::CollectiveQuery q = query(kind, bytes, group);
          const auto first = price_collective(q, on(cluster), presets().catalog, analytical, memo);
          EXPECT_EQ(first, priced(cluster, Contention::analytical, q));
          const auto then = price_collective(q, on(cluster), presets().catalog, flow, memo);
          EXPECT_EQ(then, priced(cluster, Contention::flow, q));
        }
      }
    }
  }
}

}  // namespace
}  // namespace echo::simulate
