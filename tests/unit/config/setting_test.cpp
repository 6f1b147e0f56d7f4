// [simulate] setting, and the file of what production loses.
#include "config/catalog/fitted/setting_file.hpp"

#include <toml++/toml.h>
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using simulate::Setting;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SettingKey : public SweepFile {
 protected:
  [[nodiscard]] SweepInputs inputs(const std::string& simulate) const {
    return read_sweep(temp_.sweep(
        "[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\nglobal_batch = 96\n[simulate]\n" + simulate));
  }
};

TEST_F(SettingKey, IsBenchmarkUnlessProductionIsAsked) {
  EXPECT_EQ(spec("").setting, Setting::benchmark);
  EXPECT_EQ(spec("[simulate]\nsetting = \"benchmark\"\n").setting, Setting::benchmark);
  EXPECT_EQ(spec("[simulate]\nsetting = \"production\"\n").setting, Setting::production);
}

TEST_F(SettingKey, RefusesOtherWordsWithTheirPlace) {
  EXPECT_THAT(problems("[simulate]\nsetting = \"producton\"\n"),
              ElementsAre(HasSubstr("6:12 unknown setting \"producton\" | did you mean \"production\"?")));
  EXPECT_THAT(problems("[simulate]\nsetting = 1\nskew = 2\n"),
              ElementsAre(HasSubstr("6:11 setting must be"), HasSubstr("7:8 skew must be")));
}

TEST_F(SettingKey, ReachesTheCalibrationWithTheSpreadOfSkew) {
  const SweepInputs plain = inputs("setting = \"production\"\n");
  EXPECT_EQ(plain.calibration.setting, Setting::production);
  EXPECT_GT(plain.calibration.production.gpu_spread.value, 0.0);
  const SweepInputs skewed = inputs("setting = \"production\"\nskew = { sigma = \"4 %\", draws = 8 }\n");
  EXPECT_EQ(skewed.calibration.production.gpu_spread.value, 0.04);
  EXPECT_EQ(skewed.calibration.production.host_loss, plain.calibration.production.host_loss);
}

std::vector<std::string> problems_of(const std::string& constants) {
  Problems problems;
  const auto table =
      parse_toml("name = \"production\"\nsource = \"s\"\ndate = \"d\"\n[constants]\n" + constants,
                 "production.toml", problems);
  TableReader reader(*table, {"production.toml", 1, 1, 0}, "setting", problems);
  static_cast<void>(read_setting(reader));
  std::vector<std::string> out;
  for (const Problem& one : problems.list())
    out.push_back(one.place.file + ":" + std::to_string(one.place.line) + " " + one.what);
  return out;
}

TEST(SettingFile, NeedsEveryConstantWithValueErrorSourceAndGrade) {
  const std::string good = "= { value = 0.01, error = 0.01, source = \"s\", grade = \"published\" }\n";
  std::string all;
  for (const char* name : {"gpu_spread", "slow_nodes", "slow_node_loss", "host_loss", "temperature_loss"})
    all += name + good;
  all += "contained_gpus = { value = 64, source = \"s\", grade = \"measured\" }\n";
  all += "job_spread = { value = 0.08, source = \"s\", grade = \"assumed\" }\n";
  EXPECT_THAT(problems_of(all + "checkpoint_loss " + good), ElementsAre());
  EXPECT_THAT(problems_of(all), ElementsAre(HasSubstr("constant \"checkpoint_loss\" has no value")));
  EXPECT_THAT(problems_of(all + "checkpoint_loss = 0.01\n"),
              ElementsAre(HasSubstr("production.toml:12 the constant \"checkpoint_loss\" has no value")));
  EXPECT_THAT(
      problems_of(all + "checkpoint_loss = { value = 2, source = \"s\", grade = \"guess\" }\nodd = 1\n"),
      ElementsAre(HasSubstr("value"), HasSubstr("lacks \"error\""), HasSubstr("unknown grade \"guess\""),
                  HasSubstr("unknown key \"odd\"")));
}

}  // namespace
}  // namespace echo::config
