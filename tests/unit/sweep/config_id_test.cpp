#include "sweep/config_id.hpp"

#include <gtest/gtest.h>

#include "tests/support/small_space.hpp"

namespace echo::sweep {
namespace {

simulate::Catalog& catalog() {
  static simulate::Catalog made = support::small_catalog();
  return made;
}
training::TrainingConfig config(training::Degrees degrees = {.tensor = 2, .pipeline = 2, .data = 2}) {
  training::TrainingConfig c = support::a_config(degrees);
  c.model = training::ModelId(0);
  c.cluster = machine::ClusterId(0);
  c.framework = training::FrameworkId(0);
  c.schedule = training::ScheduleId(2);
  c.zero = training::ZeroStage::optimizer;
  return c;
}
std::uint64_t id(const training::TrainingConfig& c) { return config_id_of(c, catalog()); }

TEST(ConfigId, IsAHashOfNamesAndValues) {
  EXPECT_EQ(canonical_text(config(), catalog()),
            "model=tiny-gpt;cluster=nodes-of-8;gpu=a100;framework=megatron-core;tp=2;pp=2;dp=2;cp=1;ep=1;etp="
            "1;vpp=1;"
            "micro_batch=1;global_batch=32;seq_len=1024;schedule=1f1b;recompute=none;zero=1;precision=bf16;"
            "flash_attention=true;");
  EXPECT_EQ(id(config()), 0x23eb5b94d5029045ULL);  // XXH3-64 of that text, worked out apart
}

TEST(ConfigId, ChangesWithWhatMatters) {
  const training::TrainingConfig base = config();
  const auto differs = [&](auto change) {
    training::TrainingConfig other = base;
    change(other);
    return id(other) != id(base);
  };
  EXPECT_TRUE(differs([](auto& c) { c.degrees.tensor = 4; }));
  EXPECT_TRUE(differs([](auto& c) { c.degrees.virtual_stages = 2; }));
  EXPECT_TRUE(differs([](auto& c) { c.batch.micro_samples = 2; }));
  EXPECT_TRUE(differs([](auto& c) { c.recompute = training::Recompute::full; }));
  EXPECT_TRUE(differs([](auto& c) { c.zero = training::ZeroStage::none; }));
  EXPECT_TRUE(differs([](auto& c) { c.zero_group = 2; }));
  EXPECT_TRUE(differs([](auto& c) { c.sequence_parallel = true; }));
  EXPECT_TRUE(differs([](auto& c) { c.overlap.grad_reduce = true; }));
  EXPECT_TRUE(differs([](auto& c) { c.layers.loss_is_layer = true; }));
  EXPECT_TRUE(differs([](auto& c) { c.schedule = training::ScheduleId(0); }));
  EXPECT_TRUE(differs([](auto& c) { c.precision = training::Precision::fp8; }));
}

TEST(ConfigId, IgnoresWhatCannotMatter) {
  const training::TrainingConfig alone = config({.tensor = 1, .pipeline = 1, .data = 1});
  training::TrainingConfig dressed = alone;
  dressed.degrees.virtual_stages = 4;
  dressed.schedule = training::ScheduleId(1);
  dressed.sequence_parallel = true;
  dressed.overlap = {.grad_reduce = true, .param_gather = true, .pipeline = true, .tensor = true};
  dressed.layers.loss_is_layer = true;
  dressed.gpu = catalog().clusters[0].gpu;
  EXPECT_EQ(id(alone), id(dressed));
  EXPECT_EQ(normalised(alone, catalog()), normalised(dressed, catalog()));
}

TEST(ConfigId, NormalisingTwiceChangesNothing) {
  for (const std::int32_t n : {1, 2}) {
    const auto once = normalised(config({.tensor = n, .pipeline = n, .data = n}), catalog());
    EXPECT_EQ(normalised(once, catalog()), once);
  }
}

}  // namespace
}  // namespace echo::sweep
