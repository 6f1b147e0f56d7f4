#include "config/toml/overrides.hpp"

#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Overrides : public SweepFile {
 protected:
  [[nodiscard]] sweep::SweepSpec with(const std::vector<std::string>& sets) const {
    return read_sweep(temp_.sweep(text_), {}, sets).spec;
  }
  // "option:column what" of every problem.
  [[nodiscard]] std::vector<std::string> told(const std::vector<std::string>& sets) const {
    std::vector<std::string> lines;
    try {
      (void)with(sets);
    } catch (const UserError& error) {
      for (const Problem& problem : error.problems()) {
        lines.push_back(problem.place.file + ":" + std::to_string(problem.place.column) + " " + problem.what);
      }
    }
    return lines;
  }
  const std::string text_ =
      "[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\nglobal_batch = 1536\n[[space.group]]\nname = "
      "\"a\"\n"
      "tp = 1\n[[space.group]]\nname = \"b\"\n[[keep]]\nname = \"few\"\nexpr = \"tp < 3\"\n[[limit]]\nname = "
      "\"memory\"\nmetric = \"mem_peak\"\nmax = \"70 GiB\"\n[[limit]]\nmetric = \"mfu\"\nmin = 0.1\n";
};

TEST_F(Overrides, ReachEntriesOfListsByName) {
  const auto spec = with({"limit.memory.max=0.9 * gpu.memory", "limit.mfu.min=0.3", "keep.few.expr=tp < 5",
                          "space.group.a.tp=[2, 4]"});
  ASSERT_EQ(spec.limits.size(), 2u);
  EXPECT_EQ(spec.limits[0].max, "0.9 * gpu.memory");
  EXPECT_EQ(spec.limits[1].min, "0.3");
  EXPECT_EQ(spec.rules[0].expression, "tp < 5");
  EXPECT_EQ(spec.groups[0].dimensions[3].columns[0].values.size(), 2u);
}

TEST_F(Overrides, AddEntriesThatAreNotThere) {
  const auto spec =
      with({"limit.gpus.max=64", "keep.deep.expr=pp > 1", "objective.mfu.goal=max", "space.group.c.tp=8",
            "derive.late=tp + 1", "run.budget=2 h", "target.tokens=1T tokens"});
  EXPECT_EQ(spec.limits[2], (sweep::Limit{"gpus", "gpus", "64", ""}));
  EXPECT_EQ(spec.rules[1].name, "late");  // derived names first, so that added rules may use them
  EXPECT_EQ(spec.rules[2].name, "deep");
  EXPECT_EQ(spec.objectives[0].metric, "mfu");
  EXPECT_EQ(spec.groups[2].name, "c");
  EXPECT_EQ(spec.run.time_budget, 7200.0);
  EXPECT_EQ(spec.terms.target_tokens, 1e12);
}

TEST_F(Overrides, ReplaceWholeLists) {
  EXPECT_TRUE(with({"limit=[]"}).limits.empty());
  EXPECT_EQ(with({"keep=[{name=\"x\",expr=\"tp > 0\"}]"}).rules[0].name, "x");
}

TEST_F(Overrides, NameTheOptionThatIsWrong) {
  EXPECT_THAT(told({"keep.few.expr=oops"}), ElementsAre("--set keep.few.expr=oops:16 unknown name \"oops\""));
  EXPECT_THAT(told({"limit.mfu.mni=0.2"}),
              ElementsAre("--set limit.mfu.mni=0.2:11 unknown key \"mni\" in [[limit]]"));
  EXPECT_THAT(told({"limit.mfu=3"}), ::testing::Contains(HasSubstr("unknown key \"mfu\" in [[limit]]")));
  EXPECT_THAT(told({"space.group.a.tp=0"}), ElementsAre("--set space.group.a.tp=0:18 tp = 0 is impossible"));
  EXPECT_THAT(told({"search.strategy=random"}), ElementsAre(HasSubstr("needs a number of points")));
}

// Both entries lack a metric at the same (no) place, and the second complaint is not shown; it counts all the
// same.
TEST_F(Overrides, SurviveTwoSlipsThatLookAlike) {
  EXPECT_THAT(told({"objective.mtp=1", "objective.mtp=2"}),
              ::testing::Contains(HasSubstr("lacks \"metric\"")));
  EXPECT_THAT(told({"limit.mtp=1", "limit.mtp=2"}), ::testing::Contains(HasSubstr("lacks \"metric\"")));
}

}  // namespace
}  // namespace echo::config
