#include "config/toml/document_limits.hpp"

#include <toml++/toml.h>

#include <gtest/gtest.h>

#include "config/toml/toml_reader.hpp"

namespace echo::config {
namespace {

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

// The first problem, as "line:column what"; empty where there is none.
std::string problem_of(const std::string& text, bool is_read = false) {
  Problems problems;
  const auto table = parse_toml(text, "a.toml", problems);
  EXPECT_EQ(table.has_value(), problems.errors() == 0 || is_read);
  if (problems.list().empty()) return "";
  const Problem& first = problems.list().front();
  return std::to_string(first.place.line) + ":" + std::to_string(first.place.column) + " " + first.what;
}

TEST(DocumentLimits, AKeyOfManyPartsIsRefusedBeforeItIsParsed) {
  const std::string deep = repeated("a.", 50'000) + "a";
  EXPECT_EQ(problem_of("x = 1\n  " + deep + " = 1\n"), "2:3 this key has more than 16 parts");
  EXPECT_EQ(problem_of("[" + deep + "]\n"), "1:2 this key has more than 16 parts");
  EXPECT_EQ(problem_of("x = {" + deep + " = 1}"), "1:6 this key has more than 16 parts");
  EXPECT_EQ(problem_of(repeated("\"a\" . ", 20) + "a = 1"), "1:1 this key has more than 16 parts");
  EXPECT_EQ(problem_of(repeated("a.", 15) + "a = 1"), "");
}

TEST(DocumentLimits, DotsElsewhereAreNone) {
  const std::string dots = repeated(".", 100);
  EXPECT_EQ(problem_of("a = \"" + dots + "\" # " + dots + "\nb = '" + dots + "'\n"), "");
  EXPECT_EQ(problem_of("a = \"\"\"\n\"" + dots + "\n\"\"\"\nb = '''\n" + dots + "'\n'''\n"), "");
  EXPECT_EQ(problem_of("a = [" + repeated("1.5, ", 100) + "]\n"), "");
  EXPECT_EQ(problem_of("a = \"\\\"" + dots + "\"\n"), "");
}

TEST(DocumentLimits, NestedValuesAreTheParsersToRefuse) {
  EXPECT_NE(problem_of("a = " + repeated("[", 100'000)), "");
  EXPECT_NE(problem_of("a = " + repeated("{a=", 100'000)), "");
}

TEST(DocumentLimits, LongTextsAndKeysAreRefused) {
  EXPECT_EQ(problem_of("a = \"" + repeated("x", 4096) + "\""), "");
  EXPECT_EQ(problem_of("a = \"" + repeated("x", 10'000'000) + "\""),
            "1:6 a text of 10000000 bytes is too long");
  EXPECT_EQ(problem_of("a = [[\"" + repeated("x", 5000) + "\"]]"), "1:8 a text of 5000 bytes is too long");
  EXPECT_EQ(problem_of(repeated("x", 5000) + " = 1"), "1:1 a key of 5000 bytes is too long");
}

TEST(DocumentLimits, ControlCharactersAreProblemsButTheRestIsRead) {
  EXPECT_EQ(problem_of("a = \"b\\u0000c\"", true), "1:6 a text holds the control character \\x00");
  EXPECT_EQ(problem_of("a = \"\\u001b[31m\"", true), "1:6 a text holds the control character \\x1b");
  EXPECT_EQ(problem_of("\"a\\u0007\" = 1", true), "1:1 a key holds the control character \\x07");
  EXPECT_EQ(problem_of("a = \"b\\tc\\nd\""), "");
}

TEST(DocumentLimits, AFileOfManyMebibytesIsRefused) {
  EXPECT_EQ(problem_of(repeated("# comment\n", 2'000'000)), "0:0 this file has 19 MiB");
}

TEST(DocumentLimits, AListOfManyTablesIsRefused) {
  Problems problems;
  const auto table = parse_toml(repeated("[[keep]]\n", 1001), "a.toml", problems);
  EXPECT_TRUE(tables_in(*table->get("keep"), "keep", problems).empty());
  ASSERT_EQ(problems.list().size(), 1U);
  EXPECT_EQ(problems.list()[0].what, "keep has 1001 entries");
}

}  // namespace
}  // namespace echo::config
