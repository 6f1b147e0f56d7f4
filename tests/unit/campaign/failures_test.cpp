// Failures in closed form against the event loop of tests/support/failing_job.hpp, and their laws.
#include "campaign/failures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "campaign/checkpoint_interval.hpp"
#include "campaign/finish_time.hpp"
#include "tests/support/failing_job.hpp"

namespace echo::campaign {
namespace {

constexpr double minute = 60.0, hour = 3600.0;

struct Case {
  const char* name;
  FailureProcess process;
  double work;
  int segments;
};

// From a quiet job to one that hardly advances.
const Case cases[] = {
    {"quiet", {.rate = 1.0 / (400 * hour), .stall = 30, .downtime = 10 * minute}, hour, 200},
    {"llama3", {.rate = 1.0 / (2.78 * hour), .stall = 5, .downtime = 12 * minute}, 10 * minute, 400},
    {"async",
     {.rate = 1.0 / (3 * hour), .stall = 2, .durable = 8 * minute, .downtime = 9 * minute},
     10 * minute,
     300},
    {"back to back",
     {.rate = 1.0 / hour, .stall = 0, .durable = 20 * minute, .downtime = 5 * minute},
     20 * minute,
     100},
    {"busy", {.rate = 1.0 / (20 * minute), .stall = minute, .downtime = 15 * minute}, 20 * minute, 50},
    {"no spare",
     {.rate = 1.0 / (10 * hour), .stall = 20, .downtime = 8 * minute, .repair = 4 * hour},
     30 * minute,
     400},
    {"some spares",
     {.rate = 1.0 / (3 * hour), .stall = 20, .downtime = 8 * minute, .repair = 8 * hour, .spares = 3},
     30 * minute,
     600},
};

struct Sample {
  double mean = 0.0, variance = 0.0, third = 0.0, error = 0.0;  // error: of the mean, one standard error
};

Sample sample_of(const std::vector<double>& values) {
  Sample s;
  const double n = static_cast<double>(values.size());
  for (const double v : values) s.mean += v / n;
  for (const double v : values) s.variance += (v - s.mean) * (v - s.mean) / (n - 1);
  for (const double v : values) s.third += std::pow(v - s.mean, 3) / n;
  s.error = std::sqrt(s.variance / n);
  return s;
}

std::vector<double> run_often(const Case& c, int times, Repairs repairs = Repairs::exponential) {
  std::vector<double> ends;
  for (int i = 0; i < times; ++i)
    ends.push_back(FailingJob(c.process, static_cast<std::uint64_t>(i) + 1, repairs).run(c.work, c.segments));
  return ends;
}

TEST(FailuresTest, MeanIsThatOfTheEventLoopWithinItsStandardError) {
  for (const Case& c : cases) {
    const Sample seen = sample_of(run_often(c, 4000));
    const double expected = c.segments * segment_time(c.process, c.work).mean;
    // Spares start complete, so that a job that has some waits a little less at first.
    const double slack = c.process.spares > 0 ? 0.003 * expected : 0.0;
    EXPECT_NEAR(seen.mean, expected, 3.0 * seen.error + slack) << c.name;
    EXPECT_LT(3.0 * seen.error, 0.05 * expected) << c.name << ": too few runs to say anything";
  }
}

TEST(FailuresTest, SpreadIsThatOfTheEventLoop) {
  for (const Case& c : cases) {
    if (c.process.spares > 0) continue;  // waits of different failures are taken as independent
    const Sample seen = sample_of(run_often(c, 20000));
    const Cumulants expected = static_cast<double>(c.segments) * segment_time(c.process, c.work);
    EXPECT_NEAR(std::sqrt(seen.variance / expected.variance), 1.0, 0.03) << c.name;
    EXPECT_NEAR(seen.third / expected.third, 1.0, 0.25) << c.name;
  }
}

TEST(FailuresTest, PercentilesHoldForThatShareOfRuns) {
  for (const Case& c : cases) {
    const std::vector<double> ends = run_often(c, 4000);
    const double trained = c.segments * (c.work + c.process.stall);
    const FinishTime finish{.time = static_cast<double>(c.segments) * segment_time(c.process, c.work),
                            .least = trained,
                            .chance_least = chance_of_none(c.process, trained)};
    for (const double p : {0.5, 0.9}) {
      const double limit = finish_quantile(finish, p);
      double below = 0.0;
      for (const double end : ends) below += end <= limit * (1.0 + 1e-9) ? 1.0 / 4000 : 0.0;
      if (p <= finish.chance_least)
        EXPECT_DOUBLE_EQ(limit, finish.least) << c.name;
      else
        EXPECT_NEAR(below, p, c.process.spares > 0 ? 0.06 : 0.03) << c.name << " " << p;
    }
  }
}

TEST(FailuresTest, TimeOfRepairsMattersByItsMeanAlone) {
  for (const Case& c : cases) {
    if (c.process.repair <= 0.0) continue;
    const Sample seen = sample_of(run_often(c, 4000, Repairs::fixed));
    const double expected = c.segments * segment_time(c.process, c.work).mean;
    EXPECT_NEAR(seen.mean, expected, 3.0 * seen.error + 0.01 * expected) << c.name;
  }
}

TEST(FailuresTest, MeanIsDalys) {
  for (const Case& c : cases) {
    FailureProcess p = c.process;
    p.repair = 0.0;
    const double between = 1.0 / p.rate;
    const double daly =
        between * std::exp((p.downtime + p.durable) / between) * std::expm1((c.work + p.stall) / between);
    EXPECT_NEAR(segment_time(p, c.work).mean / daly, 1.0, 1e-12) << c.name;
  }
}

TEST(FailuresTest, WithoutFailuresOnlyCheckpointsCost) {
  const FailureProcess p{.rate = 0.0, .stall = 30.0, .downtime = hour, .repair = 9 * hour};
  EXPECT_DOUBLE_EQ(goodput_of(p, 570.0), 0.95);
  EXPECT_DOUBLE_EQ(segment_time(p, 570.0).variance, 0.0);
}

TEST(FailuresTest, WhereNothingGetsDoneGoodputIsZero) {
  const FailureProcess p{.rate = 1.0, .stall = 30.0, .downtime = hour};
  EXPECT_EQ(goodput_of(p, 600.0), 0.0);
  EXPECT_TRUE(std::isinf(segment_time(p, 600.0).mean));
}

// One server: load / (1 + load). Two: load^2 / 2 / (1 + load + load^2 / 2).
TEST(FailuresTest, WaitingIsErlangs) {
  const auto share = [](double load, std::int64_t spares) {
    return waiting_share({.rate = load / hour, .repair = hour, .spares = spares});
  };
  EXPECT_DOUBLE_EQ(share(0.5, 0), 0.5 / 1.5);
  EXPECT_DOUBLE_EQ(share(0.5, 1), 0.125 / 1.625);
  EXPECT_DOUBLE_EQ(share(0.0, 0), 0.0);
  EXPECT_LT(share(3.0, 30), 1e-15);
}

TEST(FailuresTest, GoodputFallsWithEachMisfortune) {
  for (const Case& c : cases) {
    const double before = goodput_of(c.process, c.work);
    EXPECT_GT(before, 0.0);
    EXPECT_LT(before, 1.0);
    for (double FailureProcess::*member :
         {&FailureProcess::rate, &FailureProcess::stall, &FailureProcess::durable, &FailureProcess::downtime,
          &FailureProcess::repair}) {
      FailureProcess worse = c.process;
      worse.*member = worse.*member * 1.25 + (worse.*member > 0.0 ? 0.0 : 60.0);
      EXPECT_LT(goodput_of(worse, c.work), before) << c.name;
    }
    if (c.process.repair <= 0.0) continue;
    FailureProcess better = c.process;
    ++better.spares;
    EXPECT_GT(goodput_of(better, c.work), before) << c.name;
  }
}

TEST(CheckpointIntervalTest, BestIsBestOfAFineScan) {
  for (const Case& c : cases) {
    const double best = best_interval(c.process);
    if (c.process.stall <= 0.0) {
      EXPECT_EQ(best, 0.0);
      continue;
    }
    double most = 0.0, at_most = 0.0;
    for (double work = best / 20; work < best * 20; work *= 1.001) {
      const double goodput = goodput_of(c.process, work);
      if (goodput > most) most = goodput, at_most = work;
    }
    EXPECT_NEAR(at_most / best, 1.0, 0.002) << c.name;
    EXPECT_GE(goodput_of(c.process, best), most * (1.0 - 1e-12)) << c.name;
  }
}

TEST(CheckpointIntervalTest, ApproximationsMeetItWhereFailuresAreRare) {
  for (const double stall : {1e-6, 1e-3, 1.0, 30.0}) {
    const FailureProcess p{.rate = 1.0 / (1000 * hour), .stall = stall};
    EXPECT_NEAR(young_interval(p) / best_interval(p), 1.0, 0.003) << stall;
    EXPECT_NEAR(daly_interval(p) / best_interval(p), 1.0, 1e-6) << stall;
  }
  // Where a checkpoint takes longer than the time between failures, one interval is near one such time.
  const FailureProcess often{.rate = 1.0 / 60.0, .stall = 600.0};
  EXPECT_NEAR(best_interval(often), 60.0, 0.01);
  EXPECT_EQ(daly_interval(often), 60.0);
}

TEST(CheckpointIntervalTest, WritesDoNotOverlapAndNoRunIsShorter) {
  const FailureProcess p{.rate = 1e-4, .stall = 5.0, .durable = 300.0};
  EXPECT_EQ(possible_interval(p, 60.0, 1e6), 295.0);
  EXPECT_EQ(possible_interval(p, 600.0, 1e6), 600.0);
  EXPECT_EQ(possible_interval(p, 600.0, 500.0), 500.0);
}

TEST(FinishTimeTest, StepErrorAloneGivesItsOwnPercentiles) {
  const FinishTime t{
      .time = {1000.0, 0.0, 0.0}, .least = 1000.0, .chance_least = 1.0, .step_spread = spread_of_p90(0.1)};
  EXPECT_NEAR(finish_quantile(t, 0.5), 1000.0, 1e-9);
  EXPECT_NEAR(finish_quantile(t, 0.9), 1000.0 * std::exp(0.1), 1e-6);
}

TEST(FinishTimeTest, PercentilesOfFailuresAndStepErrorTogether) {
  for (const Case& c : cases) {
    const double spread = 0.06;
    FinishTime finish{.time = static_cast<double>(c.segments) * segment_time(c.process, c.work),
                      .step_spread = spread};
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal(0.0, spread);
    std::vector<double> ends = run_often(c, 4000);
    for (double& end : ends) end *= std::exp(normal(random));
    for (const double p : {0.5, 0.9}) {
      const double limit = finish_quantile(finish, p);
      double below = 0.0;
      for (const double end : ends) below += end <= limit ? 1.0 / 4000 : 0.0;
      EXPECT_NEAR(below, p, 0.03) << c.name << " " << p;
    }
    EXPECT_LE(finish_quantile(finish, 0.5), finish_quantile(finish, 0.9));
  }
}

}  // namespace
}  // namespace echo::campaign
