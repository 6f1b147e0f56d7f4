// Packed rows come back bit for bit, the index says what is in them, and damaged bytes are refused.
#include "parallel/journal/rows_frame.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "parallel/journal/journal_frames.hpp"
#include "tests/support/journal_folder.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::parallel {
namespace {

using Rows = std::vector<sweep::Row>;

Rows some_rows(std::mt19937& random, std::size_t count) {
  Rows rows;
  sweep::PointIndex id = 0;
  for (std::size_t i = 0; i < count; ++i) {
    id += random() % 5 == 0 ? 1 + static_cast<sweep::PointIndex>(random() % 100) : 1;
    rows.push_back(random() % 9 == 0 ? JournalFolder::failed_row(id) : JournalFolder::sample(id));
  }
  return rows;
}

// The obvious twin of the index: the rows it stands for, one by one.
void expect_index_of(const RowsIndex& index, const Rows& rows) {
  ASSERT_EQ(index.rows(), std::ssize(rows));
  EXPECT_EQ(index.first_config, rows.front().config_id);
  EXPECT_EQ(index.last_config, rows.back().config_id);
  std::array<std::int32_t, 5> by_status{};
  auto row = rows.begin();
  for (const RowRun& run : index.runs) {
    for (std::int32_t i = 0; i < run.count; ++i, ++row) {
      ASSERT_EQ(row->id, run.first + i);
      ASSERT_EQ(row->report.status == training::Status::failed, run.is_failed == 1);
      ++by_status[static_cast<std::size_t>(row->report.status)];
    }
  }
  EXPECT_EQ(index.by_status, by_status);
}

TEST(RowsFrame, GivesBackEveryBit) {
  std::mt19937 random(20261123);
  for (const std::size_t count : {1u, 2u, 3u, 63u, 64u, 65u, 200u, 1024u, 4096u}) {
    SCOPED_TRACE(count);
    const Rows rows = some_rows(random, count);
    const std::string payload = rows_payload(7, rows);
    EXPECT_EQ(key_of(payload), 7u);
    const auto index = read_index(payload);
    ASSERT_TRUE(index);
    expect_index_of(*index, rows);
    Rows read;
    ASSERT_TRUE(unpack_rows(payload, read));
    ASSERT_EQ(read.size(), count);
    EXPECT_EQ(std::memcmp(read.data(), rows.data(), count * sizeof(sweep::Row)), 0);
    EXPECT_LT(payload.size() / count, count < 64 ? 1000u : 150u);
  }
}

TEST(RowsFrame, RefusesEveryShorterPayload) {
  std::mt19937 random(1);
  const std::string payload = rows_payload(7, some_rows(random, 20));
  Rows read;
  for (std::size_t bytes = 0; bytes < payload.size(); ++bytes)
    ASSERT_FALSE(unpack_rows(payload.substr(0, bytes), read)) << bytes;
}

// Past a checksum that happens to hold, memory stays within bounds and nothing is read beyond the payload.
TEST(RowsFrame, OfDamagedBytesIsRefusedOrAsLargeAsItSays) {
  std::mt19937 random(2);
  const std::string payload = rows_payload(7, some_rows(random, 20));
  for (int trial = 0; trial < support::trials(20000); ++trial) {
    std::string damaged = payload;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i)
      damaged[random() % std::min<std::size_t>(damaged.size(), trial % 2 == 0 ? 100 : damaged.size())] =
          static_cast<char>(random());
    Rows read;
    ASSERT_TRUE(!unpack_rows(damaged, read) || read.size() <= most_rows_in_frame);
    const auto index = read_index(damaged);
    ASSERT_TRUE(!index || index->rows() <= std::int64_t{most_rows_in_frame});
  }
}

}  // namespace
}  // namespace echo::parallel
