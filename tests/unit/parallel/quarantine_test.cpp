#include "parallel/launch/quarantine.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "parallel/journal/claim_page.hpp"
#include "parallel/launch/crash_signal.hpp"
#include "tests/support/journal_folder.hpp"

namespace echo::parallel {
namespace {

using Points = std::vector<sweep::PointIndex>;

// Workers that hold a point and die, each in a process of its own. signal 0: SIGKILL.
struct QuarantineTest : ::testing::Test, JournalFolder {
  QuarantineTest() { std::filesystem::create_directories(folder); }
  void die(std::int32_t launch, std::int32_t worker, sweep::PointIndex point, int signal) const {
    const pid_t child = ::fork();
    if (child == 0) {
      watch_crashes();
      ClaimPage page(folder, {.sweep = {.sweep_key = "key"}, .launch = launch, .worker = worker});
      page.hold(point);
      if (signal == SIGTERM) note_termination();
      std::raise(signal == 0 || signal == SIGTERM ? SIGKILL : signal);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);  // a sanitizer ends it by exit()
  }
  [[nodiscard]] Quarantine look(const IdSet& done = {}, std::span<const results::Failure> told = {}) const {
    return find_quarantine(folder, "key", done, told);
  }
};

TEST_F(QuarantineTest, PoisonsAtOnceThePointThatCrashed) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    die(3, 2, 40 + signal, signal);
    const Quarantine found = look();
    ASSERT_EQ(found.poisoned.size(), 1u);
    EXPECT_EQ(found.poisoned[0].id, 40 + signal);
    EXPECT_EQ(found.poisoned[0].message,
              "killed its process with signal " + std::to_string(signal) + " (launch 3, worker 2)");
    EXPECT_TRUE(found.suspects.empty());
    std::filesystem::remove(folder / worker_file_name(3, 2, ".claim"));
  }
}

TEST_F(QuarantineTest, OnlySuspectsAPointWhoseWorkerVanished) {
  die(0, 0, 7, 0);
  EXPECT_TRUE(look().poisoned.empty());
  EXPECT_EQ(look().suspects, Points{7});
  die(1, 0, 7, 0);
  EXPECT_EQ(look().suspects, Points{7});
  die(2, 4, 7, 0);
  ASSERT_EQ(look().poisoned.size(), 1u);
  EXPECT_EQ(look().poisoned[0].message, "was in hand 3 times when its process was killed (launches 0, 1, 2)");
  EXPECT_TRUE(look().suspects.empty());
}

TEST_F(QuarantineTest, DoesNotSuspectTheCompanionsOfACrash) {
  die(0, 0, 7, SIGSEGV);
  die(0, 1, 8, 0);
  EXPECT_TRUE(look().suspects.empty());
}

TEST_F(QuarantineTest, SuspectsAWorkerThatWasAskedToEndOnlyTheSecondTime) {
  die(0, 0, 7, SIGTERM);
  EXPECT_TRUE(look().suspects.empty());
  die(1, 0, 7, SIGTERM);
  EXPECT_EQ(look().suspects, Points{7});
}

TEST_F(QuarantineTest, ForgetsPointsThatAreDoneOrWereToldOfSince) {
  die(2, 0, 7, SIGSEGV);
  EXPECT_TRUE(look(IdSet({{7, 8}})).poisoned.empty());
  const std::vector<results::Failure> later{{7, 3, "killed its process"}};
  EXPECT_TRUE(look({}, later).poisoned.empty());  // tried again since, as --retry-failed asks
  const std::vector<results::Failure> earlier{{7, 1, "threw"}};
  EXPECT_EQ(look({}, earlier).poisoned.size(), 1u);
}

TEST_F(QuarantineTest, IgnoresIdleWorkersOtherSweepsAndGarbage) {
  die(0, 0, no_point, SIGSEGV);
  EXPECT_TRUE(find_quarantine(folder, "other", {}, {}).poisoned.empty());
  std::filesystem::resize_file(folder / worker_file_name(0, 0, ".claim"), 60);
  EXPECT_TRUE(look().poisoned.empty() && look().suspects.empty());
}

TEST_F(QuarantineTest, AWorkerThatEndsInOrderLeavesNoPage) {
  { ClaimPage page(folder, {.sweep = {.sweep_key = "key"}}); }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace echo::parallel
