#include "simulate/admission/axes_read.hpp"

#include <sstream>
#include <string>

#include "simulate/schedule_rules.hpp"

namespace echo::simulate {

using training::AxesRead;
using training::Axis;

const AxesRead& axes_of_layout() {
  static const AxesRead axes{
      Axis::model,     Axis::cluster,       Axis::framework,  Axis::recipe,        Axis::gpus,
      Axis::ep,        Axis::etp,           Axis::vpp,        Axis::schedule,      Axis::embedding_is_layer,
      Axis::cp_comm,   Axis::layer_split,   Axis::zero_group, Axis::loss_is_layer, Axis::cp_inner,
      Axis::placement, Axis::placement_seed};
  return axes;
}

namespace {

// training/memory, memory_fit and the shapes of pipelines.
const AxesRead& axes_of_memory() {
  static const AxesRead axes{Axis::gpu,
                             Axis::micro_batch,
                             Axis::global_batch,
                             Axis::seq_len,
                             Axis::recompute,
                             Axis::zero,
                             Axis::precision,
                             Axis::sequence_parallel,
                             Axis::flash_attention,
                             Axis::overlap_tp,
                             Axis::kernels,
                             Axis::kernels_rms_rope,
                             Axis::kernels_loss,
                             Axis::cuda_graphs,
                             Axis::cuda_graph_modules,
                             Axis::fp8_recipe,
                             Axis::fp8_gather,
                             Axis::fp32_gradients,
                             Axis::optimizer,
                             Axis::microbatch_group,
                             Axis::deferred_wgrads,
                             Axis::fsdp_prefetch,
                             Axis::fsdp_reshard,
                             Axis::no_sync,
                             Axis::offload_optimizer,
                             Axis::offload_layers,
                             Axis::recompute_modules,
                             Axis::recompute_method,
                             Axis::recompute_layers,
                             Axis::overlap_ep,
                             Axis::capacity_factor,
                             Axis::expert_imbalance,
                             Axis::mtp_layers,
                             Axis::lora_rank,
                             Axis::lora_targets,
                             Axis::optimizer_tier,
                             Axis::activation_tier,
                             Axis::offload_weights,
                             Axis::weight_tier};
  return axes;
}

void add_named(const char* names, AxesRead& axes) {
  std::istringstream words(names);
  for (std::string word; words >> word;)
    if (const auto axis = training::find_axis(word)) axes.add(*axis);
}

AxesRead all_axes() {
  AxesRead axes = axes_of_layout();
  axes.add(axes_of_memory());
  for (const Refusal& rule : refusals_of_configs()) add_named(rule.axes, axes);
  return axes;
}

}  // namespace

const AxesRead& axes_of_admission() {
  static const AxesRead axes = all_axes();
  return axes;
}

}  // namespace echo::simulate
