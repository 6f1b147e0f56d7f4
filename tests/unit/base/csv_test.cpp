#include "base/csv.hpp"

#include <gtest/gtest.h>

namespace echo {
namespace {

TEST(CsvTable, ReadsQuotedCellsWithCommasQuotesAndLineEnds) {
  const CsvTable t = CsvTable::parse("a,b\r\n1,\"x, \"\"y\"\"\nz\"\r\n\n2,plain\n", "t.csv");
  ASSERT_EQ(t.rows(), 2U);
  EXPECT_EQ(t.text(0, "b"), "x, \"y\"\nz");
  EXPECT_EQ(t.integer(1, "a"), 2);
  EXPECT_EQ(t.place(1).line, 5);
}

TEST(CsvTable, BlankCellsAndMissingColumnsAreNothing) {
  const CsvTable t = CsvTable::parse("a,b\n,1.5\n", "t.csv");
  EXPECT_EQ(t.number(0, "a"), std::nullopt);
  EXPECT_EQ(t.number(0, "c"), std::nullopt);
  EXPECT_EQ(t.number(0, "b"), 1.5);
}

std::string complaint(std::string_view text, const char* column = nullptr) {
  try {
    const CsvTable t = CsvTable::parse(text, "t.csv");
    if (column != nullptr) static_cast<void>(t.integer(0, column));
  } catch (const UserError& e) {
    const Problem& p = e.problems().front();
    return p.place.file + ":" + std::to_string(p.place.line) + " " + p.what;
  }
  return "";
}

TEST(CsvTable, NamesTheLineOfEveryKindOfDamage) {
  EXPECT_EQ(complaint(""), "t.csv:1 the table is empty");
  EXPECT_EQ(complaint("a,b\n1,2\n1\n"), "t.csv:3 the row has 1 cells, the header 2");
  EXPECT_EQ(complaint("a\n\"open\n"), "t.csv:2 a quoted cell is never closed");
  EXPECT_EQ(complaint("a\n1x\n", "a"), "t.csv:2 column a: \"1x\" is not a number");
  EXPECT_EQ(complaint("a\ninf\n", "a"), "t.csv:2 column a: \"inf\" is not a number");
  EXPECT_EQ(complaint("a\n1.5\n", "a"), "t.csv:2 column a must be a whole number");
  EXPECT_EQ(complaint("a\n1e300\n", "a"), "t.csv:2 column a must be a whole number");
}

TEST(CsvTable, PlacesOfCellsAreWhereTheyStandInTheirLine) {
  const CsvTable t = CsvTable::parse("a,bb,c\n1,\"x,y\",12\n\n,,z\n", "t.csv");
  EXPECT_EQ(t.place(0, "a").column, 1);
  EXPECT_EQ(t.place(0, "bb").column, 3);
  EXPECT_EQ(t.place(0, "c").column, 9);
  EXPECT_EQ(t.place(0, "c").length, 2);
  EXPECT_EQ(t.place(1, "c").line, 4);
  EXPECT_EQ(t.place(1, "c").column, 3);
  EXPECT_EQ(t.header_place("c").column, 6);
  EXPECT_EQ(t.place(1, "no such column").column, 1);
}

TEST(Csv, ReportsFiftyWrongRowsAndCountsTheRest) {
  std::string text = "a,b\n";
  for (int i = 0; i < 100'000; ++i) text += "1\n";
  try {
    (void)CsvTable::parse(text, "t.csv");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.problems().size(), 51U);
    EXPECT_EQ(error.problems().back().what, "99950 more rows cannot be used either");
  }
}

}  // namespace
}  // namespace echo
