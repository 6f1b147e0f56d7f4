#include "sweep/space/config_id.hpp"
#include "sweep/space/canonical_text.hpp"

#include <gtest/gtest.h>

#include "base/named_table.hpp"
#include "timeline/schedule.hpp"

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
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
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

TEST(ConfigId, NamesTheRecipeWhereThereIsOne) {
  simulate::Catalog known = catalog();
  known.recipes = {{.name = "fast", .over = known.frameworks, .source = "here"}};
  training::TrainingConfig laid = config();
  EXPECT_EQ(canonical_text(laid, known).find("recipe="), std::string::npos);
  EXPECT_EQ(config_id_of(laid, known), id(laid));
  laid.named_recipe = training::RecipeId(0);
  EXPECT_NE(canonical_text(laid, known).find("framework=megatron-core;recipe=fast;"), std::string::npos);
  EXPECT_NE(config_id_of(laid, known), id(config()));
}

TEST(ConfigId, NamesNicAndSwitchInPlaceOfTheClusters) {
  simulate::Catalog known = catalog();
  known.nics = {{.name = "a", .source = "", .settings = {}}, {.name = "b", .source = "", .settings = {}}};
  known.switches = {{.name = "c", .source = "", .settings = {}}};
  training::TrainingConfig other = config();
  other.fabric.nic = machine::NicId(1), other.fabric.network_switch = machine::SwitchId(0);
  EXPECT_NE(canonical_text(other, known).find("nic=b;switch=c;"), std::string::npos);
  EXPECT_NE(config_id_of(other, known), id(config()));
  known.clusters[0].dimensions.dimensions.resize(1);  // it has neither
  EXPECT_EQ(config_id_of(other, known), config_id_of(config(), known));
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

TEST(ConfigId, ChangesWithEveryAxisOfTheRecipeAndTheFabricThatCanMatter) {
  training::TrainingConfig base = config({.tensor = 2, .pipeline = 2, .data = 2, .context = 2, .expert = 2});
  base.precision = training::Precision::fp8;
  base.zero = training::ZeroStage::parameters;
  base.sequence_parallel = base.overlap.tensor = true;
  for (const AxisInfo& info : axis_table)  // nor has a plain value of these a part in the name
    if (info.idle_at_plain && info.holder != AxisHolder::config) training::member_of(info.axis).set(base, 2);
  base.recipe.cp_comm = training::ContextComm::hybrid;
  base.recipe.offload_optimizer = true;
  base.recipe.offload_layers = 1;
  base.recipe.lora_rank = 8;
  base.recipe.collectives = ops::CollectiveModel::generic;
  base.fabric.placement = machine::Placement::scattered;
  simulate::Catalog mixtures = catalog();
  for (const char* name : {"a", "b", "c"}) {
    mixtures.nics.push_back({.name = name, .source = "", .settings = {}});
    mixtures.switches.push_back({.name = name, .source = "", .settings = {}});
  }
  mixtures.models[0].experts = 8, mixtures.models[0].experts_per_token = 2;
  mixtures.models[0].shared_expert_hidden = mixtures.models[0].hidden;
  int mattered = 0, choices = 0;
  for (const auto recompute : {training::Recompute::selective, training::Recompute::full})
    for (const char* schedule : {"interleaved", "zb-h1"}) {
      base.recompute = recompute;
      base.schedule = training::ScheduleId(find_named(timeline::schedule_table(), schedule));
      const AxisSet irrelevant = irrelevant_axes(base, mixtures);
      for (const AxisInfo& info : axis_table) {
        if (info.holder == AxisHolder::config) continue;
        const training::AxisMember& member = training::member_of(info.axis);
        training::TrainingConfig other = base;
        member.set(other, member.get(base) == 0 ? 1 : 0);
        const bool matters = !irrelevant.test(at(info.axis));
        EXPECT_EQ(config_id_of(other, mixtures) != config_id_of(base, mixtures), matters) << info.name;
        mattered += matters;
        ++choices;
      }
    }
  // Six of them by recompute or schedule: in two of the four rounds, recompute_method and recompute_layers
  // both. And scatter_gather never matters under sequence parallelism, without which lora_a2a would not.
  EXPECT_EQ(mattered, choices - 4 * (6 + 1) + 2 * (1 + 2 + 1 + 1 + 1));
}

// irrelevant_axes() is what normalised() and the search for repeats go by: an axis it names changes nothing,
// and one it does not name changes the config.
TEST(ConfigId, IrrelevantAxesAreThoseThatChangeNothing) {
  simulate::Catalog presets = support::small_catalog();
  const std::int32_t own_version = presets.clusters[0].nccl_version;
  presets.layer_tables = {{4, 4}};
  using Change = std::pair<Axis, void (*)(training::TrainingConfig&)>;
  const std::vector<Change> changes{
      {Axis::vpp, [](auto& c) { c.degrees.virtual_stages = 3; }},
      {Axis::etp, [](auto& c) { c.degrees.expert_tensor = 4; }},
      {Axis::schedule, [](auto& c) { c.schedule = training::ScheduleId(0); }},
      {Axis::zero, [](auto& c) { c.zero = training::ZeroStage(2); }},
      {Axis::sequence_parallel, [](auto& c) { c.sequence_parallel = !c.sequence_parallel; }},
      {Axis::flash_attention, [](auto& c) { c.flash_attention = !c.flash_attention; }},
      {Axis::overlap_grad_reduce, [](auto& c) { c.overlap.grad_reduce = !c.overlap.grad_reduce; }},
      {Axis::overlap_param_gather, [](auto& c) { c.overlap.param_gather = !c.overlap.param_gather; }},
      {Axis::overlap_p2p, [](auto& c) { c.overlap.pipeline = !c.overlap.pipeline; }},
      {Axis::overlap_tp, [](auto& c) { c.overlap.tensor = !c.overlap.tensor; }},
      {Axis::embedding_is_layer, [](auto& c) { c.layers.embedding_is_layer = true; }},
      {Axis::loss_is_layer, [](auto& c) { c.layers.loss_is_layer = true; }},
      {Axis::layer_split, [](auto& c) { c.layers.explicit_layers = training::LayerTableId(0); }},
      {Axis::micro_batch, [](auto& c) { c.batch.micro_samples = 8; }},
      {Axis::recompute, [](auto& c) { c.recompute = training::Recompute::full; }}};
  for (int bits = 0; bits < 32; ++bits) {
    training::TrainingConfig base =
        config({.tensor = 1 + (bits & 1), .pipeline = 1 + (bits >> 1 & 1), .data = 1 + (bits >> 2 & 1)});
    base.sequence_parallel = (bits >> 3 & 1) != 0;
    base.zero = (bits >> 4 & 1) != 0 ? training::ZeroStage::optimizer : training::ZeroStage::none;
    const AxisSet irrelevant = irrelevant_axes(base, presets);
    EXPECT_EQ(irrelevant & ~axes_that_may_not_matter(), AxisSet());
    for (const auto& [axis, change] : changes) {
      training::TrainingConfig other = base;
      change(other);
      EXPECT_EQ(normalised(other, presets) == normalised(base, presets), irrelevant.test(at(axis)))
          << info_of(axis).name << " at " << bits;
    }
    for (const std::int32_t version : {own_version, own_version + 100}) {
      training::TrainingConfig named = base;
      named.nccl_version = version;
      EXPECT_EQ(normalised(named, presets) == normalised(base, presets), version == own_version);
      EXPECT_EQ(irrelevant_axes(named, presets).test(at(Axis::nccl_version)), version == own_version);
    }
  }
}

}  // namespace
}  // namespace echo::sweep
