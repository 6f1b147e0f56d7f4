#include "base/problems.hpp"

#include <gtest/gtest.h>

namespace echo {
namespace {

std::vector<Problem> thrown_by(const Problems& problems) {
  try {
    problems.throw_if_any();
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    return error.problems();
  }
  return {};
}

TEST(Problems, WarningsAlonePass) {
  Problems problems;
  problems.warning({"a.toml", 1, 1}, "w", "r");
  EXPECT_NO_THROW(problems.throw_if_any());
  EXPECT_EQ(problems.list().size(), 1u);
}

TEST(Problems, OfSeveralFilesStandOnceEachInOrderOfFilesAndLines) {
  Problems problems;
  problems.error({"b.toml", 9, 1}, "second", "r");
  problems.error({"a.toml", 1, 1}, "third", "r");
  problems.error({"b.toml", 2, 1}, "first", "r");
  problems.error({"b.toml", 9, 1}, "second", "r");
  EXPECT_EQ(problems.errors(), 4);
  const std::vector<Problem> found = thrown_by(problems);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].what, "first");
  EXPECT_EQ(found[1].what, "second");
  EXPECT_EQ(found[2].what, "third");
}

TEST(Problems, OfALongFileStandAsFoundAndAreCountedPastTheLimit) {
  Problems problems("t.csv", {.most = 2, .rest = "more rows are wrong"});
  for (const std::int32_t line : {7, 3, 3, 5, 6}) problems.error_at(line, 1, "bad", "r");
  EXPECT_EQ(problems.errors(), 5);
  const std::vector<Problem> found = thrown_by(problems);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].place.line, 7);
  EXPECT_EQ(found[1].place.line, 3);
  EXPECT_EQ(found[1].place.file, "t.csv");
  EXPECT_EQ(found[2].what, "3 more rows are wrong");
  EXPECT_EQ(found[2].place.line, 0);
}

TEST(Problems, OfAFileWithVeryManyAreCutAndSaySo) {
  Problems problems;
  for (std::int32_t line = 100'000; line > 0; --line) problems.warning({"b.toml", line, 1}, "w", "r");
  EXPECT_EQ(problems.list().size(), Problems::most_listed + 1);
  EXPECT_EQ(problems.list().back().severity, Problem::Severity::warning);
  problems.error({"a.toml", 1, 1}, "e", "r");
  const std::vector<Problem> found = thrown_by(problems);
  ASSERT_EQ(found.size(), Problems::most_listed + 1);
  EXPECT_EQ(found.front().place.line, 100'000 - 500 + 1);
  EXPECT_EQ(found.back().what, "there are more problems than these 500");
  EXPECT_EQ(found.back().severity, Problem::Severity::error);
}

}  // namespace
}  // namespace echo
