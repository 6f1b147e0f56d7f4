#include <fstream>

#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using ProfilesSetting = SweepFile;

TEST_F(ProfilesSetting, AreFilesBesideTheSweep) {
  const std::string beside = temp_.sweep("");
  const std::filesystem::path folder = std::filesystem::path(beside).parent_path();
  std::ofstream(folder / "a.h5") << "x";
  std::ofstream(folder / "b.h5") << "x";
  const std::vector<std::string> both{(folder / "a.h5").string(), (folder / "b.h5").string()};
  EXPECT_EQ(spec("[simulate]\nprofiles = [\"a.h5\", \"./b.h5\"]\n").profiles, both);
  EXPECT_EQ(spec("[simulate]\nprofiles = \"a.h5\"\n").profiles, std::vector<std::string>{both.front()});
  EXPECT_TRUE(spec("").profiles.empty());
}

TEST_F(ProfilesSetting, ThatAreNotThereAreProblems) {
  using ::testing::ElementsAre;
  using ::testing::HasSubstr;
  EXPECT_THAT(
      problems("[simulate]\nprofiles = [\"none.h5\", 3, \"\"]\n"),
      ElementsAre(HasSubstr("there is no file"), HasSubstr("must be a list of file names, not an integer"),
                  HasSubstr("must be a list of file names")));
}

}  // namespace
}  // namespace echo::config
