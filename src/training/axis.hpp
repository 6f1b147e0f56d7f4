// The axes a sweep may cross, their names in files, the kind of value each takes, and where a config holds
// it. axes.toml is their one source.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/at.hpp"
#include "training/axis_info.hpp"
#include "training/axis_table.hpp"

namespace echo::training {

struct TrainingConfig;

constexpr const AxisInfo& info_of(Axis axis) { return axis_table[at(axis)]; }
// The axis of this name, or nothing.
constexpr std::optional<Axis> find_axis(std::string_view name) {
  for (const AxisInfo& info : axis_table)
    if (info.name == name) return info.axis;
  return std::nullopt;
}
constexpr bool is_text(AxisKind kind) {
  return kind == AxisKind::preset || kind == AxisKind::word || kind == AxisKind::version ||
         kind == AxisKind::words;
}

// Axes of presets that a cluster names itself: the first value leaves it to the cluster.
inline constexpr const char* own_preset = "cluster";
constexpr bool has_cluster_presets(Axis axis) { return axis == Axis::nic || axis == Axis::network_switch; }

// How a config holds the value of an axis: as a whole number, which for words is their place, for joined
// words bits, for ratios thousandths, for presets the index, -1 for none. For `gpus`, a product of degrees,
// both functions are null.
struct AxisMember {
  std::span<const std::string_view> words;  // of word and words, where they are fixed
  std::int32_t (*get)(const TrainingConfig&);
  void (*set)(TrainingConfig&, std::int32_t);
};
[[nodiscard]] const AxisMember& member_of(Axis);

// Words joined by "+" ("core_attn+mlp", or "none") and bits, of an axis of kind `words`. Parsing gives
// nothing where a word is unknown; the text of bits names them in the order of `words`.
[[nodiscard]] std::optional<std::int32_t> bits_of(std::span<const std::string_view> words,
                                                  std::string_view text);
[[nodiscard]] std::string text_of_bits(std::span<const std::string_view> words, std::int32_t bits);

// "2.21.5" of 22105, as NCCL numbers itself; before 2.9, 2804 was 2.8.4.
[[nodiscard]] std::string version_text(std::int32_t number);

}  // namespace echo::training
