#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "text/csv_cell.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::text {
namespace {

TEST(ShowQuantity, PicksTheUnitThatReadsBest) {
  EXPECT_EQ(show_time(4.8125), "4.812 s");
  EXPECT_EQ(show_time(0.0125), "12.50 ms");
  EXPECT_EQ(show_time(-31.24e-6), "-31.2 us");
  EXPECT_EQ(show_time(std::nan("")), "-");
  EXPECT_EQ(show_duration(200.0), "3 min 20 s");
  EXPECT_EQ(show_duration(7500.0), "2 h 05 min");
  EXPECT_EQ(show_gib(61.25 * 1073741824.0), "61.2 GiB");
  EXPECT_EQ(show_count(3317760), "3 317 760");
  EXPECT_EQ(show_count(-1000), "-1 000");
  EXPECT_EQ(show_count(-100), "-100");
  EXPECT_EQ(show_bar(0.5, 10), "#####");
  EXPECT_EQ(show_bar(7.0, 4), "####");
}

TEST(TextTable, AlignsAndLeavesNoTrailingBlanks) {
  TextTable table({"n", "<name", "<"});
  table.add({"1", "a", ""});
  table.add({"20", "long", "###"});
  EXPECT_EQ(table.text(), " n  name\n 1  a\n20  long  ###\n");
}

TEST(Json, EscapesAndNests) {
  Json json;
  json.open_object().member("a\"b", "x\ny").key("list").open_array().value(1).value(0.5).close();
  json.member("nothing", std::nan("")).member("yes", true).key("empty").open_array().close().close();
  EXPECT_EQ(json.text(),
            "{\n  \"a\\\"b\": \"x\\ny\",\n  \"list\": [\n    1,\n    0.5\n  ],\n  \"nothing\": null,\n  "
            "\"yes\": true,\n"
            "  \"empty\": []\n}\n");
}

TEST(CsvCell, IsQuotedWhereACsvReaderWouldSplitIt) {
  EXPECT_EQ(csv_cell("plain word"), "plain word");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_cell("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_cell("two\rlines"), "\"two\rlines\"");
}

TEST(Json, EscapesWhatATerminalWouldObeyAndWhatIsNotUtf8) {
  EXPECT_EQ(json_text("a\x1b[31m\r\x7f\u009b\u202e"), "\"a\\u001b[31m\\u000d\\u007f\\u009b\\u202e\"");
  EXPECT_EQ(json_text("\xff \u00e9"), "\"\\ufffd \u00e9\"");
}

TEST(TextTable, ShowsControlCharactersAndAlignsWhatIsShown) {
  TextTable table({"<a", "<b"});
  table.add({"x\x1b", "y"});
  EXPECT_EQ(table.text(), "a      b\nx\\x1b  y\n");
}

}  // namespace
}  // namespace echo::text
