#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "tests/support/scratch_files.hpp"
#include "trace_io/format.hpp"

namespace echo::trace_io {
namespace {

using echo::testing::ScratchFiles;

TEST(FormatTable, EveryRowSaysWhatItIsAndWhoseItIs) {
  std::set<std::string> names;
  for (const Format* format : format_table()) {
    EXPECT_TRUE(names.insert(format->name).second) << format->name;
    EXPECT_NE(std::string(format->summary), "") << format->name;
    EXPECT_NE(std::string(format->source), "") << format->name;
    EXPECT_NE(format->recognises, nullptr) << format->name;
    EXPECT_TRUE(format->read != nullptr || format->write != nullptr) << format->name;
    EXPECT_EQ(format_named(format->name), format);
  }
  EXPECT_EQ(format_named("no such"), nullptr);
}

TEST(FormatTable, NoReaderTakesWhatIsNone) {
  const ScratchFiles files;
  std::filesystem::create_directories(files.path("folder"));
  const std::string paths[] = {files.write("empty.json", ""), files.write("text.json", "{\"a\": [1, 2"),
                               files.write("noise.json", std::string("\x1f\x8b\0\xff{[\"", 7)),
                               files.path("missing.json"), files.path("folder")};
  for (const Format* format : format_table())
    for (const std::string& path : paths) {
      if (format->read == nullptr) continue;
      try {
        static_cast<void>(format->read({path}));
        ADD_FAILURE() << format->name << " read " << path;
      } catch (const UserError& error) {
        EXPECT_EQ(error.exit_code(), 2) << format->name << " of " << path;
        EXPECT_FALSE(error.problems().empty());
      }
    }
}

TEST(FormatTable, AFileOfNoFormatIsRefusedWithTheNamesOfAll) {
  const ScratchFiles files;
  try {
    static_cast<void>(read_trace({files.write("a.json", "{\"a\": 1}")}));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(error.problems().at(0).remedy.find("kineto"), std::string::npos);
  }
}

}  // namespace
}  // namespace echo::trace_io
