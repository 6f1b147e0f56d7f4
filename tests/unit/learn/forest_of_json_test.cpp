#include "learn/fit/forest_of_json.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace echo::learn {
namespace {

// Node 0 splits feature 1 at 0.5 into 3 and 2; node 1 was deleted by pruning and nothing points to it.
std::string model(const std::string& left = "[3, -1, -1, -1]", const std::string& feature = "[1, 0, 0, 0]",
                  const std::string& value = "[0.5, 9.0, 0.25, -0.125]",
                  const std::string& split_type = "[0, 0, 0, 0]") {
  return R"({"learner": {"learner_model_param": {"base_score": "5E-1", "num_class": "0", "num_feature": "2"},
    "gradient_booster": {"name": "gbtree", "model": {"trees": [{"left_children": )" +
         left + R"(, "right_children": [2, -1, -1, -1], "split_indices": )" + feature +
         R"(, "split_conditions": )" + value +
         R"(, "default_left": [1, 0, 0, 0], "loss_changes": [2.5, 0, 0, 0], "split_type": )" + split_type +
         "}]}}}}";
}

TEST(ForestOfJson, KeepsWhatTheRootReachesParentsFirst) {
  const ReadForest read = forest_of_json(model());
  EXPECT_EQ(read.forest.base, 0.5F);
  ASSERT_EQ(read.forest.nodes.size(), 3U);
  EXPECT_EQ(read.forest.nodes[0], (slowdown::ForestNode{0.5F, 1, 1, 2, true}));
  EXPECT_EQ(read.gain, (std::vector{0.0, 2.5}));
  EXPECT_EQ(slowdown::evaluate(read.forest, std::vector{0.0, 0.4}), 0.5 - 0.125);
  EXPECT_EQ(slowdown::evaluate(read.forest, std::vector{0.0, 0.5}), 0.75);  // not less: right
}

TEST(ForestOfJson, RoundsNumbersOnce) {
  // Just above the middle of 1 and the next float: read as double it is the middle, and rounds to even, 1.
  const std::string above = "1.00000005960464477539062500000001";
  const ReadForest read =
      forest_of_json(model("[3, -1, -1, -1]", "[1, 0, 0, 0]", "[" + above + ", 9.0, 0.25, -0.125]"));
  EXPECT_EQ(read.forest.nodes[0].threshold, 1.00000012F);
}

TEST(ForestOfJson, RefusesWhatIsNoForest) {
  const std::string whole = model();
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_THROW(static_cast<void>(forest_of_json(std::string_view(whole).substr(0, size))), UserError)
        << size;
  for (const std::string& bytes :
       {model("[0, -1, -1, -1]"), model("[4, -1, -1, -1]"), model("[3, -1, -1]"),
        model("[3, -1, -1, -1]", "[2, 0, 0, 0]"), model("[3, -1, -1, -1]", "[-1, 0, 0, 0]"),
        model("[3, -1, -1, -1]", "[1, 0, 0, 0]", "[1e39, 9.0, 0.25, -0.125]"),
        model("[3, -1, -1, -1]", "[1, 0, 0, 0]", "[0.5, 9.0, 0.25, -0.125]", "[1, 0, 0, 0]"),
        std::string("[]"), std::string("null"), std::string("{\"learner\": 3}")})
    EXPECT_THROW(static_cast<void>(forest_of_json(bytes)), UserError) << bytes;
}

}  // namespace
}  // namespace echo::learn
