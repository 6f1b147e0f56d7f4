// The values of all axes of a config side by side: keys of memos, and configs of which some axes are hidden.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "training/axis.hpp"
#include "training/config.hpp"

namespace echo::training {

// [at(axis)] As AxisMember::get says; 0 for `gpus`, a product of others.
using AxisValues = std::array<std::int32_t, axis_count>;

[[nodiscard]] AxisValues values_of(const TrainingConfig&);  // generated from axes.toml
[[nodiscard]] TrainingConfig config_of(const AxisValues&);

// The axes that some function of a config looks at. What it gets to see of a config is its values on these
// and the plain ones of TrainingConfig{} on all others, so that it cannot depend on them.
class AxesRead {
 public:
  AxesRead(std::initializer_list<Axis>);
  void add(Axis);
  void add(const AxesRead&);
  // The config of seen_of(all), where `all` are the values of `config`.
  [[nodiscard]] TrainingConfig seen_of(TrainingConfig config, const AxisValues& all) const;
  [[nodiscard]] bool contains(Axis axis) const { return bits_[at(axis)] != 0; }
  [[nodiscard]] AxisValues seen_of(const AxisValues& all) const {
    AxisValues seen;
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = plain_[i] ^ ((plain_[i] ^ all[i]) & bits_[i]);
    return seen;
  }

 private:
  AxisValues bits_{};  // all ones where it looks, else 0
  AxisValues plain_;
};

struct AxisValuesHash {
  std::size_t operator()(const AxisValues&) const;
};

}  // namespace echo::training
