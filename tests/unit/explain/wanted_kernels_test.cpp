#include "explain/wanted_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/csv.hpp"
#include "ops/kernel_fields.hpp"
#include "tests/support/sample_profile.hpp"

namespace echo::explain {
namespace {

ops::KernelKey key_in(const CsvTable& table, std::size_t row) {
  ops::KernelKey key;
  for (const ops::KernelField& field : ops::kernel_fields()) {
    const auto word = table.text(row, field.name);
    if (field.names.empty())
      field.set(key, table.integer(row, field.name).value());
    else
      field.set(key, static_cast<std::int32_t>(std::find(field.names.begin(), field.names.end(), word) -
                                               field.names.begin()));
  }
  return key;
}

TEST(WantedKernels, AreWrittenWithEveryMemberOfTheirKeys) {
  std::vector<KernelGap> gaps;
  for (const kernels::Measurement& row : testing::sample_profile().rows) {
    KernelGap gap;
    gap.gpu = "h100-sxm", gap.key = row.key, gap.grade = ops::Grade::interpolated;
    gap.share = 0.25, gap.error = 0.125, gap.points = 3;
    gaps.push_back(gap);
  }
  const CsvTable table = CsvTable::parse(wanted_csv(gaps), "wanted.csv");
  ASSERT_EQ(table.rows(), gaps.size());
  for (std::size_t row = 0; row < gaps.size(); ++row) {
    EXPECT_EQ(key_in(table, row), gaps[row].key);
    EXPECT_EQ(table.text(row, "gpu"), "h100-sxm");
    EXPECT_EQ(table.number(row, "share"), 0.25);
    EXPECT_EQ(table.number(row, "error"), 0.125);
    EXPECT_EQ(table.text(row, "price"), "interpolated");
    EXPECT_EQ(table.integer(row, "points"), 3);
  }
}

}  // namespace
}  // namespace echo::explain
