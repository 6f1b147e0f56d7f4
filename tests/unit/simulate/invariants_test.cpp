#include <gtest/gtest.h>

#include "accuracy/error_table.hpp"
#include "simulate/report/invariants.hpp"

namespace echo::accuracy {
namespace {

TEST(ErrorTable, SummarisesRelativeErrors) {
  const ErrorSummary s = summarise({{"a", 1.0, 1.1}, {"a", 2.0, 1.6}, {"b", 1.0, 1.0}});
  EXPECT_EQ(s.scored, 3);
  EXPECT_NEAR(s.median_ape, 0.1, 1e-12);
  EXPECT_NEAR(s.mean_ape, 0.1, 1e-12);
  EXPECT_NEAR(s.p90_ape, 0.18, 1e-12);  // four fifths of the way from 0.1 to 0.2
  EXPECT_NEAR(s.max_ape, 0.2, 1e-12);
  EXPECT_NEAR(s.bias, -0.1 / 3, 1e-12);
}

TEST(ErrorTable, NamesThatStartWithANumberStandInItsOrderBeforeTheOthers) {
  std::string order;
  for (const auto& [name, errors] :
       summarise_by_group({{"plain", 1, 1}, {"65-512", 1, 1}, {"9-64", 1, 1}, {"1", 1, 1}, {"9-10", 1, 1}}))
    order += name + " ";
  EXPECT_EQ(order, "1 9-10 9-64 65-512 plain ");
}

TEST(ErrorTable, GroupsStandByName) {
  const auto groups = summarise_by_group({{"a", 1.0, 1.1}, {"b", 1.0, 0.5}, {"a", 1.0, 1.3}});
  EXPECT_EQ(groups.at("a").scored, 2);
  EXPECT_NEAR(groups.at("b").bias, -0.5, 1e-12);
}

simulate::StepFacts sound() {
  simulate::StepFacts f{
      .step = SimTime(100), .step_no_slowdown = SimTime(90), .busiest_stage = SimTime(80), .mfu = 0.5};
  f.exposed[0] = SimTime(100);
  return f;
}

TEST(Invariants, EachBrokenFactIsNamed) {
  EXPECT_EQ(simulate::check_step(sound()), nullptr);
  simulate::StepFacts f = sound();
  f.mfu = 1.01;
  EXPECT_STREQ(simulate::check_step(f), "model FLOPs utilisation lies between 0 and 1");
  f = sound();
  f.exposed[1] = SimTime(1);
  EXPECT_STREQ(simulate::check_step(f), "the exposed parts sum to the step");
  f = sound();
  f.exposed[0] = SimTime(101), f.exposed[1] = SimTime(-1);
  EXPECT_STREQ(simulate::check_step(f), "no part of a step is negative");
  f = sound();
  f.busiest_stage = SimTime(101);
  EXPECT_STREQ(simulate::check_step(f), "a step is no shorter than its busiest stage");
}

}  // namespace
}  // namespace echo::accuracy
