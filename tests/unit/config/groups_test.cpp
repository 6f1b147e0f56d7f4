// [[space.group]]: unions of sub-spaces.
#include "config/sweep_file/space_reader.hpp"
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Groups : public SweepFile {
 protected:
  // "tp:1,2 pp:4" of each group.
  [[nodiscard]] std::vector<std::string> axes(const std::string& more) const {
    std::vector<std::string> texts;
    const auto read = spec(more);
    for (const sweep::SubSpace& group : read.groups) {
      std::string text = group.name;
      for (std::size_t d = 3; d < group.dimensions.size(); ++d) {
        for (std::size_t c = 0; c < group.dimensions[d].columns.size(); ++c) {
          const sweep::AxisColumn& column = group.dimensions[d].columns[c];
          text += (c > 0 ? "+" : " ") + std::string(sweep::info_of(column.axis).name) + ":";
          for (const auto& value : column.values) text += std::to_string(value.number) + ",";
        }
      }
      texts.push_back(text);
    }
    return texts;
  }
};

TEST_F(Groups, AddToTheAxesOfTheSpaceOrReplaceThemInPlace) {
  EXPECT_THAT(
      axes("tp = [1, 2]\npp = 4\n[[space.group]]\nname = \"wide\"\ntp = 8\n[[space.group]]\nvpp = [1, 3]\n"),
      ElementsAre("wide tp:8, pp:4,", "group-2 tp:1,2, pp:4, vpp:1,3,"));
  EXPECT_THAT(spec("[[space.group]]\ntp = 8").dimensions, IsEmpty());
  EXPECT_THAT(spec("tp = 8").groups, IsEmpty());
}

TEST_F(Groups, BringTheirOwnPairs) {
  const std::string paired = "[space.paired]\ntp = [1, 2]\npp = [2, 1]\n";
  EXPECT_THAT(axes("vpp = 1\n" + paired +
                   "[[space.group]]\n[space.group.paired]\ntp = [4, 8]\nmicro_batch = [1, 2]\n"),
              ElementsAre("group-1 vpp:1, tp:4,8,+micro_batch:1,2,"));
  EXPECT_THAT(axes("tp = 1\nvpp = 1\n[[space.group]]\n[space.group.paired]\ntp = [4, 8]\npp = [1, 2]\n"),
              ElementsAre("group-1 tp:4,8,+pp:1,2, vpp:1,"));
  EXPECT_THAT(problems(paired + "[[space.group]]\ntp = 4\n"),
              ElementsAre(HasSubstr("9:1 this axis is paired in [space] | put all axes of the pair")));
}

TEST_F(Groups, FillTheirOwnAutomaticAxes) {
  EXPECT_THAT(axes("dp = \"auto\"\n[[space.group]]\ngpus = 4\n[[space.group]]\ngpus = 9\n"),
              ElementsAre("group-1 dp:1,2,4, gpus:4,", "group-2 dp:1,3,9, gpus:9,"));
}

TEST_F(Groups, AreEachToldWhatTheyLack) {
  EXPECT_THAT(temp_.problems("[space]\ncluster = \"h800-96\"\nglobal_batch = 8\n[[space.group]]\nname = "
                             "\"a\"\n[[space.group]]\nmodel = \"gpt3-175b\"\n"),
              ElementsAre("4:1 group \"a\" lacks model | add model = ..."));
}

TEST_F(Groups, BlameASharedValueOnlyWhereAllOfThemRefuseIt) {
  const std::string small = "[[space.group]]\nmodel = \"gpt3-125m\"\n";  // 12 heads
  EXPECT_THAT(problems("tp = [2, 24]\n" + small + "[[space.group]]\nname = \"b\"\n"), IsEmpty());
  EXPECT_THAT(problems("tp = [2, 24]\n" + small), ElementsAre(HasSubstr("5:10 tp = 24 exceeds the heads")));
  EXPECT_THAT(problems(small + "tp = 24\n[[space.group]]\ntp = 24\n"),
              ElementsAre(HasSubstr("7:6 tp = 24 exceeds the heads of every model here (12)")));
}

TEST_F(Groups, TellOfTheirSlips) {
  EXPECT_THAT(problems("[[space.group]]\ntpp = 1"),
              ElementsAre("6:1 unknown axis \"tpp\" | did you mean \"tp\"?"));
  EXPECT_THAT(problems("tp = 0\n[[space.group]]\n[[space.group]]\npp = 2"),
              ElementsAre(HasSubstr("5:6 tp = 0 is impossible")));  // once, not once per group
  EXPECT_THAT(problems("[[space.group]]\nname = \"a\"\n[[space.group]]\nname = \"a\""),
              ElementsAre(HasSubstr("two groups have the name \"a\"")));
  EXPECT_THAT(problems("group = 3"), ElementsAre(HasSubstr("5:9 space.group must be a list of tables"),
                                                 HasSubstr("5:9 space.group has no groups")));
  EXPECT_THAT(problems("[[space.group]]\nglobal_batch = \"4 Mi tokens\"\n[[space.group]]"),
              ElementsAre(HasSubstr("some groups give global_batch in sequences, others in tokens")));
  EXPECT_THAT(problems("[[space.group]]\ndp = 2\n[derive]\ndp = \"gpus\""),
              ElementsAre(HasSubstr("8:1 dp is in [space] and in [derive]")));
}

}  // namespace
}  // namespace echo::config
