#include "parallel/launch/put_aside.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "base/error.hpp"

namespace echo::parallel {
namespace {

struct NoFence : Fence {
  void check() const override {}
  [[nodiscard]] const std::string& token() const override {
    static const std::string none;
    return none;
  }
};

struct PutAside : ::testing::Test {
  PutAside()
      : base(std::filesystem::temp_directory_path() / ("echo_aside_" + std::to_string(::getpid()))),
        file(base / "out.h5") {
    std::filesystem::create_directories(base);
  }
  ~PutAside() override { std::filesystem::remove_all(base); }
  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::filesystem::path base, file;
};

TEST_F(PutAside, TakesTheFirstNameThatIsFree) {
  std::filesystem::create_symlink("nowhere",
                                  base / "out.h5.damaged.2");  // a link that leads nowhere is a name too
  for (const char* text : {"a", "b"}) {
    std::ofstream(file) << text;
    const auto aside = put_aside(file, real_disk(), NoFence());
    EXPECT_EQ(aside.filename(), *text == 'a' ? "out.h5.damaged" : "out.h5.damaged.3");
    EXPECT_EQ(text_of(aside), text);
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  EXPECT_EQ(text_of(base / "out.h5.damaged"), "a");
  EXPECT_TRUE(std::filesystem::is_symlink(base / "out.h5.damaged.2"));
}

TEST_F(PutAside, SaysWhyItCannot) {
  try {
    put_aside(file, real_disk(), NoFence());  // there is none
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 5);
  }
}

}  // namespace
}  // namespace echo::parallel
