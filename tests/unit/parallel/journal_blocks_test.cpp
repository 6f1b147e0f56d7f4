// Blocks in journals: which of them a file may take as they are, and that rows go on behind them.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "parallel/journal/journal_rows.hpp"
#include "results/write/block.hpp"
#include "tests/support/journal_folder.hpp"

namespace echo::parallel {
namespace {

constexpr std::int64_t block = results::block_rows;

struct JournalBlocks : ::testing::Test, JournalFolder {
  // Rows [first, last) by one worker, which packs those of the blocks that it has whole.
  void write_blocks(std::int32_t launch, std::int32_t worker, std::int64_t first, std::int64_t last,
                    std::int64_t missing = -1) const {
    Journal journal(folder, header(launch, worker));
    sweep::Row row = sample(first);
    for (std::int64_t id = first; id < last; ++id) {
      row.id = id;
      if (id != missing) journal.append({&row, 1});
      if ((id + 1) % block == 0 && id + 1 - block >= first) append_block(journal, id + 1 - block, worker);
    }
    journal.close("done");
  }
  static void append_block(Journal& journal, std::int64_t first, std::int32_t worker) {
    const std::string name = std::to_string(first) + " by " + std::to_string(worker);
    journal.append_block(first, block, std::vector<std::string>{"head of " + name, "columns of " + name});
  }
  static void expect_block(JournalRows& rows, std::int64_t number, std::int32_t worker) {
    const std::int64_t first = number * block;
    ASSERT_TRUE(rows.has_block(first)) << number;
    const std::string name = std::to_string(first) + " by " + std::to_string(worker);
    EXPECT_EQ(rows.block_part(first, 0), "head of " + name);
    EXPECT_EQ(rows.block_part(first, 1), "columns of " + name);
  }
};

TEST_F(JournalBlocks, AreThoseOfWorkersThatHaveAllTheirRows) {
  write_blocks(0, 0, 0, 2 * block + 100);
  write_blocks(0, 1, 2 * block + 100, 4 * block);
  JournalRows rows(folder, "key");
  ASSERT_EQ(rows.size(), 4 * block);
  expect_block(rows, 0, 0);
  expect_block(rows, 1, 0);
  EXPECT_FALSE(rows.has_block(2 * block));  // by two workers
  expect_block(rows, 3, 1);
  EXPECT_FALSE(rows.has_block(block / 2));
}

// Blocks and single rows alternate; a second pass, which starts over, gives the same.
TEST_F(JournalBlocks, ArePassedOver) {
  write_blocks(0, 0, 0, 2 * block + 100);
  write_blocks(0, 1, 2 * block + 100, 4 * block + 10);
  JournalRows rows(folder, "key");
  std::vector<results::FinishedRow> read(1000);
  for (int pass = 0; pass < 2; ++pass) {
    rows.skip_block(0);
    for (std::int64_t at = block; at < 2 * block; at += std::ssize(read)) {  // a block may be read as rows
      read.resize(static_cast<std::size_t>(std::min<std::int64_t>(1000, 2 * block - at)));
      rows.read(at, read);
      EXPECT_EQ(read.front().row.id, at);
    }
    read.resize(static_cast<std::size_t>(block));
    rows.read(2 * block, read);
    EXPECT_EQ(read.front().row.id, 2 * block);
    EXPECT_EQ(read.back().row.id, 3 * block - 1);
    rows.skip_block(3 * block);
    read.resize(10);
    rows.read(4 * block, read);
    EXPECT_EQ(read.front().row.id, 4 * block);
    EXPECT_EQ(read.back().worker, 1);
  }
}

TEST_F(JournalBlocks, BehindAMissingRowHaveOtherPlacesInAFile) {
  write_blocks(0, 0, 0, block, 7);
  write_blocks(0, 1, block, 2 * block);
  JournalRows rows(folder, "key");
  EXPECT_EQ(rows.size(), 2 * block - 1);
  for (std::int64_t first = 0; first < 2 * block; first += block) EXPECT_FALSE(rows.has_block(first));
}

TEST_F(JournalBlocks, WithRowsThatWereDoneTwiceAreNotTaken) {
  write_blocks(0, 0, 0, 3 * block);
  write(1, 0, block + 5, block + 9);  // again: which rows count depends on both journals
  JournalRows rows(folder, "key");
  EXPECT_EQ(rows.size(), 3 * block);
  expect_block(rows, 0, 0);
  EXPECT_FALSE(rows.has_block(block));
  expect_block(rows, 2, 0);
}

TEST_F(JournalBlocks, OfWhichAPartIsTornAreNotTaken) {
  write_blocks(0, 0, 0, block);
  std::filesystem::resize_file(file(0, 0), std::filesystem::file_size(file(0, 0)) - 60);  // end mark and more
  JournalRows rows(folder, "key");
  EXPECT_EQ(rows.size(), block);  // the rows stand before their block
  EXPECT_FALSE(rows.has_block(0));
}

TEST_F(JournalBlocks, ThatChangedInTheMeantimeAreRefused) {
  write_blocks(0, 0, 0, block);
  JournalRows rows(folder, "key");
  ASSERT_TRUE(rows.has_block(0));
  const auto whole = static_cast<std::streamoff>(std::filesystem::file_size(file(0, 0)));
  std::fstream change(file(0, 0), std::ios::in | std::ios::out | std::ios::binary);
  change.seekp(whole - 60);
  change.write("~~~~", 4);
  change.close();
  EXPECT_THROW(static_cast<void>(rows.block_part(0, 1)), UserError);
}

}  // namespace
}  // namespace echo::parallel
