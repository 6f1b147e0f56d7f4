// Rows of an older file taken over into a new one, against the same rows written in one go.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "results/write/old_rows.hpp"
#include "results/write/result_file.hpp"
#include "tests/support/read_all.hpp"
#include "tests/support/sample_rows.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_file.hpp"

namespace echo::results {
namespace {

WriteSummary write(const std::filesystem::path& path, std::vector<FinishedRow> rows,
                   const OldRows* old = nullptr, std::span<const sweep::PointIndex> numbers = {},
                   const simulate::Catalog& catalog = sample_catalog(), const Provenance& provenance = {}) {
  RowsInMemory stream(std::move(rows));
  return write_results(path, stream, catalog, {.name = "sample", .limit_names = {"deadline", "cheap"}},
                       provenance, old, numbers);
}

// The row that stands for `content` in a space where it has the number `id`.
FinishedRow renumbered(sweep::PointIndex content, sweep::PointIndex id) {
  FinishedRow row = sample_row(content);
  row.row.id = id;
  row.row.limit = static_cast<std::int32_t>(content % 3) - 1;
  row.row.limit_excess = 0.5;
  return row;
}

// The old file holds `old_rows` of the points, and the stream some of them again and all others; old points
// get numbers in another order, some none.
void expect_one_go(std::uint64_t seed, std::int64_t points, std::int64_t old_rows) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  std::vector<sweep::PointIndex> number(static_cast<std::size_t>(points));
  for (std::int64_t i = 0; i < points; ++i) number[static_cast<std::size_t>(i)] = 3 * i;
  if (seed % 2 == 1) std::ranges::shuffle(number, random);
  std::vector<FinishedRow> old, fresh, all;
  std::vector<sweep::PointIndex> new_numbers;
  for (std::int64_t content = 0; content < points; ++content) {
    const auto id = number[static_cast<std::size_t>(content)];
    const bool is_old = content < old_rows, is_left_out = is_old && random() % 7 == 0;
    const bool is_done_again = !is_old || random() % 5 == 0;
    if (is_old) old.push_back(renumbered(content, content));
    if (is_old) new_numbers.push_back(is_left_out ? -1 : id);
    if (is_done_again) fresh.push_back(renumbered(content, id));
    if (is_done_again && is_old) fresh.back().row.report.mfu = 0.25;  // tells the two apart
    if (is_done_again || !is_left_out) all.push_back(is_done_again ? fresh.back() : renumbered(content, id));
  }
  const TempFile before("before.h5"), after("after.h5"), one_go("one_go.h5");
  write(before.path, old);
  const OldRows carried(before.path);
  const auto summary = write(after.path, fresh, &carried, new_numbers);
  const auto expected = write(one_go.path, all);
  EXPECT_EQ(summary.rows_digest, expected.rows_digest);
  EXPECT_EQ(summary.by_status, expected.by_status);
  EXPECT_EQ(summary.rows, expected.rows);
}

TEST(CarriedRows, EqualRowsWrittenInOneGo) {
  for (std::uint64_t seed = 1; seed <= support::trials(6U); ++seed)
    expect_one_go(seed, 500, 200 + 40 * std::int64_t(seed));
}

TEST(CarriedRows, EqualRowsWrittenInOneGoOverSeveralChunks) {
  expect_one_go(7, support::is_sanitized ? 17'000 : 40'000, support::is_sanitized ? 16'700 : 35'000);
  if (!support::is_sanitized) expect_one_go(8, 40'000, 20'000);
}

TEST(CarriedRows, MayBeAllOrNothing) {
  const TempFile empty("empty.h5"), whole("whole.h5"), copy("copy.h5"), again("again.h5");
  write(empty.path, {});
  const auto expected = write(whole.path, sample_rows(300));
  EXPECT_EQ(write(copy.path, {}, std::make_unique<OldRows>(whole.path).get()).rows_digest,
            expected.rows_digest);
  EXPECT_EQ(write(again.path, sample_rows(300), std::make_unique<OldRows>(empty.path).get()).rows_digest,
            expected.rows_digest);
}

TEST(CarriedRows, MayReplaceTheFileTheyComeFrom) {
  const TempFile file("grows.h5"), one_go("one_go.h5");
  auto rows = sample_rows(100);
  const std::vector<FinishedRow> more(rows.begin() + 60, rows.end());
  write(file.path, {rows.begin(), rows.begin() + 60});
  const OldRows old(file.path);
  EXPECT_EQ(write(file.path, more, &old).rows_digest, write(one_go.path, rows).rows_digest);
  EXPECT_EQ(OldRows(file.path).count(), 100);
}

TEST(CarriedRows, BringTheirNamesAndNoOthers) {
  const TempFile before("before.h5"), after("after.h5");
  write(before.path, {sample_row(0), sample_row(1)});  // zeta, alpha
  const OldRows old(before.path);
  auto catalog = sample_catalog();
  catalog.models = {{.name = "unused"}, {.name = "alpha"}, {.name = "beta"}};
  FinishedRow row = sample_row(2);
  row.row.config.model = training::ModelId(2);
  write(after.path, {row}, &old, std::vector<sweep::PointIndex>{-1, 1}, catalog);
  const Table table = read_all(after.path);
  EXPECT_EQ(table.find("model")->meanings, (std::vector<std::string>{"alpha", "beta"}));
  EXPECT_EQ(table.text("model", 0), "alpha");
  EXPECT_EQ(table.text("model", 1), "beta");
}

TEST(CarriedRows, KeepTheirLayerTablesUnderTheNewSweepsNumbers) {
  const TempFile before("before.h5"), after("after.h5");
  auto catalog = sample_catalog();
  catalog.layer_tables = {{8, 10}, {9, 9}};
  FinishedRow row = sample_row(0);
  row.row.config.layers.explicit_layers = training::LayerTableId(1);
  write(before.path, {row}, nullptr, {}, catalog);
  const OldRows old(before.path);
  catalog.layer_tables = {{9, 9}, {1, 17}};
  write(after.path, {sample_row(1)}, &old, {}, catalog);
  EXPECT_EQ(read_all(after.path).integer("layer_split", 0), 0);
  EXPECT_EQ(read_all(after.path).integer("layer_split", 1), -1);
  EXPECT_EQ(OldRows(after.path).layer_tables(), (std::vector<std::string>{"9 9", "1 17"}));
}

TEST(CarriedRows, BringTheirLaunchesAndFailures) {
  const TempFile before("before.h5"), after("after.h5");
  write(before.path, sample_rows(3), nullptr, {}, sample_catalog(),
        {.launches = {{0, 2, "a", "b", 3, "done"}}, .failures = {{1, 0, "broke"}, {2, 0, "left out"}}});
  const OldRows old(before.path);
  EXPECT_EQ(old.next_launch(), 1);
  write(after.path, {sample_row(4)}, &old, std::vector<sweep::PointIndex>{0, 7, -1}, sample_catalog(),
        {.launches = {{1, 4, "c", "", 1, "killed"}}, .failures = {{4, 1, "new"}}});
  const OldRows now(after.path);
  ASSERT_EQ(now.launches().size(), 2U);
  EXPECT_EQ(now.launches()[0].stop_reason, "done");
  EXPECT_EQ(now.launches()[1].start, "c");
  ASSERT_EQ(now.failures().size(), 2U);
  EXPECT_EQ(now.failures()[0].message, "new");
  EXPECT_EQ(now.failures()[1].id, 7);
  EXPECT_EQ(now.failures()[1].message, "broke");
  EXPECT_EQ(now.number(2), 7);
}

TEST(OldRows, TellWhatTheFileHolds) {
  const TempFile file("old.h5");
  auto rows = sample_rows(9);
  for (auto& row : rows) row.row.id += 100;
  write(file.path, rows);
  const OldRows old(file.path);
  ASSERT_EQ(old.count(), 9);
  for (std::int64_t i = 0; i < 9; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)].row;
    EXPECT_EQ(old.config_id(i), row.config_id);
    EXPECT_EQ(old.number(i), row.id);
    EXPECT_EQ(old.status(i), row.report.status);
  }
}

TEST(FileHeader, IsGivenBackWhole) {
  const TempFile file("header.h5");
  const FileHeader header{.name = "n",
                          .title = "A title",
                          .sweep_key = "1",
                          .row_key = "2",
                          .code_key = "3",
                          .catalog_key = "4",
                          .calibration_key = "5",
                          .space_key = "6",
                          .shard = "2/8",
                          .ids = 800,
                          .is_partial = true,
                          .terms = {.target_tokens = 1e12},
                          .settings = {.slowdown = "file",
                                       .contention = "off",
                                       .skew_sigma = 0.02,
                                       .skew_draws = 64,
                                       .workload_format = "kineto",
                                       .workload_times = "priced",
                                       .workload_data_groups = "dp\ndp with ep",
                                       .workload_tokens = 4096.0},
                          .objectives = {{"train_time", sweep::Goal::min}, {"mfu", sweep::Goal::max}},
                          .limit_names = {"deadline", "cheap"}};
  RowsInMemory rows(sample_rows(4));
  const auto summary = write_results(file.path, rows, sample_catalog(), header, {});
  const auto state = read_state(file.path);
  ASSERT_TRUE(state);
  const FileHeader& read = *state;
  EXPECT_EQ(read, header);
  EXPECT_FALSE(state->complete);
  EXPECT_EQ(state->rows, 4);
  EXPECT_EQ(state->rows_digest, summary.rows_digest);
}

}  // namespace
}  // namespace echo::results
