#include "parallel/journal/journal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.hpp"
#include "parallel/journal/frame_reader.hpp"
#include "parallel/journal/journal_frames.hpp"
#include "parallel/journal/journal_rows.hpp"
#include "tests/support/journal_folder.hpp"
#include "tests/support/sample_rows.hpp"

namespace echo::parallel {
namespace {

struct JournalTest : ::testing::Test, JournalFolder {};

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
  for (std::uintmax_t cut = 1;; cut += 13) {
    write(0, 0, 0, 3, false);  // of another length each time: packed rows have padding, whose bytes are any
    const auto whole = std::filesystem::file_size(file(0, 0));
    FrameReader frames(file(0, 0));
    while (frames.next()) continue;
    const auto frame = whole - static_cast<std::uintmax_t>(frames.offset());  // the last row's
    if (cut >= frame) break;
    std::filesystem::resize_file(file(0, 0), whole - cut);
    const JournalRows rows(folder, "key");
    EXPECT_EQ(rows.size(), 2) << cut;
    EXPECT_EQ(rows.torn_bytes(), static_cast<std::int64_t>(frame - cut));
    std::filesystem::remove(file(0, 0));
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

TEST_F(JournalTest, LeavesJournalsOfOtherSweepsAside) {
  write(0, 0, 0, 3);
  const JournalRows rows(folder, "other key");
  EXPECT_EQ(rows.size(), 0);
  ASSERT_EQ(rows.others().size(), 1u);
  EXPECT_EQ(rows.others()[0].header.sweep.sweep_key, "key");
  EXPECT_EQ(rows.others()[0].header.sweep.ids, 100);
}

TEST_F(JournalTest, OfAnySweepTellsHowFarItIs) {
  write(0, 0, 0, 3, false);
  const JournalRows rows(folder, "");
  EXPECT_EQ(rows.size(), 3);
  EXPECT_EQ(rows.headers().back().sweep.ids, 100);
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

TEST_F(JournalTest, KeepsTheRowThatDidNotFail) {
  write_rows(0, 0, {failed_row(3), sample(4)});
  write_rows(1, 0, {sample(3), failed_row(4)});
  JournalRows rows(folder, "key");
  EXPECT_EQ(rows.size(), 2);
  EXPECT_EQ(rows.failed(), IdSet());
  EXPECT_EQ(rows.by_status()[static_cast<std::size_t>(training::Status::failed)], 0);
  std::vector<results::FinishedRow> read(2);
  rows.read(0, read);
  EXPECT_EQ(read[0].launch, 1);
  EXPECT_EQ(read[1].launch, 0);
}

TEST_F(JournalTest, TellsEveryAttemptThatFailed) {
  {
    Journal journal(folder, header(2, 1));
    journal.append(sweep::Failure{7, std::string(3 * longest_message, 'x')});
    const sweep::Row row = failed_row(7);
    journal.append({&row, 1});
  }
  const JournalRows rows(folder, "key");
  ASSERT_EQ(rows.failures().size(), 1u);
  EXPECT_EQ(rows.failures()[0].id, 7);
  EXPECT_EQ(rows.failures()[0].launch, 2);
  EXPECT_EQ(rows.failures()[0].message.size(), longest_message);
  EXPECT_EQ(rows.failed(), IdSet({{7, 8}}));
}

TEST_F(JournalTest, WritesARowThoughNoOtherFollows) {
  Journal journal(folder, header(0, 0));
  const sweep::Row row = sample(0);
  journal.append({&row, 1});
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (JournalRows(folder, "key").size() == 0 && std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(JournalRows(folder, "key").size(), 1);
}

TEST_F(JournalTest, RefusesAFolderItCannotMakeWithExitCode5) {
  try {
    const Journal journal("/proc/nowhere.journal", {});
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 5);
  }
}

}  // namespace
}  // namespace echo::parallel
