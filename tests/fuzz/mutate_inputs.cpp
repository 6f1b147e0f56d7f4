// Runs mutated inputs through the entry points of the fuzzers, each in a process of its own, with limits on
// time and memory: mutate_inputs COUNT [TARGET...] runs COUNT of each target (default: all), and says of each
// that fails which it was; mutate_inputs --one TARGET NUMBER runs that one again here, and writes it to the
// file TARGET-NUMBER. Exits 1 where one failed.
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

#include "base/memory_limit.hpp"
#include "tests/fuzz/mutations.hpp"
#include "tests/support/source_dir.hpp"

#define ECHO_FUZZ_TARGET(name) extern "C" int fuzz_##name(const std::uint8_t*, std::size_t);
#include "fuzz_targets.inc"
#undef ECHO_FUZZ_TARGET

namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  int (*run)(const std::uint8_t*, std::size_t);
};
constexpr Target targets[] = {
#define ECHO_FUZZ_TARGET(name) {#name, fuzz_##name},
#include "fuzz_targets.inc"
#undef ECHO_FUZZ_TARGET
};

constexpr int longest_seconds = 10;     // of the processor: other jobs may have the machine
constexpr unsigned longest_wait = 300;  // by the clock: what waits for something that does not come
constexpr std::int64_t most_memory = std::int64_t{512} << 20;  // of an input of up to 256 KiB
constexpr int memory_exit = 99;

// The fuzzer's corpus, in an order that does not depend on the file system; bytes of no meaning where it has
// none.
std::vector<std::string> seeds_of(const char* target) {
  std::vector<std::string> seeds;
  const fs::path folder = fs::path(echo::support::source_dir()) / "tests" / "fuzz" / "corpus" / target;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    std::ifstream in(entry.path(), std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  if (seeds.empty()) seeds.emplace_back(32, '\0');
  std::sort(seeds.begin(), seeds.end());
  return seeds;
}

void run_one(const Target& target, const std::vector<std::string>& seeds, std::uint64_t number) {
  const std::string input = echo::fuzz::mutated(seeds, number);
  const itimerval limit{{0, 0}, {longest_seconds, 0}}, none{};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
  ::alarm(longest_wait);
  try {
    const echo::MemoryMeter meter(most_memory);
    target.run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  } catch (const std::bad_alloc&) {
    std::_Exit(memory_exit);
  }
  ::alarm(0);
  ::setitimer(ITIMER_PROF, &none, nullptr);
}

const char* words_of(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == memory_exit) return "took more than 512 MiB";
  if (WIFEXITED(status)) return "ended its process";
  if (WTERMSIG(status) == SIGPROF) return "took more than 10 s";
  if (WTERMSIG(status) == SIGALRM) return "waits for ever";
  return ::strsignal(WTERMSIG(status));
}

// How many failed. Each failure ends a process; the next goes on behind it.
int run_all(const Target& target, std::uint64_t count) {
  const std::vector<std::string> seeds = seeds_of(target.name);
  auto* const now = static_cast<std::atomic<std::uint64_t>*>(
      ::mmap(nullptr, sizeof(std::atomic<std::uint64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
             -1, 0));
  int failures = 0;
  for (*now = 0; *now < count;) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
      for (; *now < count; ++*now) run_one(target, seeds, *now);
      std::exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    std::printf("%s %llu: %s\n", target.name, static_cast<unsigned long long>(now->load()), words_of(status));
    constexpr int enough = 20;
    if (++failures == enough) break;
    ++*now;
  }
  std::printf("%-12s %llu inputs, %d failed\n", target.name, static_cast<unsigned long long>(now->load()),
              failures);
  ::munmap(now, sizeof *now);
  return failures;
}

const Target* target_named(std::string_view name) {
  const auto* const found = std::find_if(std::begin(targets), std::end(targets),
                                         [&](const Target& one) { return one.name == name; });
  return found == std::end(targets) ? nullptr : found;
}

int usage() {
  std::fputs("mutate_inputs COUNT [TARGET...] | mutate_inputs --one TARGET NUMBER\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "--one") {
    const Target* const target = target_named(words[1]);
    if (target == nullptr) return usage();
    const std::uint64_t number = std::strtoull(words[2].c_str(), nullptr, 10);
    const std::vector<std::string> seeds = seeds_of(target->name);
    std::ofstream(words[1] + "-" + words[2], std::ios::binary) << echo::fuzz::mutated(seeds, number);
    run_one(*target, seeds, number);
    return 0;
  }
  const std::uint64_t count = words.empty() ? 0 : std::strtoull(words[0].c_str(), nullptr, 10);
  if (count == 0) return usage();
  std::string folder = (fs::temp_directory_path() / "echo-mutations-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return usage();
  ::setenv("TMPDIR", folder.c_str(), 1);  // what a process that died left behind goes with it
  int failures = 0;
  for (const Target& target : targets)
    if (words.size() == 1 || std::find(words.begin() + 1, words.end(), target.name) != words.end())
      failures += run_all(target, count);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return failures == 0 ? 0 : 1;
}
