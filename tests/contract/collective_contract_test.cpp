// What every collective algorithm owes, whatever it is: a new file in algorithms/ is held to it for nothing.
#include <gtest/gtest.h>

#include "tests/unit/collective/machines.hpp"

namespace echo::collective::testing {
namespace {

class EveryAlgorithm : public ::testing::TestWithParam<const Algorithm*> {
 protected:
  // Calls `check(call, communicator, protocol)` on every case the algorithm applies to.
  template <class Check>
  std::int32_t for_each_case(const Check& check) const {
    return for_each_case({}, check) + for_each_case({.kernels = 7, .sharp = true}, check) +
           for_each_case({.library = ops::CommLibrary::rccl}, check);
  }
  template <class Check>
  std::int32_t for_each_case(const ops::CommSettings& settings, const Check& check) const {
    std::int32_t cases = 0;
    for (const Machine& m : {a100, h100, h800, b200, mi300x}) {
      for (const std::int32_t version : {2804, 21003, 21803, 22105, 22304, 22703, 23007}) {
        for (const auto& group :
             {span(1, 2), span(1, 4), span(1, 8), span(2, 1), span(2, 8), span(4, 8), span(16, 4)}) {
          const Communicator c = set_up(group, links(m, group), settings, version);
          for (std::int32_t kind = 0; kind < ops::collective_kind_count; ++kind) {
            for (std::int64_t bytes = 1; bytes <= std::int64_t{1} << 33; bytes *= 8) {
              for (std::int32_t p = 0; p < 3; ++p) {
                const Call call{static_cast<CollectiveKind>(kind), bytes};
                const auto protocol = static_cast<Protocol>(p);
                if (!GetParam()->applies(call, c, protocol)) continue;
                ++cases;
                check(call, c, protocol);
              }
            }
          }
        }
      }
    }
    return cases;
  }
  NetworkConstants k_;
};

TEST_P(EveryAlgorithm, SaysWhoItIs) {
  EXPECT_NE(std::string(ops::name_of(GetParam()->id)), "");
  EXPECT_NE(std::string(GetParam()->source), "");
}

TEST_P(EveryAlgorithm, TakesTimeMemoryAndChannels) {
  const auto cases = for_each_case([&](const Call& call, const Communicator& c, Protocol p) {
    const Cost cost = GetParam()->time(call, c, p, k_);
    ASSERT_GT(cost.time.us, 0.0);
    ASSERT_GT(cost.memory_bytes, 0.0);
    ASSERT_GE(GetParam()->channels(call, c, p), 1);
    ASSERT_LE(GetParam()->channels(call, c, p), 64);
    ASSERT_GE(GetParam()->nccl_time(call, c, p), 0.0);
  });
  EXPECT_GT(cases, 100);
}

TEST_P(EveryAlgorithm, TakesLongerForMoreBytes) {
  for_each_case([&](const Call& call, const Communicator& c, Protocol p) {
    for (const double growth : {1.01, 1.5, 2.0, 3.7}) {
      const Call more{call.kind, static_cast<std::int64_t>(static_cast<double>(call.bytes) * growth) + 1};
      ASSERT_GE(GetParam()->time(more, c, p, k_).time.us,
                GetParam()->time(call, c, p, k_).time.us * (1 - 1e-12));
    }
  });
}

TEST_P(EveryAlgorithm, TakesNoLongerOnFasterLinks) {
  for_each_case([&](const Call& call, const Communicator& c, Protocol p) {
    Communicator faster = c;  // the same channels on better wires
    faster.nvlink *= 1.5;
    ASSERT_LE(GetParam()->time(call, faster, p, k_).time.us, GetParam()->time(call, c, p, k_).time.us);
    faster.network *= 1.5;
    ASSERT_LE(GetParam()->time(call, faster, p, k_).time.us, GetParam()->time(call, c, p, k_).time.us);
    Communicator nearer = c;
    nearer.hop_latency = 0.0;
    Communicator farther = c;
    farther.hop_latency = 2.0;
    ASSERT_LE(GetParam()->time(call, nearer, p, k_).time.us, GetParam()->time(call, farther, p, k_).time.us);
  });
}

// What must at least pass one GPU's link, or one node's NICs, whatever the algorithm.
double least_us(const Call& call, const Communicator& c) {
  const double bytes = static_cast<double>(call.bytes), n = c.ranks, q = c.per_node;
  const bool send = call.kind == CollectiveKind::send_recv;
  const bool gather = call.kind == CollectiveKind::all_gather || call.kind == CollectiveKind::reduce_scatter;
  double inside = bytes, across = bytes;  // per GPU link, per node
  if (gather) inside = across = bytes * (n - q) / n;
  if (call.kind == CollectiveKind::all_to_all) inside = bytes * (q - 1) / n, across = q * bytes * (n - q) / n;
  if (gather && c.nodes == 1) inside = bytes * (n - 1) / n;
  if (send && c.nodes > 1) across = bytes * q, inside = 0.0;
  if (c.nodes > 1) return across / (1000.0 * c.network);
  return inside / (1000.0 * c.nvlink);
}

TEST_P(EveryAlgorithm, IsNeverFasterThanTheWire) {
  NetworkConstants perfect = k_;  // links reached in full, no latency to speak of
  perfect.nvlink_rate_ll = perfect.nvlink_rate_ll128 = perfect.nvlink_rate_simple = perfect.network_rate =
      1.0;
  perfect.nvls_rate = perfect.p2p_rate = perfect.p2p_network_rate = 1.0;
  for_each_case([&](const Call& call, const Communicator& c, Protocol p) {
    ASSERT_GE(GetParam()->time(call, c, p, perfect).time.us, least_us(call, c))
        << ops::name_of(GetParam()->id) << " kind " << static_cast<int>(call.kind) << " bytes " << call.bytes
        << " nodes " << c.nodes << " per node " << c.per_node;
  });
}

INSTANTIATE_TEST_SUITE_P(Table, EveryAlgorithm,
                         ::testing::ValuesIn(algorithm_table().begin(), algorithm_table().end()),
                         [](const auto& row) { return std::string(ops::name_of(row.param->id)); });

TEST(AlgorithmTable, IsSortedAndKeepsNcclsOrderApart) {
  const auto table = algorithm_table();
  for (std::size_t i = 1; i < table.size(); ++i) {
    EXPECT_LT(ops::name_of(table[i - 1]->id), ops::name_of(table[i]->id));
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(table[i]->id, table[j]->id);
  }
}

}  // namespace
}  // namespace echo::collective::testing
