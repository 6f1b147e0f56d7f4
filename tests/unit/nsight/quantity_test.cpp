#include "nsight/quantity.hpp"

#include <gtest/gtest.h>

namespace echo::nsight {
namespace {

TEST(Quantity, ReadsDigitsInGroupsOfThree) {
  EXPECT_EQ(number_in("0"), 0.0);
  EXPECT_EQ(number_in("36.48"), 36.48);
  EXPECT_EQ(number_in("2,848"), 2848.0);
  EXPECT_EQ(number_in("1,234,567.25"), 1234567.25);
  EXPECT_EQ(number_in("-1e-3"), -1e-3);
}

// Another locale's "1.234,5" must not become 1.2345.
TEST(Quantity, RefusesWhatIsNoSuchNumber) {
  for (const char* cell :
       {"", "1.234,5", "1,23", "12,3456", ",123", "1,", "1 234", "0x10", "nan", "inf", "1e999", "5%"})
    EXPECT_EQ(number_in(cell), std::nullopt) << cell;
}

TEST(Quantity, KnowsTheUnitsOfEveryVersion) {
  EXPECT_EQ(seconds_of("usecond"), 1e-6);
  EXPECT_EQ(seconds_of("ns"), 1e-9);
  EXPECT_EQ(seconds_of("cycle"), std::nullopt);
  EXPECT_EQ(bytes_of("Kbyte/block"), 1000.0);
  EXPECT_EQ(bytes_of("byte"), 1.0);
  EXPECT_EQ(bytes_of("%"), std::nullopt);
}

TEST(Quantity, APercentageALittleAboveAHundredIsAll) {
  EXPECT_EQ(share_of(53.5), 0.535);
  EXPECT_EQ(share_of(100.96), 1.0);
  EXPECT_EQ(share_of(106.0), std::nullopt);
  EXPECT_EQ(share_of(-0.5), std::nullopt);
}

}  // namespace
}  // namespace echo::nsight
