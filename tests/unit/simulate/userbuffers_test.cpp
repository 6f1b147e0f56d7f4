#include "simulate/prices/userbuffers.hpp"

#include <gtest/gtest.h>

#include "tests/support/traced_workload.hpp"

namespace echo::simulate {
namespace {

struct Priced {
  workload::Workload work;
  Prices prices;
};

// The workload of a step with overlapped products; every collective holds 24 SMs, numbered from 0.
Priced priced() {
  training::TrainingConfig c = support::a_config({.tensor = 2});
  c.sequence_parallel = c.overlap.tensor = true;
  Priced out{.work = support::traced(c, support::tiny_llama(), support::plain_framework()), .prices = {}};
  out.prices.kernels.resize(out.work.kernels.size());
  for (std::size_t i = 0; i < out.work.collectives.size(); ++i) {
    out.prices.collectives.push_back({.channels = 24, .memory_rate = 1e11});
    out.prices.collective_number.push_back(static_cast<std::int32_t>(i));
  }
  return out;
}

TEST(Userbuffers, GathersAndScattersHoldTheSmsSetAside) {
  Priced p = priced();
  on_userbuffers(p.work, false, p.prices);
  int gathers = 0, scatters = 0;
  for (std::size_t i = 0; i < p.work.collectives.size(); ++i) {
    const bool changed = p.prices.collective_number[i] != static_cast<std::int32_t>(i);
    const std::int32_t channels = p.prices.collectives[i].channels;
    EXPECT_EQ(changed, channels != 24) << "a pair of other channels needs another number";
    EXPECT_EQ(p.prices.collectives[i].memory_rate, 1e11);
    if (!changed) continue;
    const bool gather = p.work.collectives[i].kind == ops::CollectiveKind::all_gather;
    EXPECT_EQ(channels, gather ? 2 : 16);
    ++(gather ? gathers : scatters);
  }
  EXPECT_GT(gathers, 0);
  EXPECT_GT(scatters, 0);
}

TEST(Userbuffers, CopyEnginesHoldNone) {
  Priced p = priced();
  on_userbuffers(p.work, true, p.prices);
  for (std::size_t i = 0; i < p.work.collectives.size(); ++i)
    EXPECT_TRUE(p.prices.collectives[i].channels == 24 || p.prices.collectives[i].channels == 0);
}

TEST(Userbuffers, FewerChannelsOfNcclStay) {
  Priced p = priced();
  for (ops::CollectiveEstimate& one : p.prices.collectives) one.channels = 1;
  on_userbuffers(p.work, false, p.prices);
  for (const ops::CollectiveEstimate& one : p.prices.collectives) EXPECT_EQ(one.channels, 1);
}

}  // namespace
}  // namespace echo::simulate
