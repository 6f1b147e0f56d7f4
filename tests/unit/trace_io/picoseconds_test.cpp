#include "trace_io/io/picoseconds.hpp"

#include <gtest/gtest.h>

namespace echo::trace_io {
namespace {

TEST(Picoseconds, AreExactInText) {
  EXPECT_EQ(picoseconds_of_nanoseconds("1234.5"), SimTime(1'234'500));
  EXPECT_EQ(picoseconds_of_nanoseconds("0.001"), SimTime(1));
  EXPECT_EQ(picoseconds_of_nanoseconds("1712867402348621.1239"), SimTime(1'712'867'402'348'621'123));
  EXPECT_EQ(picoseconds_of_nanoseconds("2.5e3"), SimTime(2'500'000));
  EXPECT_EQ(picoseconds_of_nanoseconds("-0.5"), SimTime(-500));
  for (const char* text : {"", "x", "1x", "1.5x", "NaN", "1e30", "9000000000000001", "--1"})
    EXPECT_EQ(picoseconds_of_nanoseconds(text), std::nullopt) << text;
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000},
                                   std::int64_t{1'234'560}, std::int64_t{9'000'000'000'000'000'000}})
    EXPECT_EQ(picoseconds_of_nanoseconds(nanoseconds_text(SimTime(count))), SimTime(count));
}

}  // namespace
}  // namespace echo::trace_io
