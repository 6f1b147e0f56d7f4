#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "slowdown/learned_view.hpp"
#include "slowdown/model_file.hpp"
#include "tests/support/sample_learned.hpp"
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using sweep::SlowdownModel;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SlowdownSetting : public SweepFile {
 protected:
  std::string save(const slowdown::LearnedModel& model, const std::string& name = "a.slowdown") {
    return save_bytes(slowdown::model_to_bytes(model), name);
  }
  std::string save_bytes(const std::string& bytes, const std::string& name) {
    const std::filesystem::path path = std::filesystem::path(temp_.sweep("")).parent_path() / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  [[nodiscard]] SweepInputs inputs(const std::string& value) const {
    return read_sweep(
        temp_.sweep("[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\nglobal_batch = 96\n"
                    "[simulate]\nslowdown = " +
                    value + "\n"));
  }
};

TEST_F(SlowdownSetting, IsAWordOrAFileBesideTheSweep) {
  EXPECT_EQ(spec("").slowdown, SlowdownModel::automatic);
  EXPECT_EQ(spec("[simulate]\nslowdown = \"auto\"\n").slowdown, SlowdownModel::automatic);
  EXPECT_EQ(spec("[simulate]\nslowdown = \"off\"\n").slowdown, SlowdownModel::off);
  EXPECT_EQ(spec("[simulate]\nslowdown = \"contention\"\n").slowdown, SlowdownModel::contention);
  const std::string path = save(testing::sample_simulator_model(3));
  const sweep::SweepSpec named = spec("[simulate]\nslowdown = \"./a.slowdown\"\n");
  EXPECT_EQ(named.slowdown, SlowdownModel::file);
  EXPECT_EQ(named.slowdown_file, path);
}

TEST_F(SlowdownSetting, SaysWhatNothingDoesAndWhatItIsOtherwise) {
  EXPECT_TRUE(std::holds_alternative<slowdown::NoSlowdown>(inputs("\"off\"").calibration.slowdown));
  EXPECT_TRUE(std::holds_alternative<slowdown::Contention>(inputs("\"contention\"").calibration.slowdown));
  EXPECT_TRUE(inputs("\"auto\"").learned.empty());
}

TEST_F(SlowdownSetting, ReadsTheModelAndNamesItAmongTheInputs) {
  const slowdown::LearnedModel model = testing::sample_simulator_model(3);
  const std::string path = save(model);
  const SweepInputs read = inputs("\"a.slowdown\"");
  EXPECT_EQ(read.learned, slowdown::make_image(model));
  EXPECT_TRUE(read.warnings.empty());
  const InputFile& last = read.files.back();
  EXPECT_EQ(last.kind, "learned");
  EXPECT_EQ(last.path, path);
  EXPECT_THAT(read.resolved_toml, AllOf(HasSubstr("[slowdown_model]"), HasSubstr(last.hash)));
}

TEST_F(SlowdownSetting, OfNoFileIsAProblemAtItsPlace) {
  const auto told = problems("[simulate]\nslowdown = \"ofd\"\n");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0],
              AllOf(HasSubstr("6:13 "), HasSubstr("neither a known word nor a file"), HasSubstr("did you mean \"off\"")));
  EXPECT_THAT(problems("[simulate]\nslowdown = true\n"), ElementsAre(HasSubstr("must be a word")));
  EXPECT_THAT(problems("[simulate]\nslowdown = \"\"\n"), ElementsAre(HasSubstr("neither a known word nor a file")));
}

TEST_F(SlowdownSetting, OfAModelThatCannotBeUsedIsAProblemAtItsPlace) {
  const std::string bytes = slowdown::model_to_bytes(testing::sample_simulator_model(3));
  save_bytes(bytes.substr(0, bytes.size() / 2), "cut.slowdown");
  EXPECT_THAT(problems("[simulate]\nslowdown = \"cut.slowdown\"\n"),
              ElementsAre(AllOf(HasSubstr("6:13 "), HasSubstr("cannot use this slowdown model"))));
  save(testing::sample_metric_model(1), "metrics.slowdown");
  EXPECT_THAT(problems("[simulate]\nslowdown = \"metrics.slowdown\"\n"),
              ElementsAre(AllOf(HasSubstr("6:13 "), HasSubstr("metrics measured by profilers"))));
}

TEST_F(SlowdownSetting, WarnsOfAModelThatIsNoBetterThanABaseline) {
  slowdown::LearnedModel model = testing::sample_simulator_model(3);
  model.evidence.errors = {{"this model", "by row", 0.05, 0.0},
                           {"no slowdown", "by row", 0.11, 0.0},
                           {"this model", "by kernel name", 0.12, 0.0},
                           {"no slowdown", "by kernel name", 0.117, 0.0}};
  save(model);
  auto warnings = inputs("\"a.slowdown\"").warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].what, HasSubstr("by kernel name: 12.0 % against 11.7 %"));
  model.evidence.errors.clear();
  save(model);
  warnings = inputs("\"a.slowdown\"").warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0].what, HasSubstr("does not compare its errors"));
}

}  // namespace
}  // namespace echo::config
