#include "cli/memory_option.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "base/memory_limit.hpp"
#include "tests/support/scratch_files.hpp"

namespace echo::cli {
namespace {

class MemoryOption : public ::testing::Test {
 protected:
  void TearDown() override { set_memory_limit(std::numeric_limits<std::int64_t>::max()); }
  testing::ScratchFiles files_;
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = files_.path(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
};

TEST_F(MemoryOption, IsAQuarterOfTheMachineUnlessGiven) {
  set_memory_limit_to("");
  EXPECT_EQ(memory_limit(), memory_of_machine() / 4);
  set_memory_limit_to("8 GiB");
  EXPECT_EQ(memory_limit(), std::int64_t{8} << 30);
  set_memory_limit_to("500MB");
  EXPECT_EQ(memory_limit(), 500'000'000);
}

TEST_F(MemoryOption, RefusesWhatIsNoSize) {
  for (const char* wrong : {"8", "lots", "-1GiB", "1 KiB", "1e300GiB", "nan GiB"})
    EXPECT_THROW(set_memory_limit_to(wrong), UserError) << wrong;
}

TEST_F(MemoryOption, SeesTheLimitsOfAJobAndOfWhatItIsIn) {
  write("own", "0::/slice/job\n");
  write("groups/slice/job/memory.max", "max\n");
  write("groups/slice/memory.max", "123456789\n");
  write("groups/memory.max", "987654321\n");
  const std::filesystem::path groups = files_.path("groups");
  EXPECT_EQ(memory_of_machine(groups, files_.path("own")), 123456789);
  write("groups/slice/job/memory.max", "1000000\n");
  EXPECT_EQ(memory_of_machine(groups, files_.path("own")), 1000000);
  EXPECT_GT(memory_of_machine(files_.path("none"), files_.path("none")), 1'000'000);
}

}  // namespace
}  // namespace echo::cli
