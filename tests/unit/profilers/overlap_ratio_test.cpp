#include "profilers/overlap/overlap_ratio.hpp"

#include <gtest/gtest.h>

namespace echo::profilers {
namespace {

TEST(RatioOfAlone, UndoesAnOverlapThatStretchesOnlyWhatItCovers) {
  for (const double ratio : {0.0, 0.25, 0.5, 1.0})
    for (const double factor : {1.0, 1.3, 4.0}) {
      const double alone = 10.0, inside = ratio * alone * factor, overlapped = inside + (1.0 - ratio) * alone;
      EXPECT_NEAR(ratio_of_alone(inside / overlapped, overlapped, alone), ratio, 1e-12);
    }
  EXPECT_EQ(ratio_of_alone(0.2, 30.0, 10.0), 0.0);  // noise must not leave 0..1
}

}  // namespace
}  // namespace echo::profilers
