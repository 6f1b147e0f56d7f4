#include "timeline/chrome_trace.hpp"

#include <gtest/gtest.h>

namespace echo::timeline {
namespace {

TEST(ChromeTrace, IsAnEmptyListWithoutTasks) {
  EXPECT_EQ(chrome_trace({}), "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n\n]}\n");
}

TEST(ChromeTrace, WritesOneProcessPerStageAndExactTimes) {
  const std::vector<PlacedTask> placed{
      {0, {TaskKind::forward, 0, 3}, SimTime(1'000'001), SimTime(3'000'001)},
      {1, {TaskKind::backward, 1, 3}, SimTime(0), SimTime(250'000)},
  };
  EXPECT_EQ(chrome_trace(placed),
            "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
            R"({"ph":"M","name":"process_name","pid":0,"tid":0,"args":{"name":"stage 0"}},)"
            "\n"
            R"({"ph":"M","name":"thread_name","pid":0,"tid":0,"args":{"name":"compute"}},)"
            "\n"
            R"({"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"stage 1"}},)"
            "\n"
            R"({"ph":"M","name":"thread_name","pid":1,"tid":0,"args":{"name":"compute"}},)"
            "\n"
            R"({"ph":"X","name":"forward 3","cat":"forward","pid":0,"tid":0,"ts":1.000001,"dur":2,)"
            R"("args":{"chunk":0,"microbatch":3}},)"
            "\n"
            R"({"ph":"X","name":"backward 3","cat":"backward","pid":1,"tid":0,"ts":0,"dur":0.250000,)"
            R"("args":{"chunk":1,"microbatch":3}})"
            "\n]}\n");
}

}  // namespace
}  // namespace echo::timeline
