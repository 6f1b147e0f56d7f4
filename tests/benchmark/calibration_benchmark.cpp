// A loop that no change of the program makes faster or slower: figures of different machines and moments are
// compared as ratios to it (compare.py). Dependent look-ups in a table that fits the second-level cache,
// with a branch that depends on them, as the program does most of the time.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

namespace echo {
namespace {

void calibration(benchmark::State& state) {
  constexpr std::uint32_t entries = 1U << 16;
  std::vector<std::uint32_t> next(entries);
  for (std::uint32_t i = 0; i < entries; ++i) next[i] = (i * 40'503U + 12'345U) % entries;
  std::uint32_t place = 0;
  double sum = 0.0;
  for (auto _ : state) {
    for (int i = 0; i < 1'000'000; ++i) {
      place = next[place];
      sum = (place & 3U) == 0 ? sum * 0.5 : sum + place;
    }
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(calibration)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace echo
