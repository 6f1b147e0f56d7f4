#include "validation/validate_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace echo::validation {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<slowdown::ProfileRow> rows() {
  const CsvTable table = CsvTable::parse(
      "row_kind,gpu,sm_count,class,ctas,ov_frac,comm_kind,comm_ctas,slowdown,recommended\n"
      "compute,H100,132,gemm,264,1,all_gather,24,1.25,1\n"
      "comm,H100,132,comm,24,1,all_gather,24,1.1,1\n",
      "overlaps.csv");
  EXPECT_TRUE(slowdown::is_profile_table(table));
  return slowdown::read_profile_rows(table);
}

const config::CatalogInputs& presets() {
  static const config::CatalogInputs inputs = config::read_catalog();
  return inputs;
}

TEST(ValidateProfile, WritesARowForEachOfTheTable) {
  const auto out = validate_profile(rows(), "overlaps.csv", "auto", presets(), {.wants_csv = true});
  EXPECT_EQ(out.csv_header, "row,status,reason,measured,predicted,ratio\n");
  EXPECT_THAT(out.csv, StartsWith("1,predicted,,1.25,1.22222,0.977778\n2,skipped,"));
  EXPECT_EQ(out.claimed.scored, 1);
  EXPECT_THAT(out.text, HasSubstr("waiting for its peers"));
}

TEST(ValidateProfile, OffPredictsNoSlowdown) {
  const auto out = validate_profile(rows(), "overlaps.csv", "off", presets(), {.wants_csv = true});
  EXPECT_THAT(out.csv, StartsWith("1,predicted,,1.25,1,0.8\n"));
  EXPECT_THROW((void)validate_profile(rows(), "overlaps.csv", "site.slowdown", presets(), {}), UserError);
}

}  // namespace
}  // namespace echo::validation
