#include "simulate/report/invariants.hpp"

#include <gtest/gtest.h>

namespace echo::simulate {
namespace {

StepFacts sound() {
  StepFacts f{
      .step = SimTime(100), .step_no_slowdown = SimTime(90), .busiest_stage = SimTime(80), .mfu = 0.5};
  f.exposed[0] = SimTime(100);
  return f;
}

TEST(Invariants, EachBrokenFactIsNamed) {
  EXPECT_EQ(check_step(sound()), nullptr);
  StepFacts f = sound();
  f.mfu = 1.01;
  EXPECT_STREQ(check_step(f), "model FLOPs utilisation lies between 0 and 1");
  f = sound();
  f.exposed[1] = SimTime(1);
  EXPECT_STREQ(check_step(f), "the exposed parts sum to the step");
  f = sound();
  f.exposed[0] = SimTime(101), f.exposed[1] = SimTime(-1);
  EXPECT_STREQ(check_step(f), "no part of a step is negative");
  f = sound();
  f.busiest_stage = SimTime(101);
  EXPECT_STREQ(check_step(f), "a step is no shorter than its busiest stage");
}

}  // namespace
}  // namespace echo::simulate
