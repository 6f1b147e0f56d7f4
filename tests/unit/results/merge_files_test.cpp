#include "results/write/merge_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"
#include "tests/support/sample_rows.hpp"
#include "tests/support/temp_file.hpp"

namespace echo::results {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t points = 300;

FileHeader header() {
  return {.name = "sample",
          .sweep_key = "aa",
          .row_key = "bb",
          .space_key = "cc",
          .shard = "1/3",
          .ids = points,
          .is_partial = true,
          .limit_names = {"deadline"}};
}

WriteSummary write(const TempFile& file, std::vector<FinishedRow> rows, const FileHeader& head = header(),
                   const Provenance& provenance = {}) {
  RowsInMemory stream(std::move(rows));
  return write_results(file.path, stream, sample_catalog(), head, provenance);
}

WriteSummary merge(const TempFile& out, std::vector<std::filesystem::path> files,
                   Prefer prefer = Prefer::none) {
  return merge_results(out.path, files, prefer, "merge");
}

std::string refusal(const TempFile& a, const TempFile& b) {
  const TempFile out("refused.h5");
  try {
    merge(out, {a.path, b.path});
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    EXPECT_FALSE(std::filesystem::exists(out.path));
    return error.what();
  }
  return "";
}

TEST(Merge, OfShardsIsTheFileOfTheWholeRun) {
  const TempFile whole("whole.h5"), merged("merged.h5"), a("a.h5"), b("b.h5"), c("c.h5");
  std::mt19937_64 random(5);
  std::vector<FinishedRow> part[3];
  for (const FinishedRow& row : sample_rows(points)) part[random() % 3].push_back(row);
  write(a, part[0]), write(b, part[1]), write(c, part[2]);
  const auto expected = write(whole, sample_rows(points));
  const auto summary = merge(merged, {c.path, a.path, b.path});
  EXPECT_EQ(summary.rows_digest, expected.rows_digest);
  EXPECT_EQ(summary.by_status, expected.by_status);
  const auto state = read_state(merged.path);
  EXPECT_TRUE(state->complete);
  EXPECT_EQ(state->shard, "");
  EXPECT_EQ(state->sweep_key, "aa");
}

TEST(Merge, IsPartialWhilePointsAreMissing) {
  const TempFile merged("merged.h5"), a("a.h5"), b("b.h5");
  write(a, {sample_row(0), sample_row(5)}), write(b, {sample_row(3)});
  merge(merged, {a.path, b.path});
  EXPECT_FALSE(read_state(merged.path)->complete);
  EXPECT_EQ(read_state(merged.path)->rows, 3);
  EXPECT_EQ(read_state(merged.path)->ids, points);
}

TEST(Merge, TakesEqualRowsOnceAndRefusesDifferentOnes) {
  const TempFile merged("merged.h5"), a("a.h5"), b("b.h5"), c("c.h5");
  FinishedRow other = sample_row(1);
  other.row.report.mfu = 0.125;
  write(a, {sample_row(0), sample_row(1)});
  write(b, {sample_row(1), sample_row(2)});
  write(c, {other, sample_row(2)});
  EXPECT_EQ(merge(merged, {a.path, b.path}).rows, 3);
  EXPECT_THAT(refusal(a, c), HasSubstr("1 point differs between files"));
  const TempFile first("first.h5"), last("last.h5"), expected("expected.h5");
  EXPECT_EQ(merge(first, {a.path, c.path}, Prefer::first).rows_digest,
            write(expected, sample_rows(3)).rows_digest);
  EXPECT_EQ(merge(last, {a.path, c.path}, Prefer::last).rows_digest,
            write(expected, {sample_row(0), other, sample_row(2)}).rows_digest);
}

TEST(Merge, RefusesAnotherSweepAndSaysInWhatItDiffers) {
  const TempFile a("a.h5"), b("b.h5"), c("c.h5"), d("d.h5");
  FileHeader rows = header(), space = header(), size = header();
  rows.row_key = "b0", space.space_key = "c0", size.ids = 7;
  write(a, {sample_row(0)}), write(b, {sample_row(1)}, rows), write(c, {sample_row(1)}, space);
  write(d, {sample_row(1)}, size);
  EXPECT_THAT(refusal(a, b), HasSubstr("row_key"));
  EXPECT_THAT(refusal(a, c), HasSubstr("space_key"));
  EXPECT_THAT(refusal(a, d), HasSubstr("points"));
}

TEST(Merge, CarriesLaunchesAndFailuresUnderNewNumbers) {
  const TempFile merged("merged.h5"), a("a.h5"), b("b.h5");
  FinishedRow row = sample_row(1);
  row.launch = 1;
  write(a, {sample_row(0)}, header(), {.launches = {{0, 2, "a", "b", 1, "done"}}});
  write(b, {row}, header(),
        {.launches = {{0, 2, "c", "", 0, "killed"}, {1, 2, "d", "e", 1, "done"}},
         .failures = {{1, 0, "broke"}}});
  for (const Prefer prefer : {Prefer::none, Prefer::last}) {
    merge(merged, {a.path, b.path}, prefer);
    const OldRows now(merged.path);
    ASSERT_EQ(now.launches().size(), 3U);
    std::vector<std::string> starts(3);
    for (const Launch& launch : now.launches())
      starts.at(static_cast<std::size_t>(launch.number)) = launch.start;
    EXPECT_EQ(starts, (std::vector<std::string>{"a", "c", "d"}));
    ASSERT_EQ(now.failures().size(), 1U);
    EXPECT_EQ(now.failures()[0].launch, 1);
    std::int32_t launch = -1;
    now.file().read_rows("/provenance/points/launch", 1, 1, &launch);
    EXPECT_EQ(launch, 2);
  }
}

}  // namespace
}  // namespace echo::results
