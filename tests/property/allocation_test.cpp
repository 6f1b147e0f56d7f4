// A warm simulate() allocates nothing: every buffer lives in the workspace.
#include "tests/support/sanitized.hpp"

#if !defined(ECHO_SANITIZED)  // the sanitizer brings its own operator new

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tests/support/learned_image.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/sample_learned.hpp"

namespace {
std::size_t allocations = 0;
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace echo::simulate {
namespace {

void expect_no_allocations(const Calibration& calibration) {
  const Catalog catalog = support::catalog_with_roomy_gpus();
  Workspace ws;
  std::vector<training::TrainingConfig> configs;
  for (std::uint64_t seed = 0; seed < 300; ++seed) configs.push_back(support::random_config(seed));
  const auto run_all = [&] {
    for (const training::TrainingConfig& c : configs)
      static_cast<void>(simulate(c, catalog, calibration, ws));
  };
  run_all();  // buffers grow, memos fill
  run_all();  // spare block buffers change places once more
  const std::size_t before = allocations;
  run_all();
  EXPECT_EQ(allocations - before, 0U);
}

TEST(WarmSimulate, AllocatesNothing) { expect_no_allocations(support::presets().calibration); }

TEST(WarmSimulate, AllocatesNothingWithALearnedSlowdownModel) {
  for (const std::uint64_t key : {3, 4}) {  // of trees, of networks
    const testing::LearnedImage image(testing::sample_simulator_model(key));
    Calibration calibration = support::presets().calibration;
    calibration.learned = image.view();
    expect_no_allocations(calibration);
  }
}

}  // namespace
}  // namespace echo::simulate

#endif
