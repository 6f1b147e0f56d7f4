// One look into a database of 30 000 measured products: the same shape, shapes between, and nothing near.
#include <benchmark/benchmark.h>

#include "base/counter_rng.hpp"
#include "kernels/database/database.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace echo::kernels {
namespace {

using testing::gemm;

const std::string& image() {
  static const std::string bytes = [] {
    Profile profile{{"h100-sxm"}, {{}}, {}};
    for (std::int32_t m = 1; m <= 48; ++m)
      for (std::int32_t n = 1; n <= 25; ++n)
        for (std::int32_t k = 1; k <= 25; ++k)
          profile.rows.push_back(
              {.key = gemm(256 * m, 512 * n, 512 * k), .seconds = 1e-6 * (m * n * k + (m + n + k) % 7)});
    KernelConstants constants = testing::plausible_constants();
    constants.name = "h100-sxm";
    return make_image(profile, std::vector{testing::h100()}, std::vector{constants});
  }();
  return bytes;
}

void look_up(benchmark::State& state, std::int32_t step, std::int32_t offset) {
  const Database database(std::as_bytes(std::span(image())));
  std::vector<ops::KernelKey> keys;
  for (std::uint64_t i = 0; i < 1024; ++i) {
    const auto drawn = [&](std::uint64_t salt, std::int32_t sizes) {
      return step * (1 + static_cast<std::int32_t>(mix(4 * i + salt) % static_cast<std::uint64_t>(sizes))) +
             offset;
    };
    keys.push_back(gemm(drawn(0, 24), drawn(1, 24), drawn(2, 24)));
  }
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(database.find("h100-sxm", keys[next++ % keys.size()]));
}
BENCHMARK_CAPTURE(look_up, same_shape, 512, 0);
BENCHMARK_CAPTURE(look_up, shapes_between, 512, 96);
BENCHMARK_CAPTURE(look_up, nothing_near, 1, 0);

}  // namespace
}  // namespace echo::kernels
