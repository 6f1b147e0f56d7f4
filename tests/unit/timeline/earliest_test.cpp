// The tournament against looking through all stages.
#include "timeline/patterns/earliest.hpp"

#include <gtest/gtest.h>

#include "base/counter_rng.hpp"

namespace echo::timeline {
namespace {

TEST(Earliest, IsTheFirstOfTheSmallest) {
  for (const std::int32_t stages : {1, 2, 3, 5, 8, 13, 64}) {
    Earliest earliest;
    earliest.start(stages);
    std::vector<SimTime> times(static_cast<std::size_t>(stages), SimTime::zero());
    for (std::uint64_t i = 0; i < 500; ++i) {
      ASSERT_EQ(earliest.first(), std::min_element(times.begin(), times.end()) - times.begin()) << stages;
      const auto stage = static_cast<std::int32_t>(draw(1, i, 0) % static_cast<std::uint64_t>(stages));
      const SimTime time =
          i % 17 == 0 ? Earliest::never : SimTime(static_cast<std::int64_t>(draw(1, i, 1) % 9));
      times[static_cast<std::size_t>(stage)] = time;
      earliest.set(stage, time);
    }
  }
}

}  // namespace
}  // namespace echo::timeline
