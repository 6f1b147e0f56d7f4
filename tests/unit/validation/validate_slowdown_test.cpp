#include "validation/validate_slowdown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/toml/read_file.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/temp_file.hpp"

namespace echo::validation {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A kernel that does not overlap, one that takes half as long again beside communication throughout.
constexpr const char* table =
    "kShortName,ground_truth,duration,overlap_ratio,Compute throughput,Memory throughput,DRAM throughput\n"
    "gemm,1000,1000,0.0,90,30,10\n"
    "add,2000,3000,1.0,10,90,90\n";

ValidatedTable validated(const SlowdownChoice& choice) {
  ValidateOptions options;
  options.wants_csv = true;
  const CsvTable csv = CsvTable::parse(table, "t.csv");
  return validate_slowdown(nsight::read_echo_table(csv, "not-named"), "t.csv", choice, options);
}

TEST(ValidateSlowdown, ErrorsAreOfTheOverlappedTimeBesideNoSlowdown) {
  const ValidatedTable half = validated({"half", [](const slowdown::OverlapRow&) { return 0.5; }});
  EXPECT_EQ(half.all.scored, 2);
  EXPECT_NEAR(half.all.max_ape, 0.0, 1e-9);
  EXPECT_NEAR(half.by.at("model").at("no slowdown").max_ape, 1.0 / 3, 1e-9);
  EXPECT_THAT(half.text, HasSubstr("half beats \"no slowdown\""));
  const CsvTable rows = CsvTable::parse(half.csv_header + half.csv, "rows.csv");
  EXPECT_NEAR(rows.number(1, "predicted").value(), 3e-6, 1e-12);
}

TEST(ValidateSlowdown, OffIsNoSlowdownAndBeatsNothing) {
  const ValidatedTable off = validated(slowdown_on_metrics("off", support::presets()));
  EXPECT_EQ(off.all.mean_ape, off.by.at("model").at("no slowdown").mean_ape);
  EXPECT_THAT(off.text, HasSubstr("does not beat"));
}

TEST(ValidateSlowdown, TheWhiteBoxSlowsWhatDrawsMemoryAndOnlyWhereItOverlaps) {
  const SlowdownChoice choice = slowdown_on_metrics("auto", support::presets());
  const auto rows = nsight::read_echo_table(CsvTable::parse(table, "t.csv"), "not-named").rows;
  EXPECT_GT(choice.of_row(rows[1]), 0.0);
  const ValidatedTable done = validated(choice);
  const CsvTable told = CsvTable::parse(done.csv_header + done.csv, "rows.csv");
  EXPECT_EQ(told.number(0, "ratio"), 1.0);
}

TEST(ValidateSlowdown, SaysWhetherTheModelWasTrainedOnTheseRows) {
  const TempFile file(".csv");
  config::write_whole_file(file.path.string(), table);
  const auto told = [&](const std::string& trained_on) {
    const SlowdownChoice choice{"trees", [](const slowdown::OverlapRow&) { return 0.5; }, trained_on};
    return validate_slowdown(nsight::read_echo_table(CsvTable::parse(table, file.path.string()), "not-named"),
                             file.path.string(), choice, {})
        .text;
  };
  EXPECT_THAT(told(config::fingerprint(table)), HasSubstr("trees was trained on these rows"));
  EXPECT_THAT(told(config::fingerprint(table)), Not(HasSubstr("No row was fitted on")));
  EXPECT_THAT(told("0123456789"), HasSubstr("trees was trained on another file (digest 01234567)"));
  EXPECT_THAT(told(""), HasSubstr("No row was fitted on here"));
}

TEST(ValidateSlowdown, AModelThatIsToldOfShapesSkipsEveryRow) {
  const ValidatedTable done = validated({"trees", {}});
  EXPECT_EQ(done.all.scored, 0);
  EXPECT_THAT(done.text, HasSubstr("skipped     2  the model is told of shapes"));
}

TEST(ValidateSlowdown, AFileThatIsNoModelIsAnError) {
  EXPECT_THROW((void)slowdown_on_metrics("no/such/file", support::presets()), UserError);
}

}  // namespace
}  // namespace echo::validation
