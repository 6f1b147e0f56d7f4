// What a file keeps of its rows, against the same worked out from them.
#include "results/rank/kept_findings.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>

#include "results/rank/objectives.hpp"
#include "results/rank/row_errors.hpp"
#include "results/updated_file.hpp"
#include "results/write/result_file.hpp"
#include "results/write/update_file.hpp"
#include "tests/support/sample_rows.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_file.hpp"

namespace echo::results {
namespace {

// With errors, so that some points tie and some are unproven.
void write_sample(const std::filesystem::path& path, std::int64_t count,
                  std::vector<sweep::Objective> objectives, float error) {
  auto rows = sample_rows(count);
  for (FinishedRow& finished : rows) {
    simulate::StepReport& report = finished.row.report;
    report.rel_error = error, report.rel_error_p90 = 1.3F * error;
    report.error[index_of(ErrorSource::layout)] = error;
    report.mem_rel_error = 0.5F * error;
    report.fit_chance = 1.0F;
  }
  RowsInMemory stream(rows);
  static_cast<void>(
      write_results(path, stream, sample_catalog(),
                    {.name = "kept", .sweep_key = "00ff", .ids = count, .objectives = std::move(objectives)},
                    {.program = "test"}));
}

bool is_same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void expect_same(const std::vector<FrontPoint>& a, const std::vector<FrontPoint>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].row, b[i].row);
    EXPECT_TRUE(is_same(a[i].first, b[i].first) && is_same(a[i].second, b[i].second)) << i;
    EXPECT_EQ(a[i].standing, b[i].standing);
    EXPECT_EQ(a[i].rival, b[i].rival);
    EXPECT_TRUE(std::isnan(b[i].rival_chance) ? std::isnan(a[i].rival_chance)
                                              : is_same(a[i].rival_chance, b[i].rival_chance));
  }
}

TEST(KeptFindings, AreThoseOfTheRows) {
  const sweep::Objective fast{"step_time", sweep::Goal::min}, small{"mem_peak", sweep::Goal::min},
      high{"mfu", sweep::Goal::max};
  std::int64_t unproven = 0;
  const std::vector<float> errors =
      support::is_sanitized ? std::vector{0.2F} : std::vector{0.0F, 0.001F, 0.2F};
  for (const float error : errors)
    for (const auto& objectives : {std::vector<sweep::Objective>{}, {fast, small}, {high, fast}}) {
      const TempFile file("kept.h5");
      write_sample(file.path, 400, objectives, error);
      const ResultFile rows(file.path);
      const auto both = two_objectives(objectives);
      const auto front = kept_front(rows);
      ASSERT_TRUE(front);
      expect_same(*front, robust_front(rows, both[0], both[1]));
      unproven += count_of(*front, Standing::unproven);
      const auto effects = kept_effects(rows, both[0].metric);
      const auto expected = main_effects(rows, both[0].metric);
      ASSERT_TRUE(effects);
      ASSERT_FALSE(expected.empty());
      ASSERT_EQ(effects->size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ((*effects)[i].axis, expected[i].axis);
        EXPECT_TRUE(is_same((*effects)[i].share, expected[i].share)) << expected[i].axis;
      }
      EXPECT_FALSE(kept_effects(rows, "bubble_frac"));
    }
  EXPECT_GT(unproven, 0);
}

TEST(KeptFindings, AreNotThoseOfAFileWithMeasuredRuns) {
  const TempFile file("predicted.h5"), updated("updated.h5");
  write_sample(file.path, 100, {}, 0.1F);
  const std::vector<RunOfRow> runs{{.row = 0, .step_time = 9.0, .steps = 10}};
  update_file(file.path, runs, updated.path);
  for (const auto* const kind : {"as predicted", "as updated"}) {
    SCOPED_TRACE(kind);
    const auto rows = kind == std::string("as updated")
                          ? std::unique_ptr<ResultFile>(new UpdatedFile(updated.path))
                          : std::make_unique<ResultFile>(updated.path);
    EXPECT_FALSE(kept_front(*rows));
    EXPECT_FALSE(kept_effects(*rows, "step_time"));
  }
}

TEST(KeptFindings, AreNoneOfRowsInMemoryOrWithoutAFeasibleOne) {
  const TempFile file("empty.h5");
  write_sample(file.path, 0, {}, 0.1F);
  EXPECT_FALSE(kept_front(ResultFile(file.path)));
  EXPECT_FALSE(kept_effects(ResultFile(file.path), "step_time"));
  EXPECT_FALSE(kept_front(Table({})));
}

}  // namespace
}  // namespace echo::results
