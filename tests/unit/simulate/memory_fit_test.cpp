#include "simulate/report/memory_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/student_t.hpp"

namespace echo::simulate {
namespace {

using training::MemoryPart;

training::MemoryParts parts(std::int64_t weights, std::int64_t activations, std::int64_t fragmentation = 0) {
  training::MemoryUse use;
  use[MemoryPart::weights] = Bytes(weights);
  use[MemoryPart::activations] = Bytes(activations);
  use[MemoryPart::fragmentation] = Bytes(fragmentation);
  return use.part;
}

TEST(StudentT, MatchesTheTables) {  // Abramowitz and Stegun, table 26.10, nu = 4
  EXPECT_DOUBLE_EQ(student_t4_cdf(0.0), 0.5);
  EXPECT_NEAR(student_t4_cdf(1.533), 0.90, 1e-4);
  EXPECT_NEAR(student_t4_cdf(2.132), 0.95, 1e-4);
  EXPECT_NEAR(student_t4_cdf(-4.604), 0.005, 1e-4);
  for (const double p : {0.01, 0.3, 0.5, 0.9, 0.999})
    EXPECT_NEAR(student_t4_cdf(student_t4_quantile(p)), p, 1e-9);
}

TEST(MemoryFit, ErrorLiesBetweenThoseOfItsParts) {
  ErrorModel model;
  model.memory_publication = 0.0;
  EXPECT_NEAR(memory_fit(model, parts(3000, 1000), Bytes(5000)).rel_error,
              std::hypot(0.75 * model.memory_states, 0.25 * model.memory_activations), 1e-9);
  model.memory_publication = 0.1;
  EXPECT_NEAR(memory_fit(model, parts(3000, 1000), Bytes(5000)).rel_error,
              std::hypot(0.1, 0.75 * model.memory_states, 0.25 * model.memory_activations), 1e-9);
}

TEST(MemoryFit, IsEvenWhereTheEstimateMeetsTheLimit) {
  EXPECT_DOUBLE_EQ(memory_fit({}, parts(3000, 1000), Bytes(4000)).chance, 0.5);
}

TEST(MemoryFit, RisesWithTheLimitAndFallsWithTheUse) {
  double last = 0.0;
  for (const std::int64_t limit : {2000, 3500, 4000, 4400, 5000, 8000}) {
    const double chance = memory_fit({}, parts(3000, 1000), Bytes(limit)).chance;
    EXPECT_GT(chance, last);
    last = chance;
  }
  EXPECT_GT(last, 0.999);
  EXPECT_LT(memory_fit({}, parts(3000, 1400), Bytes(4400)).chance,
            memory_fit({}, parts(3000, 1000), Bytes(4400)).chance);
}

TEST(MemoryFit, CountsHalfOfWhatTheAllocatorCaches) {
  EXPECT_DOUBLE_EQ(memory_fit({}, parts(3000, 1000, 400), Bytes(4200)).chance, 0.5);
}

}  // namespace
}  // namespace echo::simulate
