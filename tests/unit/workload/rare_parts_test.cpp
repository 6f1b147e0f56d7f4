// Parts that few families of models have, op by op.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/rare_models.hpp"
#include "tests/unit/workload/op_list.hpp"

namespace echo::workload {
namespace {

using training::LayerKind;
using Lines = std::vector<std::string>;
using ::testing::ElementsAreArray;

Lines forward(const training::ModelSpec& m, const training::TrainingConfig& c = support::a_config(),
              LayerKind kind = LayerKind::dense) {
  const Setting at(c, m);
  return lines_of(traced_block([&](Builder& b) { layer_forward(b, at.x, kind, TimeCategory::forward); }));
}
Lines backward(const training::ModelSpec& m, const training::TrainingConfig& c = support::a_config(),
               LayerKind kind = LayerKind::dense) {
  const Setting at(c, m);
  return lines_of(traced_block([&](Builder& b) { layer_backward(b, at.x, kind, c.recompute); }));
}

// `lines` without the one of the `number`-th occurrence of `line`, counted from 1.
Lines without(Lines lines, const std::string& line, int number) {
  for (auto at = lines.begin(); at != lines.end(); ++at)
    if (*at == line && --number == 0) return lines.erase(at), lines;
  ADD_FAILURE() << "no " << line;
  return lines;
}

TEST(RareParts, ALayerWithOneNormRunsNoSecondOneAndAddsTwoGradientsInstead) {
  training::ModelSpec two = support::tiny_phi();
  two.single_norm = false;
  EXPECT_EQ(forward(support::tiny_phi()), without(forward(two), "norm 1024x1024", 2));
  Lines added = backward(two);  // the net's half comes first
  *std::find(added.begin(), added.end(), "norm' 1024x1024") = "copy 1024x1024";
  EXPECT_EQ(backward(support::tiny_phi()), added);
}

TEST(RareParts, ANormOverAllHeadsIsOneOfQueriesAndOneOfKeys) {
  training::ModelSpec m = support::tiny_llama(), of_each = m;
  m.whole_query_key_norm = of_each.query_key_norm = true;
  Lines expected = forward(of_each);
  const auto heads = std::find(expected.begin(), expected.end(), "norm 1024x64 of 20");
  ASSERT_NE(heads, expected.end());
  *heads = "norm 1024x1024";  // 16 heads of 64
  expected.insert(heads + 1, "norm 1024x256");
  EXPECT_EQ(forward(m), expected);
}

TEST(RareParts, AGateOfSharedExpertsIsAProductAndAPassEachWay) {
  training::ModelSpec plain = support::tiny_mixture(), gated = plain;
  gated.shared_expert_gate = true;
  const auto count = [](const Lines& lines, const std::string& line) {
    return std::count(lines.begin(), lines.end(), line);
  };
  const LayerKind moe = LayerKind::moe;
  const Lines ahead = forward(gated, support::a_config(), moe),
              back = backward(gated, support::a_config(), moe);
  const Lines plain_ahead = forward(plain, support::a_config(), moe),
              plain_back = backward(plain, support::a_config(), moe);
  EXPECT_EQ(ahead.size(), plain_ahead.size() + 2);
  EXPECT_EQ(count(ahead, "gemm 1024x1x1024"), 1);
  EXPECT_EQ(count(ahead, "copy 1024x1024"), count(plain_ahead, "copy 1024x1024") + 1);
  EXPECT_EQ(back.size(), plain_back.size() + 3);
  EXPECT_EQ(count(back, "gemm 1024x1024x1"), 1);
  EXPECT_EQ(count(back, "copy 1024x1024"), count(plain_back, "copy 1024x1024") + 1);
}

TEST(RareParts, TheNormOfTheEmbeddingRunsBehindItAndBeforeItsGradient) {
  training::ModelSpec plain = support::tiny_llama(), normed = plain;
  normed.embedding_norm = true;
  const auto ahead = [](const training::ModelSpec& m) {
    const Setting at(support::a_config(), m);
    return lines_of(traced_block([&](Builder& b) { embedding_forward(b, at.x); }));
  };
  const auto back = [](const training::ModelSpec& m) {
    const Setting at(support::a_config(), m);
    return lines_of(traced_block([&](Builder& b) { embedding_backward(b, at.x, GradientReady{}); }));
  };
  Lines expected = ahead(plain), expected_back = back(plain);
  expected.push_back("norm 1024x1024");
  expected_back.insert(expected_back.begin(), "norm' 1024x1024");
  EXPECT_EQ(ahead(normed), expected);
  EXPECT_EQ(back(normed), expected_back);
}

}  // namespace
}  // namespace echo::workload
