// How a composed pipeline is held against its slow twin.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "tests/reference/pipeline_twin.hpp"

namespace echo::timeline::twin {

inline std::vector<PlacedTask> sorted(std::vector<PlacedTask> placed) {
  std::sort(placed.begin(), placed.end(), [](const PlacedTask& a, const PlacedTask& b) {
    return std::tie(a.stage, a.task) < std::tie(b.stage, b.task);
  });
  return placed;
}

inline void expect_equal(const Result& slow, const PipelineTimes& fast, const std::string& what) {
  ASSERT_EQ(slow.end, fast.end) << what;
  ASSERT_EQ(slow.stages.size(), fast.stages.size());
  for (std::size_t s = 0; s < slow.stages.size(); ++s) {
    ASSERT_EQ(slow.stages[s].compute_end, fast.stages[s].compute_end) << what << " stage " << s;
    ASSERT_EQ(slow.stages[s].data_end, fast.stages[s].data_end) << what << " stage " << s;
    ASSERT_EQ(slow.stages[s].busy, fast.stages[s].busy) << what << " stage " << s;
    ASSERT_EQ(slow.stages[s].hop_wait, fast.stages[s].hop_wait) << what << " stage " << s;
    ASSERT_EQ(slow.stages[s].gather_wait, fast.stages[s].gather_wait) << what << " stage " << s;
  }
}

}  // namespace echo::timeline::twin
