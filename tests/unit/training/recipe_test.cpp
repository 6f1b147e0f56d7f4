#include "training/recipe.hpp"

#include <gtest/gtest.h>

namespace echo::training {
namespace {

TEST(Recipe, EveryChoiceIsReadBackAsSetAndTouchesNoOther) {
  for (const Choice& choice : recipe_choices()) {
    const Recipe plain;
    for (const std::int32_t value : {0, 1, choice.highest}) {
      Recipe changed;
      choice.set(changed, value);
      EXPECT_EQ(choice.get(changed), value) << choice.name;
      choice.set(changed, choice.get(plain));
      EXPECT_EQ(changed, plain) << choice.name;
    }
    Recipe other;
    choice.set(other, choice.get(plain) == 0 ? 1 : 0);
    EXPECT_NE(other, plain) << choice.name;
  }
}

TEST(Recipe, JoinedWordsAreReadBackAsWritten) {
  const Choice& modules = recipe_choices()[choice_named("recompute_modules")];
  EXPECT_EQ(bits_of(modules, "none"), 0);
  EXPECT_EQ(bits_of(modules, "mlp+core_attn"), 9);
  EXPECT_EQ(text_of_bits(modules, 9), "core_attn+mlp");
  for (std::int32_t bits = 0; bits <= modules.highest; ++bits)
    EXPECT_EQ(bits_of(modules, text_of_bits(modules, bits)), bits);
  for (const char* wrong : {"", "mlp+", "+mlp", "mlp mlp", "mlps", "none+mlp"})
    EXPECT_EQ(bits_of(modules, wrong), std::nullopt) << wrong;
}

TEST(Recipe, BitsOfModulesAreTheirPlacesAmongTheWords) {
  const auto words = recipe_choices()[choice_named("recompute_modules")].words;
  const auto bit = [&](std::string_view word) {
    return 1 << (std::find(words.begin(), words.end(), word) - words.begin());
  };
  EXPECT_EQ(bit("core_attn"), static_cast<std::int32_t>(Module::core_attn));
  EXPECT_EQ(bit("layernorm"), static_cast<std::int32_t>(Module::layernorm));
  EXPECT_EQ(bit("mla_up_proj"), static_cast<std::int32_t>(Module::mla_up_proj));
  EXPECT_EQ(bit("mlp"), static_cast<std::int32_t>(Module::mlp));
  EXPECT_EQ(bit("moe_act"), static_cast<std::int32_t>(Module::moe_act));
  EXPECT_EQ(bit("moe"), static_cast<std::int32_t>(Module::moe));
  EXPECT_EQ(bit("shared_experts"), static_cast<std::int32_t>(Module::shared_experts));
}

}  // namespace
}  // namespace echo::training
