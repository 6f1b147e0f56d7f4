#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using CollectivesSetting = SweepFile;

// Values of the axis `collectives` in a list of dimensions.
std::vector<std::string> words_in(const std::vector<sweep::Dimension>& dimensions) {
  std::vector<std::string> words;
  for (const sweep::Dimension& dimension : dimensions)
    for (const sweep::AxisColumn& column : dimension.columns) {
      if (sweep::info_of(column.axis).name != "collectives") continue;
      for (const sweep::AxisValue& value : column.values) words.push_back(value.text);
    }
  return words;
}

TEST_F(CollectivesSetting, StandsForAnAxisOfOneValue) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_in(spec("[simulate]\ncollectives = \"generic\"\n").dimensions), Words{"generic"});
  EXPECT_EQ(words_in(spec("[simulate]\ncollectives = \"nccl-whitebox\"\n").dimensions), Words{});
  EXPECT_EQ(words_in(spec("").dimensions), Words{});
  const auto both =
      spec("collectives = [\"nccl-whitebox\", \"generic\"]\n[simulate]\ncollectives = \"generic\"\n");
  EXPECT_EQ(words_in(both.dimensions), (Words{"nccl-whitebox", "generic"}));
}

TEST_F(CollectivesSetting, HoldsForEveryGroupWithoutAnAxisOfItsOwn) {
  const auto groups = spec(
                          "[simulate]\ncollectives = \"generic\"\n[[space.group]]\ntp = 1\n"
                          "[[space.group]]\ntp = 2\ncollectives = \"nccl-whitebox\"\n")
                          .groups;
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(words_in(groups[0].dimensions), std::vector<std::string>{"generic"});
  EXPECT_EQ(words_in(groups[1].dimensions), std::vector<std::string>{"nccl-whitebox"});
}

TEST_F(CollectivesSetting, AreWordsOfTheirOwn) {
  using ::testing::ElementsAre;
  using ::testing::HasSubstr;
  EXPECT_THAT(problems("[simulate]\ncollectives = \"generik\"\n"), ElementsAre(HasSubstr("\"generic\"")));
  EXPECT_THAT(problems("generic_algorithm = \"rign\"\n"), ElementsAre(HasSubstr("did you mean \"ring\"")));
}

}  // namespace
}  // namespace echo::config
