#include "base/memory_limit.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"

namespace echo {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

class MemoryLimit : public ::testing::Test {
 protected:
  void SetUp() override { set_memory_limit(8 * mebibyte); }
  void TearDown() override { set_memory_limit(std::numeric_limits<std::int64_t>::max()); }
};

// The message, empty where reading `bytes` at once is within the limit.
std::string refusal(std::size_t bytes) {
  try {
    (void)within_memory("trace.et", [&] { return std::vector<char>(bytes).size(); });
    return "";
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    return error.problems().front().place.file + ": " + error.what();
  }
}

TEST_F(MemoryLimit, RefusesWhatIsLargerAndSaysHowToRaiseIt) {
  EXPECT_EQ(refusal(7 * mebibyte), "");
  const std::string text = refusal(9 * mebibyte);
  EXPECT_EQ(text.find("trace.et: reading it takes more memory than the limit of 8192 KiB"), 0U) << text;
  EXPECT_NE(text.find("--max-memory"), text.npos);
}

TEST_F(MemoryLimit, RefusesACountThatNoMachineHolds) {
  EXPECT_NE(refusal(1'000'000'000'000), "");
  EXPECT_NE(refusal(std::vector<char>().max_size()), "");
  EXPECT_NE(refusal(std::numeric_limits<std::size_t>::max()), "");  // a length_error
}

TEST_F(MemoryLimit, CountsWhatIsHeldNotWhatPassedThrough) {
  const std::size_t held = within_memory("a", [] {
    std::size_t bytes = 0;
    for (int i = 0; i < 100; ++i) bytes += std::vector<char>(mebibyte).size();
    return bytes;
  });
  EXPECT_EQ(held, 100 * mebibyte);
  EXPECT_THROW((void)within_memory("a",
                                   [] {
                                     std::vector<std::vector<char>> all;
                                     for (int i = 0; i < 100; ++i) all.emplace_back(mebibyte);
                                     return all.size();
                                   }),
               UserError);
}

TEST_F(MemoryLimit, RefusesWhereTheReaderWentOnWithoutTheMemory) {
  EXPECT_THROW((void)within_memory("a",
                                   [] {
                                     try {
                                       return std::vector<char>(100 * mebibyte).size();
                                     } catch (const std::bad_alloc&) {
                                       return std::size_t{0};
                                     }
                                   }),
               UserError);
}

// The file that is named where a sweep of so many MiB reads a trace of so many.
std::string named(std::size_t of_sweep, std::size_t of_trace) {
  try {
    (void)within_memory("sweep.toml", [&] {
      const std::vector<char> own(of_sweep * mebibyte);
      return within_memory("trace.et", [&] {
        std::vector<std::vector<char>> all;
        for (std::size_t i = 0; i < of_trace; ++i) all.emplace_back(mebibyte);
        return all.size() + own.size();
      });
    });
    return "";
  } catch (const UserError& error) {
    return error.problems().front().place.file;
  }
}

TEST_F(MemoryLimit, IsSharedWithWhatIsReadOnTheWayAndNamesTheLarger) {
  EXPECT_EQ(named(3, 4), "");
  EXPECT_EQ(named(2, 7), "trace.et");
  EXPECT_EQ(named(6, 3), "sweep.toml");
  EXPECT_EQ(named(9, 1), "sweep.toml");
}

TEST_F(MemoryLimit, LeavesEverythingElseAlone) {
  EXPECT_EQ(std::vector<char>(64 * mebibyte).size(), 64 * mebibyte);
}

TEST(MemoryMeter, CountsAndNests) {
  MemoryMeter outer;
  const std::vector<char> one(mebibyte);
  {
    const MemoryMeter inner;
    const std::vector<char> two(2 * mebibyte);
    EXPECT_GE(inner.live(), 2 * static_cast<std::int64_t>(mebibyte));
    EXPECT_LT(inner.live(), 3 * static_cast<std::int64_t>(mebibyte));
  }
  EXPECT_GE(outer.peak(), 3 * static_cast<std::int64_t>(mebibyte));
  EXPECT_LT(outer.live(), 2 * static_cast<std::int64_t>(mebibyte));
  EXPECT_EQ(outer.allocations(), 2);
}

}  // namespace
}  // namespace echo
