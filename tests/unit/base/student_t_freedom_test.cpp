// Student's t of any number of degrees of freedom: against tables, and against the form with four.
#include <gtest/gtest.h>

#include "base/student_t.hpp"

namespace echo {
namespace {

TEST(StudentT, HasTheQuantilesOfTables) {
  // Abramowitz and Stegun, table 26.10: one tail of 0.1 and of 0.025.
  struct Row {
    int freedom;
    double tenth, fortieth;
  };
  for (const Row& row :
       {Row{1, 3.078, 12.706}, Row{2, 1.886, 4.303}, Row{3, 1.638, 3.182}, Row{5, 1.476, 2.571},
        Row{10, 1.372, 2.228}, Row{30, 1.310, 2.042}, Row{120, 1.289, 1.980}}) {
    EXPECT_NEAR(student_t_quantile(0.9, row.freedom), row.tenth, 6e-4) << row.freedom;
    EXPECT_NEAR(student_t_quantile(0.975, row.freedom), row.fortieth, 6e-4) << row.freedom;
  }
}

TEST(StudentT, OfFourDegreesIsTheClosedForm) {
  for (double t = -8.0; t <= 8.0; t += 0.37) EXPECT_NEAR(student_t_cdf(t, 4), student_t4_cdf(t), 1e-14);
  for (const double p : {0.01, 0.3, 0.5, 0.9})
    EXPECT_NEAR(student_t_quantile(p, 4), student_t4_quantile(p), 2e-9);
}

}  // namespace
}  // namespace echo
