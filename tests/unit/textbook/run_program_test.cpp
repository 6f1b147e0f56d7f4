#include "textbook/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/textbook/message_programs.hpp"

namespace echo::textbook {
namespace {

using ::testing::HasSubstr;

Dimension on_switch(std::int32_t size) {
  return {.kind = DimensionKind::switched,
          .size = size,
          .bandwidth = BytesPerSecond(1e9),
          .latency = std::chrono::nanoseconds(100)};
}

machine::CollectiveProgram two_to_one() {
  testing::ProgramWriter out(3);
  out.phase({{1, 0, 1000}, {2, 0, 1000}});
  return out.done();
}

TEST(RunProgram, SharesAPortWhereMessagesNoticeEachOther) {
  const Dimension d = on_switch(3);
  const auto time = [&](machine::LinkSharing sharing) {
    return run_program(two_to_one(), 0, std::span(&d, 1), {.sharing = sharing})->time();
  };
  EXPECT_EQ(time(machine::LinkSharing::unaware), std::chrono::nanoseconds(1100));
  EXPECT_EQ(time(machine::LinkSharing::aware), std::chrono::nanoseconds(2100));
}

TEST(RunProgram, ScalesWithTheCall) {
  machine::CollectiveProgram program = two_to_one();
  const Dimension d = on_switch(3);
  program.bytes = 2000;
  EXPECT_EQ(run_program(program, 6000, std::span(&d, 1), {})->scale_up, std::chrono::nanoseconds(3000));
  program.bytes = 0;
  EXPECT_EQ(run_program(program, 6000, std::span(&d, 1), {})->scale_up, std::chrono::nanoseconds(1000));
}

TEST(RunProgram, NamesAStepThatNeverEnds) {
  machine::CollectiveProgram program = two_to_one();
  EXPECT_EQ(why_stuck(program), "");
  program.steps[0].tag = 7;  // rank 0 waits for another message of rank 1
  EXPECT_THAT(why_stuck(program), HasSubstr("step 0 of rank 0, a receive from rank 1, never ends"));
  const Dimension d = on_switch(3);
  EXPECT_FALSE(run_program(program, 0, std::span(&d, 1), {}).has_value());
}

TEST(RunProgram, ReductionsTakeMemory) {
  machine::CollectiveProgram program = two_to_one();
  for (machine::ProgramStep& step : program.steps)
    step.reduces = step.kind == machine::ProgramStepKind::receive;
  const Dimension d = on_switch(3);
  EXPECT_EQ(run_program(program, 0, std::span(&d, 1), {.reduction_memory = BytesPerSecond(1e9)})->endpoint,
            std::chrono::nanoseconds(3000));
}

}  // namespace
}  // namespace echo::textbook
