// Runs seeds of the simulated launch.
//   launch_simulation FIRST COUNT [MISTAKE]   prints the first seed that breaks a promise; exit 1
//   launch_simulation --trace SEED [MISTAKE]  everything that happened, for one seed
// MISTAKE 1 .. 5: one that earlier versions made is put back (launch_simulation.hpp).
#include "tests/simulation/launch_simulation.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using echo::simulation::Mistake;

Mistake mistake_of(const char* text) { return static_cast<Mistake>(text == nullptr ? 0 : std::atoi(text)); }

int trace(std::uint64_t seed, Mistake mistake) {
  const auto outcome = echo::simulation::simulate_launches(seed, {mistake, true});
  for (const auto& event : outcome.trace) std::puts(event.c_str());
  std::printf("seed %llu: %s, %lld steps, %lld launches\n", static_cast<unsigned long long>(seed),
              outcome.broken.empty() ? "kept" : outcome.broken.c_str(), static_cast<long long>(outcome.steps),
              static_cast<long long>(outcome.launches));
  return outcome.broken.empty() ? 0 : 1;
}

int run(std::uint64_t first, std::uint64_t count, Mistake mistake) {
  const auto start = std::chrono::steady_clock::now();
  std::array<std::int64_t, echo::simulation::fault_count> faults{};
  std::int64_t steps = 0, launches = 0, finished = 0, takeovers = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto outcome = echo::simulation::simulate_launches(seed, {mistake, false});
    if (!outcome.broken.empty()) {
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), outcome.broken.c_str());
      return 1;
    }
    steps += outcome.steps;
    launches += outcome.launches;
    finished += outcome.finished;
    takeovers += outcome.takeovers;
    for (std::size_t i = 0; i < faults.size(); ++i) faults[i] += outcome.faults[i];
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf(
      "%llu seeds kept every promise: %lld launches, %lld finished a file, %lld took over from a\n"
      "launch that lived, %lld steps, %.1f s, %.0f seeds a second\n",
      static_cast<unsigned long long>(count), static_cast<long long>(launches),
      static_cast<long long>(finished), static_cast<long long>(takeovers), static_cast<long long>(steps),
      seconds, static_cast<double>(count) / seconds);
  for (std::size_t i = 0; i < faults.size(); ++i)
    std::printf("%-18s %lld\n", name_of(static_cast<echo::simulation::Fault>(i)),
                static_cast<long long>(faults[i]));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: launch_simulation FIRST COUNT [MISTAKE] | --trace SEED [MISTAKE]\n");
    return 2;
  }
  const Mistake mistake = mistake_of(argc > 3 ? argv[3] : nullptr);
  if (std::strcmp(argv[1], "--trace") == 0) return trace(std::strtoull(argv[2], nullptr, 10), mistake);
  return run(std::strtoull(argv[1], nullptr, 10), std::strtoull(argv[2], nullptr, 10), mistake);
}
