// Queries, keys and values that are views of one product: what is copied, and what is joined.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/workload/op_list.hpp"

namespace echo::workload {
namespace {

using training::LayerKind;
using Lines = std::vector<std::string>;

enum class Pass : std::int8_t { forward, backward };

Lines layer(const training::ModelSpec& m, Pass pass, bool views, bool rotates_joint_product = false) {
  Setting at(support::a_config(), m);
  at.framework.splits_joint_projection = views;
  at.config.recipe.fused_qkv_rope = rotates_joint_product;
  return lines_of(traced_block([&](Builder& b) {
    if (pass == Pass::forward)
      layer_forward(b, at.x, LayerKind::dense, TimeCategory::forward);
    else
      layer_backward(b, at.x, LayerKind::dense, at.config.recompute);
  }));
}

// Without the first `line`.
Lines without(Lines lines, const std::string& line) {
  const auto at = std::find(lines.begin(), lines.end(), line);
  EXPECT_NE(at, lines.end()) << line;
  if (at != lines.end()) lines.erase(at);
  return lines;
}

TEST(AttentionViews, OfQueriesThatShareKeysAreCopied) {
  const training::ModelSpec m = support::tiny_llama();  // 16 heads of 64, 4 of keys
  EXPECT_EQ(without(layer(m, Pass::forward, true), "copy 1024x1024"), layer(m, Pass::forward, false));
}

TEST(AttentionViews, ThatANormReadsAreCopiedWithTheKeys) {
  training::ModelSpec m = support::tiny_llama();
  m.query_key_norm = true;
  EXPECT_EQ(without(layer(m, Pass::forward, true), "copy 1024x1280"), layer(m, Pass::forward, false));
}

TEST(AttentionViews, OfAllHeadsWithKeysOfTheirOwnAreReadAsTheyLie) {
  training::ModelSpec m = support::tiny_llama();
  m.kv_heads = m.heads;
  EXPECT_EQ(layer(m, Pass::forward, true), layer(m, Pass::forward, false));
  EXPECT_EQ(without(layer(m, Pass::backward, true), "copy 1024x3072"), layer(m, Pass::backward, false));
  m.positions = training::Positions::learned;  // nor do their gradients lie apart
  EXPECT_EQ(layer(m, Pass::backward, true), layer(m, Pass::backward, false));
}

TEST(AttentionViews, HaveGradientsThatAreJoined) {
  const training::ModelSpec m = support::tiny_llama();
  EXPECT_EQ(without(layer(m, Pass::backward, true), "copy 1024x1536"), layer(m, Pass::backward, false));
}

// One kernel instead: it moves the values, too, and neither copies nor joins are left.
TEST(AttentionViews, AreTakenApartByTheKernelThatRotatesThem) {
  const training::ModelSpec m = support::tiny_llama();
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    Lines apart = layer(m, pass, false);
    const auto rotation = std::find(apart.begin(), apart.end(), "rope 1024x1280");
    ASSERT_NE(rotation, apart.end());
    *rotation = "rope 1024x1536";
    EXPECT_EQ(layer(m, pass, true, true), apart);
  }
  EXPECT_EQ(layer(m, Pass::forward, false, true), layer(m, Pass::forward, false));  // no joint product
}

}  // namespace
}  // namespace echo::workload
