// The merge of journals against its obvious twin: all rows of all files in a map.
#include "parallel/journal/journal_rows.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <tuple>

#include "tests/support/journal_folder.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::parallel {
namespace {

struct JournalRowsTest : ::testing::Test, JournalFolder {};

// What one worker of one launch wrote.
struct Written {
  std::int32_t launch, worker;
  std::vector<sweep::Row> rows;
};

// Ranges in ascending order dealt to workers, some done twice, some failed; several rows a frame.
std::vector<Written> random_journals(std::mt19937& random) {
  std::vector<Written> all;
  for (std::int32_t launch = 0; launch < 3; ++launch)
    for (std::int32_t worker = 0; worker < 3; ++worker) all.push_back({launch, worker, {}});
  for (sweep::PointIndex first = 0; first < 600;) {
    const auto count = static_cast<sweep::PointIndex>(1 + random() % 40);
    const std::size_t times = random() % 8 == 0 ? 2 : random() % 12 == 0 ? 0 : 1;
    for (std::size_t i = 0; i < times; ++i) {
      Written& by = all[random() % all.size()];
      for (sweep::PointIndex id = first; id < first + count; ++id)
        by.rows.push_back(random() % 20 == 0 ? JournalFolder::failed_row(id) : JournalFolder::sample(id));
    }
    first += count;
  }
  return all;
}

// Of equal numbers the one that did not fail, else the earliest.
std::map<sweep::PointIndex, results::FinishedRow> twin(const std::vector<Written>& all) {
  std::map<sweep::PointIndex, results::FinishedRow> kept;
  const auto has_failed = [](const sweep::Row& row) { return row.report.status == training::Status::failed; };
  for (const Written& by : all) {
    for (const sweep::Row& row : by.rows) {
      const auto [place, is_new] = kept.emplace(row.id, results::FinishedRow{row, by.launch, by.worker});
      if (!is_new && has_failed(place->second.row) && !has_failed(row))
        place->second = {row, by.launch, by.worker};
    }
  }
  return kept;
}

void expect_equal(JournalRows& rows, const std::map<sweep::PointIndex, results::FinishedRow>& kept) {
  ASSERT_EQ(rows.size(), std::ssize(kept));
  std::vector<results::FinishedRow> read(kept.size());
  for (int pass = 0; pass < 2; ++pass) {  // a file is written in two passes
    std::int64_t at = 0;
    for (const std::int64_t piece : {std::int64_t{1}, rows.size() / 3, rows.size() - 1 - rows.size() / 3}) {
      rows.read(at, std::span(read).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(piece)));
      at += piece;
    }
  }
  std::array<std::int64_t, 5> by_status{};
  for (auto found = read.begin(); const auto& [id, row] : kept) {
    ASSERT_EQ(std::memcmp(&found->row, &row.row, sizeof row.row), 0) << id;
    ASSERT_EQ(std::tuple(found->launch, found->worker), std::tuple(row.launch, row.worker)) << id;
    ++by_status[static_cast<std::size_t>(row.row.report.status)];
    ++found;
  }
  EXPECT_EQ(rows.by_status(), by_status);
}

TEST_F(JournalRowsTest, MergesAsAMapWould) {
  for (std::uint32_t seed = 0; seed < support::trials(20U); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::filesystem::remove_all(folder);
    const auto all = random_journals(random);
    for (const Written& by : all) {
      Journal journal(folder, header(by.launch, by.worker));
      for (const sweep::Row& row : by.rows) {
        journal.append({&row, 1});
        if (random() % 8 == 0) journal.flush();
        if (random() % 16 == 0) journal.append(sweep::Failure{row.id, "a frame between rows"});
      }
      journal.close("done");
    }
    JournalRows rows(folder, "key");
    expect_equal(rows, twin(all));
  }
}

// A journal may be damaged anywhere: what is read of it is rows that were written, bit for bit, and nothing
// else.
TEST_F(JournalRowsTest, OfDamagedFilesGiveOnlyRowsThatWereWritten) {
  std::vector<sweep::Row> rows;
  for (sweep::PointIndex id = 0; id < 40; ++id) rows.push_back(id % 7 == 3 ? failed_row(id) : sample(id));
  write_rows(0, 0, rows);
  std::string whole;
  {
    std::ifstream in(file(0, 0), std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::mt19937 random(20261120);
  int detected = 0;
  for (int trial = 0; trial < support::trials(1000); ++trial) {
    std::string damaged = whole;
    const std::size_t changes = 1 + random() % 16;
    for (std::size_t i = 0; i < changes; ++i)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    if (random() % 4 == 0) damaged.resize(random() % damaged.size());
    if (random() % 4 == 0) damaged.insert(random() % damaged.size(), std::string(random() % 200, '\7'));
    std::ofstream(file(0, 0), std::ios::binary | std::ios::trunc) << damaged;
    JournalRows read(folder, "key");
    std::vector<results::FinishedRow> found(static_cast<std::size_t>(read.size()));
    read.read(0, found);
    for (const results::FinishedRow& row : found) {
      ASSERT_TRUE(row.row.id >= 0 && row.row.id < 40) << trial;
      ASSERT_EQ(std::memcmp(&row.row, &rows[static_cast<std::size_t>(row.row.id)], sizeof row.row), 0)
          << trial;
    }
    if (damaged != whole) {
      ASSERT_TRUE(read.torn_bytes() > 0 || read.size() < 40 || read.launches()[0].stop_reason == "killed")
          << trial;
      ++detected;
    }
  }
  EXPECT_GT(detected, support::trials(1000) * 99 / 100 - 1);
}

TEST_F(JournalRowsTest, HoldOneExtentOfAWorkerThatWorkedInOrder) {
  write(0, 0, 0, 50);
  write(0, 1, 50, 100);
  const JournalRows rows(folder, "key");
  EXPECT_LE(rows.index_bytes(), 2 * sizeof(Extent));
}

}  // namespace
}  // namespace echo::parallel
