#include "bounds/open_axes.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::bounds {

using sweep::Axis;
using sweep::AxisInfo;
using sweep::AxisSet;

Reach reach_of(Axis axis) {
  switch (axis) {
    case Axis::zero:
    case Axis::zero_group:
    case Axis::overlap_grad_reduce:
    case Axis::overlap_param_gather:
    case Axis::overlap_p2p:
    case Axis::scatter_gather:
    case Axis::offload_optimizer:
    case Axis::fsdp_prefetch:
    case Axis::fsdp_reshard:
    case Axis::recompute:
    case Axis::recompute_modules:
    case Axis::recompute_method:
    case Axis::recompute_layers:
    case Axis::fp32_gradients:
      return Reach::beside;
    case Axis::sequence_parallel:
    case Axis::overlap_tp:
    case Axis::flash_attention:
    case Axis::kernels:
    case Axis::kernels_rms_rope:
    case Axis::kernels_loss:
    case Axis::nccl_version:
    case Axis::nccl_algo:
    case Axis::nccl_proto:
    case Axis::nccl_min_nchannels:
    case Axis::nccl_max_nchannels:
    case Axis::nccl_max_p2p_nchannels:
      return Reach::around;
    default:
      return Reach::all;
  }
}

Reach reach_of(const AxisSet& axes) {
  Reach widest = Reach::beside;
  for (const AxisInfo& info : sweep::axis_table)
    if (axes.test(at(info.axis))) widest = std::min(widest, reach_of(info.axis));
  return widest;
}

const AxisSet& sometimes_idle() {
  using training::Condition;
  constexpr training::Conditions on_open =
      training::all_of({Condition::sequence_parallel, Condition::whole_activations, Condition::shards_states,
                        Condition::shards_gradients, Condition::shards_weights, Condition::recomputes_modules,
                        Condition::recomputes_layers, Condition::runs_in_units, Condition::offloads_optimizer,
                        Condition::overlaps_products});
  static const AxisSet found = [] {
    AxisSet axes;
    for (const AxisInfo& info : sweep::axis_table)
      if ((info.needs & on_open) != 0) axes.set(at(info.axis));
    return axes;
  }();
  return found;
}

}  // namespace echo::bounds
