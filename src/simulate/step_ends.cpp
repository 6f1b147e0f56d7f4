#include "simulate/step_ends.hpp"

#include "base/at.hpp"

namespace echo::simulate {

using training::AxesRead;
using training::Axis;

static AxesRead all_but_ends() {
  AxesRead axes{};
  for (const training::AxisInfo& info : training::axis_table) {
    const bool is_of_end = info.axis == Axis::zero || info.axis == Axis::overlap_grad_reduce ||
                           info.axis == Axis::offload_optimizer || info.axis == Axis::overlap_p2p ||
                           info.axis == Axis::global_batch;
    if (!is_of_end) axes.add(info.axis);
  }
  return axes;
}

const AxesRead& axes_before_step_ends() {
  static const AxesRead axes = all_but_ends();
  return axes;
}

std::int32_t step_end_of(const training::AxisValues& values) {
  return values[at(Axis::zero)] * 4 + values[at(Axis::overlap_grad_reduce)] * 2 +
         values[at(Axis::offload_optimizer)];
}

}  // namespace echo::simulate
