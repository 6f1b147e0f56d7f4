#include "config/measured/step_columns.hpp"

#include <gtest/gtest.h>

#include "config/measured/measured_steps.hpp"
#include "tests/support/random_config.hpp"

namespace echo::config {
namespace {

std::vector<Problem> problems_of(const std::string& text) {
  try {
    (void)read_measured_steps(CsvTable::parse(text, "t.csv"), support::presets());
  } catch (const UserError& error) {
    return error.problems();
  }
  return {};
}

TEST(StepColumns, ASlipInAColumnsNameIsAnErrorWithWhatWasMeant) {
  const auto problems = problems_of("row_id,framework,globl_batch,step_time_s\na,megatron-lm,64,1\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].place.column, 18);
  EXPECT_EQ(problems[0].remedy, "did you mean \"global_batch\"?");
  EXPECT_EQ(problems[0].severity, Problem::Severity::error);
}

TEST(StepColumns, ARemarkOfTheUsersIsAWarning) {
  const MeasuredSteps steps = read_measured_steps(
      CsvTable::parse("row_id,who_measured_it,step_time_s\na,me,1\n", "t.csv"), support::presets());
  ASSERT_EQ(steps.warnings.size(), 1U);
  EXPECT_EQ(steps.warnings[0].severity, Problem::Severity::warning);
  EXPECT_EQ(steps.warnings[0].place.column, 8);
}

TEST(StepColumns, EveryCellThatIsNoNumberIsToldWithItsPlace) {
  const auto problems = problems_of("row_id,tp,pp,global_batch,step_time_s\na,two,1,64,1\nb,1.5,1,x,1s\n");
  ASSERT_EQ(problems.size(), 4U);
  const std::vector<std::pair<int, int>> places{{2, 3}, {3, 3}, {3, 9}, {3, 11}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(problems[i].place.line, places[i].first);
    EXPECT_EQ(problems[i].place.column, places[i].second);
    EXPECT_FALSE(problems[i].remedy.empty());
  }
}

TEST(StepColumns, ATableOfOneSlipOverAndOverIsNotToldForever) {
  std::string text = "row_id,tp,step_time_s\n";
  for (int i = 0; i < 1000; ++i) text += "a,two,1\n";
  EXPECT_EQ(problems_of(text).size(), 20U);
}

}  // namespace
}  // namespace echo::config
