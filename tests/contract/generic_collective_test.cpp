// What every textbook collective owes, whatever it is: a new file in network/algorithms is held to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "ops/generic_settings.hpp"
#include "tests/support/alpha_beta_network.hpp"
#include "tests/support/data_movement.hpp"
#include "textbook/algorithm.hpp"

namespace echo::textbook::testing {
namespace {

constexpr std::int32_t sizes[]{2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 24, 31, 32, 33};
constexpr std::int64_t payloads[]{1, 7, 1000, 65537, 1048579, 40000001};
constexpr DimensionKind dimension_kinds[]{DimensionKind::ring, DimensionKind::fully_connected,
                                          DimensionKind::switched, DimensionKind::line};
constexpr CollectiveKind kinds[]{CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                 CollectiveKind::reduce_scatter, CollectiveKind::all_to_all,
                                 CollectiveKind::broadcast};

class EveryGenericAlgorithm : public ::testing::TestWithParam<const Algorithm*> {
 protected:
  static std::string name() { return std::string(ops::name_of(GetParam()->id)); }
  // Calls `check(call, ranks)` on every case that some dimension admits.
  template <class Check>
  void for_each_case(const Check& check) const {
    std::int32_t cases = 0;
    for (const std::int32_t n : sizes)
      for (const CollectiveKind kind : kinds) {
        const bool any = std::ranges::any_of(dimension_kinds,
                                             [&](DimensionKind d) { return GetParam()->admits(kind, d, n); });
        if (!any) continue;
        for (const std::int64_t bytes : payloads) {
          SCOPED_TRACE(name() + " " +
                       std::string(ops::collective_kind_names[static_cast<std::size_t>(kind)]) +
                       " n=" + std::to_string(n) + " bytes=" + std::to_string(bytes));
          ASSERT_NO_FATAL_FAILURE(check(Call{kind, bytes}, n));
          ++cases;
        }
      }
    EXPECT_GT(cases, 20);
  }
  [[nodiscard]] Phases phases(const Call& call, std::int32_t n) const {
    Phases out;
    std::vector<Step> scratch;
    add_phases(*GetParam(), call, n, scratch, out);
    return out;
  }
};

using Sent = std::vector<std::tuple<std::int32_t, std::int32_t, std::int64_t>>;

TEST_P(EveryGenericAlgorithm, SaysWhoItIs) {
  EXPECT_NE(std::string(GetParam()->source), "");
  EXPECT_TRUE(movements().contains(name())) << "tests/support/data_movement.hpp lacks its data";
}

TEST_P(EveryGenericAlgorithm, DeliversWhatTheCollectivePromises) {
  for_each_case([&](const Call& call, std::int32_t n) {
    const Movement moved = movements().at(name())(call.kind, n, call.bytes);
    ASSERT_EQ(play(call.kind, n, moved), "");
  });
}

TEST_P(EveryGenericAlgorithm, SendsWhatTheTextbookSends) {
  for_each_case([&](const Call& call, std::int32_t n) {
    const Movement moved = movements().at(name())(call.kind, n, call.bytes);
    const Phases all = phases(call, n);
    std::size_t t = 0;
    for (const Phase& phase : all.phases) {
      Sent sent;
      for (const Transfer& transfer : all.of(phase))
        sent.emplace_back(transfer.from, transfer.to, transfer.bytes);
      std::ranges::sort(sent);
      for (std::int64_t i = 0; i < phase.repeat; ++i, ++t) {
        ASSERT_LT(t, moved.phases.size());
        Sent want;
        for (const Move& move : moved.phases[t])
          want.emplace_back(move.from, move.to, static_cast<std::int64_t>(move.pieces.size()) * moved.piece);
        std::ranges::sort(want);
        ASSERT_EQ(sent, want) << "phase " << t;
      }
    }
    ASSERT_EQ(t, moved.phases.size());
  });
}

TEST_P(EveryGenericAlgorithm, SendsNoLessThanAnyoneMust) {
  for_each_case([&](const Call& call, std::int32_t n) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(n)), in(out);
    const Phases all = phases(call, n);
    for (const Phase& phase : all.phases)
      for (const Transfer& t : all.of(phase)) {
        out[static_cast<std::size_t>(t.from)] += phase.repeat * t.bytes;
        in[static_cast<std::size_t>(t.to)] += phase.repeat * t.bytes;
      }
    const double whole = static_cast<double>(call.bytes), rest = whole * (n - 1) / n;
    if (call.kind == CollectiveKind::broadcast) {
      for (std::size_t r = 1; r < in.size(); ++r) ASSERT_GE(static_cast<double>(in[r]), whole * (1 - 1e-12));
    } else {
      const double least = rest * (call.kind == CollectiveKind::all_reduce ? 2.0 : 1.0);
      ASSERT_GE(static_cast<double>(*std::ranges::max_element(out)), least * (1 - 1e-12));
      ASSERT_GE(static_cast<double>(*std::ranges::max_element(in)), least * (1 - 1e-12));
    }
  });
}

TEST_P(EveryGenericAlgorithm, TakesAsLongAsItsPhases) {
  std::vector<Step> scratch;
  for_each_case([&](const Call& call, std::int32_t n) {
    const Phases all = phases(call, n);
    for (const DimensionKind kind : dimension_kinds) {
      if (!GetParam()->admits(call.kind, kind, n)) continue;
      for (const double gigabytes : {3.7, 50.0, 900.0}) {
        const Dimension d{.kind = kind,
                          .size = n,
                          .bandwidth = BytesPerSecond(gigabytes * 1e9),
                          .latency = std::chrono::nanoseconds(700)};
        ASSERT_EQ(cost_of(*GetParam(), call, d, scratch).time(), walk(all, d))
            << dimension_kind_names[static_cast<std::size_t>(kind)] << " at " << gigabytes << " GB/s";
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Table, EveryGenericAlgorithm,
                         ::testing::ValuesIn(algorithm_table().begin(), algorithm_table().end()),
                         [](const auto& row) { return std::string(ops::name_of(row.param->id)); });

TEST(GenericAlgorithms, ServeEveryCollectiveOnEveryDimension) {
  for (const CollectiveKind kind : kinds)
    for (const DimensionKind d : dimension_kinds)
      for (const std::int32_t n : sizes)
        EXPECT_TRUE(std::ranges::any_of(algorithm_table(),
                                        [&](const Algorithm* a) { return a->admits(kind, d, n); }));
}

TEST(GenericAlgorithms, AreTheWordsASweepMaySay) {
  EXPECT_EQ(ops::generic_algorithm_names.size(), algorithm_table().size() + 2);  // auto, hierarchical
  for (std::size_t i = 2; i < ops::generic_algorithm_names.size(); ++i) {
    const auto id = static_cast<ops::GenericAlgorithm>(i);
    EXPECT_EQ(std::ranges::count(algorithm_table(), id, &Algorithm::id), 1) << ops::name_of(id);
  }
}

}  // namespace
}  // namespace echo::textbook::testing
