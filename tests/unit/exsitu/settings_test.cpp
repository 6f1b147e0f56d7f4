#include "exsitu/settings.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace echo::exsitu {
namespace {

TEST(Version, CodesAndVersionsAreUnderstood) {
  EXPECT_EQ(version_code("22809"), 22809);
  EXPECT_EQ(version_code("2.28.9"), 22809);
  EXPECT_EQ(version_code("2.30"), 23000);
  EXPECT_EQ(version_code("2.7.8"), 2708);  // the older way of counting
  for (const char* text : {"", "2.", ".2", "2.x", "2.300.1", "2.28.9.1", "-5", "two", "2,28"})
    EXPECT_EQ(version_code(text), 0) << text;
}

TEST(FileName, PlaceholdersAreFilledIn) {
  EXPECT_EQ(file_name("a.%p.%r", 12, 37), "a.12.37");
  EXPECT_EQ(file_name("%%p %x %", 12, 37), "%p %x %");
  EXPECT_EQ(file_name("%r", 12, -1), "unknown");
}

TEST(Settings, AreThereWithoutAnEnvironment) {
  const Settings s = settings_of([](const char*) -> const char* { return nullptr; });
  EXPECT_EQ(s.copy_below, 1 << 20);
  EXPECT_EQ(s.gpu_trace_file, s.trace_file + ".gpu");
  EXPECT_EQ(s.rank, -1);
}

TEST(Settings, OursGoBeforeTorchruns) {
  const Settings s = settings_of([](const char* name) -> const char* {
    if (std::string_view(name) == "ECHO_RANK") return "5";
    if (std::string_view(name) == "RANK") return "6";
    if (std::string_view(name) == "WORLD_SIZE") return "9 ";
    return nullptr;
  });
  EXPECT_EQ(s.rank, 5);
  EXPECT_EQ(s.world, -1);  // "9 " is no number
}

}  // namespace
}  // namespace echo::exsitu
