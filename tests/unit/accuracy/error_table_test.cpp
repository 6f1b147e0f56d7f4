#include "accuracy/error_table.hpp"

#include <gtest/gtest.h>

namespace echo::accuracy {
namespace {

TEST(ErrorTable, SummarisesRelativeErrors) {
  const ErrorSummary s = summarise({{"a", 1.0, 1.1}, {"a", 2.0, 1.6}, {"b", 1.0, 1.0}});
  EXPECT_EQ(s.scored, 3);
  EXPECT_NEAR(s.median_ape, 0.1, 1e-12);
  EXPECT_NEAR(s.mean_ape, 0.1, 1e-12);
  EXPECT_NEAR(s.p90_ape, 0.18, 1e-12);  // four fifths of the way from 0.1 to 0.2
  EXPECT_NEAR(s.max_ape, 0.2, 1e-12);
  EXPECT_NEAR(s.bias, -0.1 / 3, 1e-12);
}

TEST(ErrorTable, NamesThatStartWithANumberStandInItsOrderBeforeTheOthers) {
  std::string order;
  for (const auto& [name, errors] :
       summarise_by_group({{"plain", 1, 1}, {"65-512", 1, 1}, {"9-64", 1, 1}, {"1", 1, 1}, {"9-10", 1, 1}}))
    order += name + " ";
  EXPECT_EQ(order, "1 9-10 9-64 65-512 plain ");
}

TEST(ErrorTable, GroupsStandByName) {
  const auto groups = summarise_by_group({{"a", 1.0, 1.1}, {"b", 1.0, 0.5}, {"a", 1.0, 1.3}});
  EXPECT_EQ(groups.at("a").scored, 2);
  EXPECT_NEAR(groups.at("b").bias, -0.5, 1e-12);
}

}  // namespace
}  // namespace echo::accuracy
