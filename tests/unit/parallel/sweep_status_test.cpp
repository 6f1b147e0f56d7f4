#include "parallel/launch/sweep_status.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.hpp"
#include "parallel/dispatch/shard.hpp"
#include "tests/support/journal_folder.hpp"

namespace echo::parallel {
namespace {

// A journal folder in its place beside a result file.
struct SweepStatusTest : ::testing::Test {
  SweepStatusTest()
      : base(std::filesystem::temp_directory_path() / ("echo_status_" + std::to_string(::getpid()))),
        file(base / "out.h5") {
    std::filesystem::create_directories(base);
  }
  ~SweepStatusTest() override { std::filesystem::remove_all(base); }
  void write_journal(sweep::PointIndex rows, const std::string& shard = "") const {
    JournalHeader header = JournalFolder::header(0, 0);
    header.sweep.name = "named";
    header.sweep.shard = shard;
    Journal journal(journal_folder(file), header);
    for (sweep::PointIndex id = 0; id < rows; ++id) {
      const sweep::Row row = JournalFolder::sample(id);
      journal.append({&row, 1});
    }
  }
  std::filesystem::path base, file;
};

TEST_F(SweepStatusTest, OfNothingIsAbsent) {
  EXPECT_EQ(look_at(file).state, SweepStatus::State::absent);
  EXPECT_TRUE(std::filesystem::is_empty(base));  // it never writes
}

TEST_F(SweepStatusTest, CountsWhatIsInTheJournals) {
  write_journal(10);
  const SweepStatus status = look_at(file);
  EXPECT_EQ(status.state, SweepStatus::State::resumable);
  EXPECT_EQ(status.name, "named");
  EXPECT_EQ(status.done, 10);
  EXPECT_EQ(status.total, 100);
  EXPECT_EQ(status.by_status[0] + status.by_status[1], 10);
  EXPECT_EQ(status.launches.at(0).stop_reason, "killed");
  EXPECT_TRUE(status.journal_age && *status.journal_age < 60.0);
}

TEST_F(SweepStatusTest, OfAShardCountsTheShardsPoints) {
  write_journal(10, "2/2");
  EXPECT_EQ(look_at(file).total, 100 - shard_block);
}

TEST_F(SweepStatusTest, OfADamagedFileCountsTheJournalsAndTellsTheDamage) {
  std::ofstream(file) << "not HDF5";
  EXPECT_THROW(static_cast<void>(look_at(file)), UserError);  // it is all there is
  write_journal(10);
  const SweepStatus status = look_at(file);
  EXPECT_EQ(status.state, SweepStatus::State::resumable);
  EXPECT_EQ(status.done, 10);
  EXPECT_NE(status.damage, "");
}

TEST_F(SweepStatusTest, SaysWhoIsAtWork) {
  write_journal(10);
  const LaunchLock lock(file);
  const SweepStatus status = look_at(file);
  EXPECT_EQ(status.state, SweepStatus::State::running);
  EXPECT_EQ(status.holder, Holder::alive);
  EXPECT_EQ(status.lock->holder, this_process());
  EXPECT_EQ(status.launches.at(0).stop_reason, "running");
}

TEST(SweepPace, FollowsFromTheNewestLaunch) {
  SweepStatus status;
  EXPECT_FALSE(rate_of(status));
  status.total = 100;
  status.done = 60;
  status.launch_rows = 40;
  status.journal_seconds = 8.0;
  EXPECT_EQ(rate_of(status), 5.0);
  EXPECT_EQ(seconds_left(status), 8.0);
}

}  // namespace
}  // namespace echo::parallel
