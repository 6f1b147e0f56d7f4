// What stays the same over a set of points that differ in some axes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sweep/space/config_id.hpp"

namespace echo::bounds {

// What of a step may change with an axis, if all others keep their values.
enum class Reach : std::int8_t {
  all,  // anything: a set that differs in such an axis has no bound
  // All but the matrix products and fused attention of forwards and backwards: their number and their shapes;
  // kernels around them, what is computed again, and transfers may differ.
  around,
  // What is computed again, how weight gradients are summed, and what follows or accompanies the passes:
  // traffic of data parallelism, the end of the step, transfers between stages. Kernels of a pass with ZeRO
  // stage 0 and without recomputation remain, and none but those of weight gradients takes another time.
  beside
};
[[nodiscard]] Reach reach_of(sweep::Axis);
// The widest reach of these; `beside` where there is none.
[[nodiscard]] Reach reach_of(const sweep::AxisSet&);

// Axes that are idle, and then have no part in a config, depending on axes that may be open: recomputation,
// ZeRO stages, whether the sequence is split, and whether products overlap their transfers.
[[nodiscard]] const sweep::AxisSet& sometimes_idle();

// The axes in which members of a set may differ.
struct OpenAxes {
  sweep::AxisSet axes;
  // [axis] The values that members may have, as training::AxisMember says them; empty: any.
  std::array<std::vector<std::int32_t>, sweep::axis_count> values{};
};

}  // namespace echo::bounds
