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
  EXPECT_THAT(warnings("[simulate]\ncontention = \"packet\"\ncongestion_control = \"hpcc\"\n"), IsEmpty());
  EXPECT_THAT(warnings("congestion_control = \"hpcc\"\n[simulate]\ncontention = \"packet\"\n"), IsEmpty());
}

}  // namespace
}  // namespace echo::config
