#include "base/printable.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_bytes.hpp"

namespace echo {
namespace {

TEST(Printable, LeavesTextAlone) {
  const std::string text = "a\tb\nc: 50 \u00b5s \u2192 \U0001F600";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, WritesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("a\rb\x7f"), "a\\x0db\\x7f");
  EXPECT_EQ(printable("\u009b31m"), "\\x9b31m");  // C1: an escape sequence in one character
  EXPECT_EQ(printable("\u202egnp.exe"), "\\u202egnp.exe");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");           // not UTF-8
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // an overlong form
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half a pair
}

TEST(Printable, IsPrintableWhateverTheBytes) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const std::string text = printable(support::random_bytes(seed, 64));
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t length = utf8_length(rest);
      ASSERT_GT(length, 0U) << seed;
      const std::string_view one = rest.substr(0, length);
      ASSERT_TRUE(one == "\n" || one == "\t" || !is_control_character(one)) << seed;
      rest.remove_prefix(length);
    }
    EXPECT_EQ(printable(text), text);
  }
}

}  // namespace
}  // namespace echo
