#include "results/write/result_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "base/error.hpp"
#include "results/columns.hpp"
#include "results/rows_digest.hpp"
#include "results/write/fill.hpp"
#include "storage/hdf5.hpp"
#include "tests/support/read_all.hpp"
#include "tests/support/sample_rows.hpp"
#include "tests/support/temp_file.hpp"

namespace echo::results {
namespace {

// A file of `rows` that goes away with the test.
struct Written : TempFile {
  explicit Written(std::vector<FinishedRow> rows, const simulate::Catalog& catalog = sample_catalog())
      : TempFile("written.h5") {
    RowsInMemory stream(std::move(rows));
    summary = write_results(path, stream, catalog, {"sample", "A sample", "00ff"},
                            {.program = "echo-sweep",
                             .sweep_toml = "schema = 1\n",
                             .resolved_toml = "schema = 1 # all\n",
                             .inputs = {{"zeta", "models/zeta.toml", "ab"}},
                             .launches = {{0, 2, "2026-01-01T00:00:00Z", "", 7, "killed"}}});
  }
  WriteSummary summary;
};

TEST(RowsDigest, DoesNotDependOnTheOrderRowsArriveIn) {
  auto rows = sample_rows(10'000);
  const Written in_order(rows);
  std::ranges::shuffle(rows, std::mt19937_64(7));
  rows.push_back(rows.front());  // a row that two launches did
  EXPECT_EQ(Written(rows).summary.rows_digest, in_order.summary.rows_digest);
}

TEST(RowsDigest, DoesNotDependOnProvenance) {
  auto rows = sample_rows(100);
  const Written before(rows);
  for (auto& row : rows) row.worker = 3, row.launch = 2, row.row.seconds = 1.0;
  EXPECT_EQ(Written(rows).summary.rows_digest, before.summary.rows_digest);
}

TEST(RowsDigest, ChangesWithOnePicosecondAndWithOneBitOfAnId) {
  auto rows = sample_rows(100);
  const Written before(rows);
  rows[3].row.report.step += SimTime(1000);
  EXPECT_NE(Written(rows).summary.rows_digest, before.summary.rows_digest);
  rows = sample_rows(100);
  rows[3].row.config_id ^= 1;
  EXPECT_NE(Written(rows).summary.rows_digest, before.summary.rows_digest);
}

TEST(RowsDigest, DoesNotDependOnTheOrderOfTheCatalogue) {
  auto rows = sample_rows(50);
  const Written before(rows);
  auto catalog = sample_catalog();
  std::swap(catalog.models[0], catalog.models[1]);
  for (auto& row : rows) row.row.config.model = training::ModelId(1 - row.row.config.model.index());
  EXPECT_EQ(Written(rows, catalog).summary.rows_digest, before.summary.rows_digest);
}

TEST(RowsDigest, IsFoundAgainFromTheFileAlone) {
  const Written file(sample_rows(20'000));  // more than one chunk
  EXPECT_EQ(digest_of(file.path), file.summary.rows_digest);
  EXPECT_EQ(read_state(file.path)->rows_digest, file.summary.rows_digest);
}

TEST(ResultFile, KeepsEveryRowOfItsColumns) {
  const auto rows = sample_rows(5'000);
  const Written file(rows);
  const Table table = read_all(file.path);
  ASSERT_EQ(table.rows(), 5'000);
  for (const std::int64_t i : {0L, 1L, 2L, 4095L, 4096L, 4999L}) {
    const auto& row = rows[static_cast<std::size_t>(i)].row;
    EXPECT_EQ(table.config_id(i), row.config_id);
    EXPECT_EQ(table.integer("tp", i), row.config.degrees.tensor);
    EXPECT_EQ(table.text("model", i), i % 2 == 0 ? "zeta" : "alpha");
    EXPECT_EQ(table.text("gpu", i), "h800");
    EXPECT_EQ(table.number("mem_peak", i), static_cast<double>(row.report.memory_peak.value));
    if (row.report.status == training::Status::ok) {
      EXPECT_EQ(table.number("step_time", i), to_seconds(row.report.step));
      EXPECT_EQ(table.part("breakdown/exposed_time", i, "forward"), to_seconds(row.report.exposed[0]));
      EXPECT_NEAR(table.number("slowdown_tax", i), 0.25, 1e-6);
      EXPECT_EQ(table.text("evidence", i), "interpolated");
    }
  }
}

// Scans read columns late, and those of one repeated value not at all: the values are those of plain reading.
TEST(ResultFile, ScansWhatItReads) {
  auto rows = sample_rows(40'000);
  for (FinishedRow& row : rows)  // a stretch without a step
    if (row.row.id / 16'384 == 1) row.row.report = {}, row.row.report.status = training::Status::infeasible;
  const Written written(rows);
  const ResultFile file(written.path);
  std::vector<std::string> columns;
  for (const ColumnInfo& column : file.columns()) columns.push_back(column.name);
  std::vector<double> plain;
  std::size_t repeated = 0, changing = 0;
  for (Scan scan(file, columns); scan.next();) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if ((scan.first() / 16'384 + static_cast<std::int64_t>(c)) % 3 == 0) continue;  // never asked for
      const ColumnInfo& column = file.columns()[c];
      file.read(column, scan.first(), scan.count(), plain);
      if (c % 2 == 0) static_cast<void>(scan.repeated(c));  // before the values are asked for, or after
      const std::vector<double>& values = scan.values(c);
      ASSERT_EQ(values.size(), plain.size()) << column.name;
      ASSERT_EQ(std::memcmp(values.data(), plain.data(), plain.size() * sizeof(double)), 0) << column.name;
      const auto only = scan.repeated(c);
      if (!only) {
        ++changing;
        continue;
      }
      ++repeated;
      for (const double value : plain) ASSERT_EQ(std::memcmp(&value, &*only, sizeof value), 0);
    }
  }
  EXPECT_GT(repeated, columns.size() / 2);
  EXPECT_GT(changing, std::size_t{10});
}

TEST(ResultFile, LeavesOutWhatAnInfeasibleRowDoesNotHave) {
  const Written file(sample_rows(3));
  const Table table = read_all(file.path);
  EXPECT_EQ(table.text("status", 2), "infeasible");
  EXPECT_EQ(table.text("reason", 2), "memory");
  EXPECT_EQ(table.number("reason_margin", 2), 1e9);
  EXPECT_TRUE(std::isnan(table.number("step_time", 2)));
  EXPECT_TRUE(std::isnan(table.number("mfu", 2)));
  EXPECT_TRUE(std::isnan(table.part("breakdown/exposed_time", 2, "bubble")));
  EXPECT_FALSE(std::isnan(table.number("mem_peak", 2)));
  EXPECT_TRUE(std::isnan(table.number("reason_margin", 0)));
  EXPECT_EQ(table.text("evidence", 2), "none");
}

TEST(ResultFile, NamesOnlyWhatItsRowsUseInAlphabeticalOrder) {
  const Written file(sample_rows(4));
  EXPECT_EQ(read_all(file.path).find("model")->meanings, (std::vector<std::string>{"alpha", "zeta"}));
}

TEST(ResultFile, CountsRowsByStatus) {
  const Written file(sample_rows(9));
  EXPECT_EQ(file.summary.by_status[0], 6);
  EXPECT_EQ(file.summary.by_status[1], 3);
  EXPECT_EQ(read_state(file.path)->by_status, file.summary.by_status);
  EXPECT_TRUE(read_state(file.path)->complete);
  EXPECT_EQ(read_state(file.path)->sweep_key, "00ff");
}

TEST(ResultFile, KeepsTheSweepVerbatim) {
  const Written file(sample_rows(1));
  EXPECT_EQ(storage::Hdf5File(file.path, storage::Hdf5File::Mode::read).text("/provenance/sweep_toml"),
            "schema = 1\n");
}

TEST(ResultFile, MayBeEmpty) {
  const Written file({});
  EXPECT_EQ(read_all(file.path).rows(), 0);
  EXPECT_TRUE(read_state(file.path)->complete);
}

TEST(ResultFile, LeavesNothingHalfWrittenBehind) {
  const Written file(sample_rows(5));
  EXPECT_FALSE(std::filesystem::exists(file.path.string() + ".tmp"));
}

TEST(ResultFile, RefusesAPlaceItCannotWriteWithExitCode5) {
  RowsInMemory rows(sample_rows(1));
  try {
    (void)write_results("/proc/nowhere/a.h5", rows, sample_catalog(), {}, {});
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 5);
  }
}

TEST(ResultFile, FindsAConfigByTheStartOfItsId) {
  const Written file(sample_rows(64));
  const Table table = read_all(file.path);
  char id[17];
  std::snprintf(id, sizeof id, "%016llx", static_cast<unsigned long long>(table.config_id(17)));
  EXPECT_EQ(table.row_of(std::string_view(id).substr(0, 12)), 17);
  EXPECT_EQ(table.row_of("zz"), std::nullopt);
  EXPECT_EQ(table.row_of(""), std::nullopt);  // every id starts so
}

TEST(Schema, DescribesEveryColumn) {
  for (const Column& column : column_table()) {
    EXPECT_STRNE(column.units, "") << column.path;
    EXPECT_STRNE(column.long_name, "") << column.path;
    EXPECT_STRNE(column.description, "") << column.path;
  }
}

TEST(Schema, SpellsFixedMeaningsAsTheProgramDoes) {
  const auto expect_meanings = [](std::string_view path, auto names) {
    for (const Column& column : column_table())
      if (path == column.path) {
        ASSERT_EQ(column.meanings.size(), names.size()) << path;
        for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(column.meanings[i], names[i]) << path;
      }
  };
  expect_meanings("recompute", training::recompute_names);
  expect_meanings("precision", machine::precision_names);
  for (const training::AxisInfo& info : training::axis_table)
    if (info.kind == training::AxisKind::word && !training::member_of(info.axis).words.empty())
      expect_meanings(info.name, training::member_of(info.axis).words);
}

}  // namespace
}  // namespace echo::results
