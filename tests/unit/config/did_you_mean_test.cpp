#include "config/toml/did_you_mean.hpp"

#include <gtest/gtest.h>

namespace echo::config {
namespace {

TEST(EditDistance, CountsEditsAndIgnoresCase) {
  EXPECT_EQ(edit_distance("recompute", "recompute"), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("H100", "h100"), 0);
  EXPECT_EQ(edit_distance("schedule", "shcedule"), 1);  // a swap
  EXPECT_EQ(edit_distance("zb-h1x", "zb-h1"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(DidYouMean, NamesTheClosest) {
  EXPECT_EQ(closest("mirco_batch", {"model", "micro_batch", "global_batch"}), "micro_batch");
  EXPECT_EQ(suggest("ful", {"none", "selective", "full"}, "known"), "did you mean \"full\"?");
}

TEST(DidYouMean, CompletesAPrefix) {
  EXPECT_EQ(closest("korthikanti", {"gpt3-175b", "korthikanti-175b"}), "korthikanti-175b");
}

TEST(DidYouMean, ListsWhatIsKnownWhenNothingIsNear) {
  EXPECT_EQ(suggest("zzzzzz", {"none", "full"}, "known"), "known: none, full");
  const std::vector<std::string> many(13, "a");
  EXPECT_EQ(suggest("zzzzzz", many, "known"), "known: a, a, a, a, a, a, a, a, a, a, a, a, ...");
}

}  // namespace
}  // namespace echo::config
