// Rows of another sweep in a journal, however they came there, are left out and told.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/counter_rng.hpp"
#include "parallel/journal/journal_rows.hpp"
#include "tests/support/journal_folder.hpp"

namespace echo::parallel {
namespace {

using Rows = std::vector<sweep::Row>;

struct ForeignRows : ::testing::Test, JournalFolder {
  // The frames of a journal of another sweep or shard; without those before `first`.
  [[nodiscard]] std::string frames_of(const results::FileHeader& sweep, const Rows& rows,
                                      std::size_t first) const {
    const auto other = folder / "other";
    JournalHeader written = header(0, 0);
    written.sweep = sweep;
    {
      Journal journal(other, written);
      for (const sweep::Row& row : rows) journal.append({&row, 1}), journal.flush();
      journal.close("done");
    }
    std::string bytes = read(other / worker_file_name(0, 0, ".rows"));
    std::filesystem::remove_all(other);
    for (; first > 0; --first) bytes.erase(0, claimed_length(bytes));
    return bytes;
  }
  static std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void append(const std::string& bytes) const {
    std::ofstream(file(0, 0), std::ios::binary | std::ios::app) << bytes;
  }
  // Rows 0, 1, 2, then `bytes`, then rows 3 and 4, by one worker of one launch.
  void write_around(const std::string& bytes) const {
    write(0, 0, 0, 3, false);
    append(bytes);
    append(frames_of(header(0, 0).sweep, {sample(3), sample(4)}, 1));
  }
  static RowCheck check() { return {100, mix, {}}; }  // sample rows' config_id is mix(id)

  static void expect_own_rows(JournalRows& rows) {
    ASSERT_EQ(rows.size(), 5);
    std::vector<results::FinishedRow> read(5);
    rows.read(0, read);
    for (std::int64_t id = 0; id < 5; ++id) {
      EXPECT_EQ(read[static_cast<std::size_t>(id)].row.id, id);
      EXPECT_EQ(read[static_cast<std::size_t>(id)].row.config_id, mix(static_cast<std::uint64_t>(id)));
    }
    EXPECT_EQ(rows.launches().size(), 1u);
    EXPECT_EQ(rows.launches()[0].points, 5);
    EXPECT_TRUE(rows.failures().empty());
  }
};

TEST_F(ForeignRows, OfAnotherSweepAreKnownByTheKeyOfTheirFrames) {
  sweep::Row same_number = sample(50);
  same_number.id = 3;
  for (const std::size_t skipped : {0u, 1u}) {
    SCOPED_TRACE(skipped);
    write_around(frames_of({.sweep_key = "other", .ids = 100}, {sample(50), same_number}, skipped));
    JournalRows rows(folder, "key");
    expect_own_rows(rows);
    ASSERT_EQ(rows.foreign().size(), 2u);
    EXPECT_EQ(rows.foreign()[0].file, file(0, 0));
    EXPECT_EQ(rows.foreign()[0].rows + rows.foreign()[1].rows, 2);
    std::filesystem::remove_all(folder);
  }
}

TEST_F(ForeignRows, OfAnotherShardAreForeignToo) {
  write_around(frames_of({.sweep_key = "key", .shard = "2/3", .ids = 100}, {sample(7)}, 0));
  JournalRows rows(folder, "key");
  expect_own_rows(rows);
  EXPECT_EQ(rows.foreign().size(), 1u);
}

TEST_F(ForeignRows, UnderTheRightKeyAreKnownByTheirConfigId) {
  sweep::Row renumbered = sample(50), beyond = sample(100), before = sample(0);
  renumbered.id = 6;
  before.id = -1;
  write_around(frames_of(header(0, 0).sweep, {renumbered, beyond, before}, 1));
  JournalRows checked(folder, "key", check());
  expect_own_rows(checked);
  ASSERT_EQ(checked.foreign().size(), 3u);
  JournalRows again(folder, "key", {.known = checked.foreign()});  // as the launch does at its end
  expect_own_rows(again);
  EXPECT_EQ(again.foreign().size(), 3u);
}

TEST_F(ForeignRows, FailuresAndEndsOfAnotherSweepAreNotTold) {
  const sweep::Row failed = failed_row(8);
  write_around(frames_of({.sweep_key = "other"}, {failed}, 0));
  const JournalRows rows(folder, "key");
  EXPECT_EQ(rows.launches()[0].stop_reason, "done");  // the worker's own end, told once
  EXPECT_EQ(rows.failed().count(), 0);
}

// The header of an older format names its sweep; its rows have no keys.
TEST_F(ForeignRows, OfAnOlderFormatAreNotTakenAndNotForgotten) {
  std::string payload = header_payload(header(0, 0));
  const std::size_t number =
      payload.find("echo-sweep journal ") + std::string_view("echo-sweep journal ").size();
  payload[number] = '2';
  std::filesystem::create_directories(folder);
  append(framed(payload));
  const JournalRows rows(folder, "key");
  EXPECT_EQ(rows.size(), 0);
  EXPECT_EQ(rows.torn_bytes(), 0);
  ASSERT_EQ(rows.others().size(), 1u);
  EXPECT_FALSE(rows.others()[0].is_readable);
  EXPECT_EQ(rows.others()[0].header.sweep.sweep_key, "key");
}

}  // namespace
}  // namespace echo::parallel
