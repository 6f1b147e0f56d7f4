#include "parallel/launch/launch_lock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/error.hpp"

namespace echo::parallel {
namespace {

constexpr LockOptions fast{.beat = std::chrono::milliseconds(20), .beats_watched = 5};

struct LaunchLockTest : ::testing::Test {
  LaunchLockTest()
      : folder(std::filesystem::temp_directory_path() / ("echo_lock_" + std::to_string(::getpid()))),
        file(folder / "out.h5") {
    std::filesystem::create_directories(folder);
  }
  ~LaunchLockTest() override { std::filesystem::remove_all(folder); }
  void write_lock(const ProcessPlace& p) const {
    std::ofstream(lock_file(file)) << "echo-sweep lock 1\nhost " << p.host << "\nboot " << p.boot
                                   << "\npid_space " << p.pid_space << "\npid " << p.pid << "\nborn "
                                   << p.born << "\njob " << p.job << "\nrestarts " << p.restarts
                                   << "\nsince yesterday\nbeat 000000000007\n";
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }
  std::filesystem::path folder, file;
};

TEST_F(LaunchLockTest, RefusesASecondLaunchAndSaysWhoIsAtWork) {
  const LaunchLock first(file, fast);
  try {
    const LaunchLock second(file, fast);
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 5);
    EXPECT_NE(std::string(error.what()).find(this_process().host), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(std::to_string(::getpid())), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("since 20"), std::string::npos);
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(LaunchLockTest, LeavesNothingBehind) {
  { const LaunchLock lock(file, fast); }
  EXPECT_EQ(files(), 0u);
  { const LaunchLock again(file, fast); }
  EXPECT_EQ(files(), 0u);
}

TEST_F(LaunchLockTest, OfAProcessThatIsGoneIsTakenAtOnce) {
  ProcessPlace dead = this_process();
  dead.born -= 1;  // the number is in use again, by another process
  write_lock(dead);
  const LaunchLock lock(file, {.beat = std::chrono::hours(1)});
  EXPECT_EQ(read_lock(lock_file(file))->holder, this_process());
  EXPECT_EQ(files(), 1u);
}

TEST_F(LaunchLockTest, OfAnotherHostIsTakenWhenItsBeatStandsStill) {
  ProcessPlace far = this_process();
  far.host = "far-away";
  write_lock(far);
  const LaunchLock lock(file, fast);
  EXPECT_EQ(read_lock(lock_file(file))->holder, this_process());
}

TEST_F(LaunchLockTest, OfAnotherHostIsRespectedWhileItBeats) {
  ProcessPlace far = this_process();
  far.host = "far-away";
  write_lock(far);
  std::jthread heart([this](const std::stop_token& stop) {
    for (std::int64_t beat = 8; !stop.stop_requested(); ++beat) {
      std::fstream lock(lock_file(file), std::ios::in | std::ios::out);
      lock.seekp(-13, std::ios::end);
      lock << 100'000'000'000 + beat << '\n';
      lock.close();
      std::this_thread::sleep_for(fast.beat);
    }
  });
  EXPECT_THROW(LaunchLock(file, fast), UserError);
}

TEST_F(LaunchLockTest, BeatsAndNoticesItsLoss) {
  const LaunchLock lock(file, fast);
  const auto wait_for = [](const auto& is_true) {
    for (int i = 0; i < 500 && !is_true(); ++i) std::this_thread::sleep_for(fast.beat);
    return is_true();
  };
  EXPECT_TRUE(wait_for([this] { return read_lock(lock_file(file))->beat > 2; }));
  EXPECT_FALSE(lock.is_lost());
  ProcessPlace thief = this_process();
  thief.host = "thief";
  std::filesystem::remove(lock_file(file));
  write_lock(thief);
  EXPECT_TRUE(wait_for([&lock] { return lock.is_lost(); }));
}

TEST_F(LaunchLockTest, IsNotTakenFromAStranger) {
  std::ofstream(lock_file(file)) << "somebody's notes\n";
  EXPECT_THROW(LaunchLock(file, fast), UserError);
}

TEST_F(LaunchLockTest, NeedsAFolderThatCanBeWritten) {
  try {
    const LaunchLock lock("/proc/nowhere/out.h5", fast);
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 5);
  }
}

TEST(LockHolder, IsJudgedByHostProcessAndJob) {
  const ProcessPlace here{
      .host = "n1", .boot = "b", .pid_space = "p", .pid = 9, .born = 1, .job = "17", .restarts = 1};
  const auto running = [](bool answer) { return [answer](const ProcessPlace&) { return answer; }; };
  ProcessPlace other = here;
  EXPECT_EQ(judge_holder(other, here, running(true)), Holder::alive);
  EXPECT_EQ(judge_holder(other, here, running(false)), Holder::gone);
  other.pid_space = "a container";  // its numbers mean nothing here
  EXPECT_EQ(judge_holder(other, here, running(false)), Holder::unknown);
  other.restarts = 0;  // the same job, before it was requeued
  EXPECT_EQ(judge_holder(other, here, running(true)), Holder::gone);
  other.job = "18";
  EXPECT_EQ(judge_holder(other, here, running(true)), Holder::unknown);
}

}  // namespace
}  // namespace echo::parallel
