#include "training/axis.hpp"

#include <gtest/gtest.h>

#include "training/config.hpp"

namespace echo::training {
namespace {

TEST(Axis, EveryChoiceIsReadBackAsSetAndTouchesNoOther) {
  const TrainingConfig plain;
  for (const AxisInfo& info : axis_table) {
    if (info.holder == AxisHolder::config) continue;
    const AxisMember& member = member_of(info.axis);
    for (const std::int32_t value : {0, 1, info.highest}) {
      TrainingConfig changed;
      member.set(changed, value);
      EXPECT_EQ(member.get(changed), value) << info.name;
      member.set(changed, member.get(plain));
      EXPECT_EQ(changed, plain) << info.name;
    }
    TrainingConfig other;
    member.set(other, member.get(plain) == 0 ? 1 : 0);
    EXPECT_NE(other, plain) << info.name;
  }
}

TEST(Axis, EveryOtherHasAMemberOfItsOwnAsWell) {
  const TrainingConfig plain;
  for (const AxisInfo& info : axis_table) {
    const AxisMember& member = member_of(info.axis);
    ASSERT_EQ(member.set == nullptr, info.axis == Axis::gpus) << info.name;
    if (member.set == nullptr) continue;
    TrainingConfig changed;
    member.set(changed, member.get(plain) == 1 ? 0 : 1);
    EXPECT_NE(changed, plain) << info.name;
    for (const AxisInfo& other : axis_table) {
      if (member_of(other.axis).get == nullptr || other.axis == info.axis) continue;
      EXPECT_EQ(member_of(other.axis).get(changed), member_of(other.axis).get(plain))
          << info.name << " moves " << other.name;
    }
  }
}

TEST(Axis, IsFoundByItsNameAlone) {
  for (const AxisInfo& info : axis_table) EXPECT_EQ(find_axis(info.name), info.axis);
  EXPECT_EQ(find_axis("tpp"), std::nullopt);
}

TEST(Axis, JoinedWordsAreReadBackAsWritten) {
  const auto modules = member_of(Axis::recompute_modules).words;
  EXPECT_EQ(bits_of(modules, "none"), 0);
  EXPECT_EQ(bits_of(modules, "mlp+core_attn"), 9);
  EXPECT_EQ(text_of_bits(modules, 9), "core_attn+mlp");
  for (std::int32_t bits = 0; bits <= info_of(Axis::recompute_modules).highest; ++bits)
    EXPECT_EQ(bits_of(modules, text_of_bits(modules, bits)), bits);
  for (const char* wrong : {"", "mlp+", "+mlp", "mlp mlp", "mlps", "none+mlp"})
    EXPECT_EQ(bits_of(modules, wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace echo::training
