#include "base/place_in_text.hpp"

#include <gtest/gtest.h>

namespace echo {
namespace {

TEST(PlaceInText, CountsLinesAndColumnsFromOne) {
  const std::string text = "ab\n\ncd\n";
  std::int32_t line = 1, column = 1;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const Place place = place_in_text(text, at, "f");
    EXPECT_EQ(place.line, line) << at;
    EXPECT_EQ(place.column, column) << at;
    EXPECT_EQ(place.length, 1);
    if (at < text.size() && text[at] == '\n')
      ++line, column = 1;
    else
      ++column;
  }
  EXPECT_EQ(place_in_text(text, 100, "f").line, 4) << "behind the end";
  EXPECT_EQ(place_in_text(text, 5, "f", 2).length, 2);
}

}  // namespace
}  // namespace echo
