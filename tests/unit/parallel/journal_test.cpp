#include "parallel/journal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.hpp"
#include "parallel/journal_frames.hpp"
#include "tests/support/sample_rows.hpp"

namespace echo::parallel {
namespace {

struct JournalTest : testing::Test {
  JournalTest()
      : folder(std::filesystem::temp_directory_path() / ("echo_journal_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder);
  }
  ~JournalTest() override { std::filesystem::remove_all(folder); }

  // Rows [first, last), one frame each `batch`, by one worker of a launch.
  void write(std::int32_t launch, std::int32_t worker, sweep::PointIndex first, sweep::PointIndex last,
             bool ends_in_order = true) const {
    Journal journal(folder, {"key", launch, worker, 1, 100, "2026-01-01T00:00:00Z"});
    for (sweep::PointIndex id = first; id < last; ++id) {
      const sweep::Row row = results::sample_row(id).row;
      journal.append({&row, 1});
      journal.flush();
    }
    if (ends_in_order) journal.close("done");
  }
  [[nodiscard]] std::filesystem::path file(int launch, int worker) const {
    char name[64];
    std::snprintf(name, sizeof name, "launch-%04d-worker-%05d.rows", launch, worker);
    return folder / name;
  }
  std::filesystem::path folder;
};

TEST_F(JournalTest, GivesBackRowsOfAllWorkersInIdOrder) {
  write(0, 1, 5, 9);
  write(0, 0, 0, 5);
  JournalRows rows(folder, "key");
  ASSERT_EQ(rows.size(), 9);
  std::vector<results::FinishedRow> read(9);
  rows.read(0, read);
  for (std::int64_t id = 0; id < 9; ++id) {
    const auto& found = read[static_cast<std::size_t>(id)];
    EXPECT_EQ(found.row.id, id);
    EXPECT_EQ(found.row.config_id, results::sample_row(id).row.config_id);
    EXPECT_EQ(found.row.report.step, results::sample_row(id).row.report.step);
    EXPECT_EQ(found.worker, id < 5 ? 0 : 1);
  }
}

TEST_F(JournalTest, OfNoFolderHoldsNothing) {
  const JournalRows rows(folder, "key");
  EXPECT_EQ(rows.size(), 0);
  EXPECT_EQ(rows.next_launch(), 0);
}

TEST_F(JournalTest, DropsATornTailWhereverItIsTorn) {
  write(0, 0, 0, 3, false);
  const auto whole = std::filesystem::file_size(file(0, 0));
  const auto frame = frame_head_bytes + frame_kind_bytes + sizeof(sweep::Row);
  for (std::uintmax_t cut = 1; cut < frame; cut += 13) {
    std::filesystem::resize_file(file(0, 0), whole - cut);
    const JournalRows rows(folder, "key");
    EXPECT_EQ(rows.size(), 2) << cut;
    EXPECT_EQ(rows.torn_bytes(), static_cast<std::int64_t>(frame - cut));
    std::filesystem::remove(file(0, 0));
    write(0, 0, 0, 3, false);
  }
}

TEST_F(JournalTest, StopsAtAFlippedBit) {
  write(0, 0, 0, 3, false);
  const auto whole = static_cast<std::streamoff>(std::filesystem::file_size(file(0, 0)));
  std::fstream edit(file(0, 0), std::ios::in | std::ios::out | std::ios::binary);
  edit.seekg(whole - 40);
  const char old = static_cast<char>(edit.get());
  edit.seekp(whole - 40);
  edit.put(static_cast<char>(old ^ 1));
  edit.close();
  EXPECT_EQ(JournalRows(folder, "key").size(), 2);
}

TEST_F(JournalTest, SurvivesGarbageAfterRowsAndInsteadOfAHeader) {
  write(0, 0, 0, 3, false);
  std::ofstream(file(0, 0), std::ios::app | std::ios::binary) << std::string(500, '\xff');
  std::ofstream(file(0, 1), std::ios::binary) << "not a journal at all, but long enough to look at";
  std::ofstream(file(1, 0)).flush();  // killed before its header was written
  const JournalRows rows(folder, "key");
  EXPECT_EQ(rows.size(), 3);
  EXPECT_EQ(rows.next_launch(), 2);  // the empty file's name is taken
}

TEST_F(JournalTest, OfAnotherSweepIsRefusedWithExitCode5) {
  write(0, 0, 0, 3);
  try {
    const JournalRows rows(folder, "other key");
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 5);
  }
}

TEST_F(JournalTest, OfAnySweepTellsHowFarItIs) {
  write(0, 0, 0, 3, false);
  const JournalRows rows(folder, "");
  EXPECT_EQ(rows.size(), 3);
  EXPECT_EQ(rows.ids_of_sweep(), 100);
}

TEST_F(JournalTest, CountsARowOnceThoughTwoLaunchesDidIt) {
  write(0, 0, 0, 4, false);
  write(1, 0, 2, 6);
  const JournalRows rows(folder, "key");
  EXPECT_EQ(rows.size(), 6);
  ASSERT_EQ(rows.launches().size(), 2u);
  EXPECT_EQ(rows.launches()[0].points, 4);
  EXPECT_EQ(rows.launches()[1].points, 2);
  EXPECT_EQ(rows.launches()[0].stop_reason, "killed");
  EXPECT_EQ(rows.launches()[1].stop_reason, "done");
}

TEST_F(JournalTest, RefusesAFolderItCannotMakeWithExitCode5) {
  try {
    const Journal journal("/proc/nowhere.journal", {"key"});
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 5);
  }
}

}  // namespace
}  // namespace echo::parallel
