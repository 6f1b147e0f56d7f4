#include "profilers/overlap/communication_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace echo::profilers {
namespace {

TEST(CommunicationCases, AskNoChannelForMoreThanItCarries) {
  for (const CommunicationCase& c : communication_cases({})) {
    if (c.made_by != CommunicationKind::proxy || c.link_rate <= 0.0) continue;
    EXPECT_LE(c.link_rate / c.channels, most_channel_rate) << describe(c);
    EXPECT_GE(c.link_rate / c.channels, least_channel_rate) << describe(c);
  }
}

TEST(CommunicationCases, SeparateWhatSmsCostFromWhatBandwidthCosts) {
  const auto cases = communication_cases({});
  for (const std::int32_t channels : CommunicationChoices{}.channels) {
    const auto has = [&](ProxyTraffic traffic) {
      return std::any_of(cases.begin(), cases.end(), [&](const auto& c) {
        return c.made_by == CommunicationKind::proxy && c.channels == channels && c.traffic == traffic;
      });
    };
    EXPECT_TRUE(has({0, 0})) << channels;
    EXPECT_TRUE(has({2, 1})) << channels;
  }
}

TEST(CommunicationCases, HaveNamesOfTheirOwn) {
  CommunicationChoices choices;
  choices.nccl = true;
  const auto cases = communication_cases(choices);
  std::set<std::string> names;
  for (const CommunicationCase& c : cases) names.insert(describe(c));
  EXPECT_EQ(names.size(), cases.size());
}

TEST(CommunicationCases, HoldWhatWasAskedForAndNothingElse) {
  CommunicationChoices only_copies;
  only_copies.proxy = false;
  EXPECT_EQ(communication_cases(only_copies).size(), 2u);
  CommunicationChoices none = only_copies;
  none.copies = false;
  EXPECT_TRUE(communication_cases(none).empty());
}

TEST(CommunicationCases, ZeroChannelsAreTheControlNotACase) {
  CommunicationChoices choices;
  choices.channels = {0};
  choices.copies = false;
  EXPECT_TRUE(communication_cases(choices).empty());
}

}  // namespace
}  // namespace echo::profilers
