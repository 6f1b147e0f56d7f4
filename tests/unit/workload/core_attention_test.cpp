// Which kernels attention is made of: documents packed into a sequence, and what a fused softmax refuses.
#include "workload/layer/core_attention.hpp"

#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"
#include "workload/generate_workload.hpp"

namespace echo::workload {
namespace {

using ops::KernelKey;
using ops::KernelKind;
using training::TrainingConfig;

std::vector<KernelKey> kernels_of(const TrainingConfig& c, const training::ModelSpec& m, KernelKind kind) {
  Workload out;
  generate_workload(c, m, support::plain_framework(), support::eight_gpu_nodes(), support::layout_of(c, m),
                    Backward::whole, out);
  std::vector<KernelKey> found;
  for (const KernelKey& key : out.kernels)
    if (key.kind == kind) found.push_back(key);
  return found;
}

double pairs_with(std::int32_t packed, const training::ModelSpec& m) {
  TrainingConfig c = support::a_config({});
  c.flash_attention = true;
  c.recipe.packed_tokens = packed;
  const auto kernels = kernels_of(c, m, KernelKind::attention_forward);
  EXPECT_EQ(kernels.size(), 1U);
  return ops::pairs_of(kernels.front());
}

TEST(PackedDocuments, AttendWithinThemselvesOnly) {
  const training::ModelSpec m = support::tiny_llama();
  const double whole = pairs_with(0, m);
  EXPECT_DOUBLE_EQ(whole, 1024.0 * 1024.0 / 2.0);
  for (const std::int32_t tokens : {512, 256, 128, 64})
    EXPECT_DOUBLE_EQ(pairs_with(tokens, m), whole * tokens / 1024);
  EXPECT_LT(pairs_with(172, m), whole * 172 / 1024 + 1);  // and a shorter one at the end
}

TEST(PackedDocuments, AsLongAsTheSequenceAreThePlainKernel) {
  const training::ModelSpec m = support::tiny_llama();
  for (const std::int32_t tokens : {1024, 4096}) EXPECT_EQ(pairs_with(tokens, m), pairs_with(0, m));
}

TEST(PackedDocuments, LeaveShorterWindowsAsTheyAre) {
  training::ModelSpec m = support::tiny_llama();
  m.local.span = 128;
  const double windowed = pairs_with(0, m);
  EXPECT_EQ(pairs_with(512, m), windowed);
  EXPECT_LT(pairs_with(64, m), windowed);
}

// Megatron-LM, FusedScaleMaskSoftmax.is_kernel_available.
TEST(FusedSoftmax, TakesMatricesByTheFourAndUpTo4096Tokens) {
  const auto style_of = [](std::int32_t samples, std::int32_t tensor, std::int32_t tokens) {
    TrainingConfig c = support::a_config({.tensor = tensor});
    c.flash_attention = false;
    c.recipe.kernels = ops::KernelStyle::fused;
    c.batch.micro_samples = samples, c.batch.sequence_tokens = tokens;
    return kernels_of(c, support::tiny_gpt(), KernelKind::softmax_forward).front().style;
  };
  const std::int32_t heads = support::tiny_gpt().heads;
  ASSERT_EQ(heads % 4, 0);
  EXPECT_EQ(style_of(1, 1, 1024), ops::KernelStyle::fused);
  EXPECT_EQ(style_of(1, heads / 2, 1024), ops::KernelStyle::eager);  // two heads of one sample
  EXPECT_EQ(style_of(2, heads / 2, 1024), ops::KernelStyle::fused);
  EXPECT_EQ(style_of(1, 1, 4096), ops::KernelStyle::fused);
  EXPECT_EQ(style_of(1, 1, 8192), ops::KernelStyle::eager);
}

}  // namespace
}  // namespace echo::workload
