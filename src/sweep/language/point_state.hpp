// The values of a partially filled point, and the execution of a program's steps on it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/language/program.hpp"
#include "training/config.hpp"

namespace echo::sweep {

struct PointState {
  explicit PointState(const Program& program)
      : slot(static_cast<std::size_t>(program.slots)), defined(static_cast<std::size_t>(program.slots), 1) {
    preset.fill(-1);
  }
  std::vector<Scalar> slot;
  std::vector<std::uint8_t> defined;  // 0: the rule that derives it removed the point
  std::array<std::int32_t, axis_count> preset{};
};

// Fixes dimension `dimension` to its value number `digit`.
void assign(const Program&, std::size_t dimension, std::int64_t digit, PointState&);

// Runs one step; false where its rule removes the point. A step that reads an undefined slot removes nothing:
// the rule that failed to define the slot already did.
[[nodiscard]] bool run_step(const Program&, const simulate::Catalog&, const Step&, PointState&);

// Runs the steps of one level in order, up to the first that removes the point; false where one does.
[[nodiscard]] bool run_level(const Program&, const simulate::Catalog&, std::size_t level, PointState&);

// The config a filled state means. Contract: no rule removed it.
[[nodiscard]] training::TrainingConfig config_of(const PointState&, const simulate::Catalog&);

}  // namespace echo::sweep
