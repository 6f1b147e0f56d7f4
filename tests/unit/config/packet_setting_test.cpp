#include "base/at.hpp"
#include "base/named_table.hpp"
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

class PacketSetting : public SweepFile {
 protected:
  [[nodiscard]] std::vector<std::string> warnings(const std::string& more) const {
    std::vector<std::string> said;
    for (const Problem& one :
         read_sweep(
             temp_.sweep("[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\nglobal_batch = 1536\n" +
                         more))
             .warnings)
      said.push_back(std::to_string(one.place.line) + ": " + one.what);
    return said;
  }
};

TEST_F(PacketSetting, IsSaidToHaveNoEffectWhereNoPacketsAreSimulated) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  const std::string what = ": congestion_control has no effect without contention = \"packet\"";
  EXPECT_THAT(warnings("[simulate]\ncongestion_control = \"hpcc\"\n"), ElementsAre("6" + what));
  EXPECT_THAT(warnings("[simulate]\ncontention = \"flow\"\ncongestion_control = \"hpcc\"\n"),
              ElementsAre("7" + what));
  EXPECT_THAT(warnings("congestion_control = [\"hpcc\", \"dcqcn\"]\n"), ElementsAre("5" + what));
  EXPECT_THAT(warnings("[[space.group]]\ntp = 1\n[[space.group]]\ntp = 2\ncongestion_control = \"hpcc\"\n"),
              ElementsAre("9" + what));
  EXPECT_THAT(warnings("nic = [\"cluster\", \"hpcc-paper\"]\nswitch = \"spectrum-4\"\n"),
              ElementsAre("5: nic has no effect without contention = \"packet\"",
                          "6: switch has no effect without contention = \"packet\""));
  EXPECT_THAT(warnings("[simulate]\ncontention = \"packet\"\ncongestion_control = \"hpcc\"\n"), IsEmpty());
  EXPECT_THAT(warnings("congestion_control = \"hpcc\"\n[simulate]\ncontention = \"packet\"\n"), IsEmpty());
}

TEST_F(PacketSetting, TakesNicsAndSwitchesOfTheSweepItself) {
  const SweepInputs read = read_sweep(
      temp_.sweep("[space]\nmodel = \"gpt3-175b\"\ncluster = \"h800-96\"\nglobal_batch = 1536\n"
                  "nic = [\"cluster\", \"fast\"]\nswitch = \"small\"\n[simulate]\ncontention = \"packet\"\n"
                  "[nics.fast]\nbase = \"connectx-7\"\nsource = \"a trial\"\ngrade = "
                  "\"assumed\"\n[nics.fast.dcqcn]\nRATE_AI = 400\n"
                  "[switches.small]\nbase = \"spectrum-4\"\nsource = \"a trial\"\ngrade = \"assumed\"\n"
                  "[switches.small.parameters]\nBUFFER_SIZE = 4\n"));
  const simulate::Catalog& catalog = read.catalog;
  ASSERT_GE(find_named(catalog.nics, "fast"), 0);
  EXPECT_EQ(catalog.nics[at(find_named(catalog.nics, "fast"))].settings.back().value, "400");
  ASSERT_GE(find_named(catalog.switches, "small"), 0);
  EXPECT_EQ(catalog.switches[at(find_named(catalog.switches, "small"))].settings.back().value, "4");
}

TEST_F(PacketSetting, NamesTheKnownWhereANicIsUnknown) {
  try {
    (void)warnings(
        "nic = \"conectx-7\"\nswitch = [\"spectrum-4\", 3]\n[simulate]\ncontention = \"packet\"\n");
    FAIL() << "nothing was said";
  } catch (const UserError& error) {
    ASSERT_EQ(error.problems().size(), 2U);
    EXPECT_EQ(error.problems()[0].what, "unknown nic \"conectx-7\"");
    EXPECT_THAT(error.problems()[0].remedy, ::testing::HasSubstr("connectx-7"));
    EXPECT_EQ(error.problems()[1].what, "switch must be a string, not an integer");
  }
}

}  // namespace
}  // namespace echo::config
