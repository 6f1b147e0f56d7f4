#include "kernels/constants.hpp"

namespace echo::kernels {

std::span<const KernelConstantField> kernel_constant_fields() {
  using C = KernelConstants;
  static constexpr KernelConstantField fields[] = {
      {"gemm_rate_16", &C::gemm_rate_16},
      {"gemm_rate_8", &C::gemm_rate_8},
      {"gemm_rate_32", &C::gemm_rate_32},
      {"gemm_tile_loss", &C::gemm_tile_loss},
      {"gemm_tile_loss_8", &C::gemm_tile_loss_8},
      {"gemm_prologue", &C::gemm_prologue},
      {"gemm_prologue_8", &C::gemm_prologue_8},
      {"gemm_wave_loss", &C::gemm_wave_loss},
      {"gemm_bandwidth", &C::gemm_bandwidth},
      {"gemm_overlap_leak", &C::gemm_overlap_leak},
      {"gemm_ramp", &C::gemm_ramp},
      {"gemm_nn", &C::gemm_nn},
      {"gemm_nt", &C::gemm_nt},
      {"gemm_misaligned_16", &C::gemm_misaligned_16},
      {"gemm_misaligned_128", &C::gemm_misaligned_128},
      {"gemm_throttle", &C::gemm_throttle},
      {"gemm_throttle_8", &C::gemm_throttle_8},
      {"gemm_throttle_half", &C::gemm_throttle_half},
      {"gemm_sustained", &C::gemm_sustained, false, &C::error_sustained_16},
      {"gemm_sustained_8", &C::gemm_sustained_8, false, &C::error_sustained_8},
      {"gemm_sustained_4", &C::gemm_sustained_4, true, &C::error_sustained_4},
      {"gemm_wave_loss_8", &C::gemm_wave_loss_8, true},
      {"gemm_bandwidth_8", &C::gemm_bandwidth_8, true},
      {"gemm_overlap_leak_8", &C::gemm_overlap_leak_8, true},
      {"gemm_ramp_8", &C::gemm_ramp_8, true},
      {"gemm_throttle_half_8", &C::gemm_throttle_half_8, true},
      {"gemm_l2", &C::gemm_l2, true},
      {"gemm_l2_8", &C::gemm_l2_8, true},
      {"gemm_partials", &C::gemm_partials, true},
      {"gemm_tile_step", &C::gemm_tile_step, true},
      {"gemm_tile_step_8", &C::gemm_tile_step_8, true},
      {"gemm_cluster_rows_8", &C::gemm_cluster_rows_8, true},
      {"gemm_cluster_columns_8", &C::gemm_cluster_columns_8, true},
      {"gemm_ragged_8", &C::gemm_ragged_8, true},
      {"gemm_cast_start", &C::gemm_cast_start, true},
      {"gemm_cast_near", &C::gemm_cast_near, true},
      {"gemm_cast_far", &C::gemm_cast_far, true},
      {"gemm_streams", &C::gemm_streams, true},
      {"gemm_issue", &C::gemm_issue, true},
      {"attention_tile_rows", &C::attention_tile_rows},
      {"attention_tile_keys", &C::attention_tile_keys},
      {"attention_packs", &C::attention_packs},
      {"attention_splits", &C::attention_splits},
      {"attention_forward_rate", &C::attention_forward_rate},
      {"attention_softmax", &C::attention_softmax},
      {"attention_exposed", &C::attention_exposed},
      {"attention_forward_unequal", &C::attention_forward_unequal},
      {"attention_prologue", &C::attention_prologue},
      {"attention_odd_group", &C::attention_odd_group},
      {"attention_tail", &C::attention_tail},
      {"attention_bandwidth", &C::attention_bandwidth},
      {"attention_overlap_leak", &C::attention_overlap_leak},
      {"attention_ramp", &C::attention_ramp},
      {"attention_throttle", &C::attention_throttle},
      {"attention_throttle_half", &C::attention_throttle_half},
      {"attention_sustained", &C::attention_sustained},
      {"attention_backward_rate", &C::attention_backward_rate},
      {"attention_backward_softmax", &C::attention_backward_softmax},
      {"attention_backward_unequal", &C::attention_backward_unequal},
      {"attention_backward_tail", &C::attention_backward_tail},
      {"attention_backward_throttle", &C::attention_backward_throttle},
      {"attention_portable", &C::attention_portable, true},
      {"attention_backward_portable", &C::attention_backward_portable, true},
      {"attention_wrapper_start", &C::attention_wrapper_start},
      {"attention_cache_passes", &C::attention_cache_passes},
      {"attention_query_passes", &C::attention_query_passes},
      {"attention_row_time", &C::attention_row_time},
      {"attention_long_rotation", &C::attention_long_rotation},
      {"expert_rate", &C::expert_rate},
      {"expert_tuned_rate", &C::expert_tuned_rate},
      {"expert_tile_loss", &C::expert_tile_loss},
      {"expert_prologue", &C::expert_prologue},
      {"expert_wave_loss", &C::expert_wave_loss},
      {"expert_misaligned", &C::expert_misaligned},
      {"expert_bandwidth", &C::expert_bandwidth},
      {"expert_reread", &C::expert_reread},
      {"expert_overlap_leak", &C::expert_overlap_leak},
      {"expert_apart", &C::expert_apart},
      {"expert_activation", &C::expert_activation},
      {"expert_combine", &C::expert_combine},
      {"expert_ramp", &C::expert_ramp},
      {"expert_router_ramp", &C::expert_router_ramp},
      {"expert_router", &C::expert_router},
      {"expert_router_fused", &C::expert_router_fused},
      {"expert_remote", &C::expert_remote},
      {"memory_copy", &C::memory_copy},
      {"memory_norm", &C::memory_norm},
      {"memory_norm_backward", &C::memory_norm_backward},
      {"memory_activation", &C::memory_activation},
      {"memory_residual", &C::memory_residual},
      {"memory_rope", &C::memory_rope},
      {"memory_softmax", &C::memory_softmax},
      {"memory_embedding", &C::memory_embedding},
      {"memory_scatter", &C::memory_scatter},
      {"memory_loss", &C::memory_loss},
      {"memory_permute", &C::memory_permute, true},
      {"memory_optimizer", &C::memory_optimizer},
      {"memory_read", &C::memory_read},
      {"memory_write", &C::memory_write},
      {"memory_compiled", &C::memory_compiled},
      {"memory_reuse", &C::memory_reuse, true},
      {"memory_l2", &C::memory_l2, true},
      {"memory_half", &C::memory_half},
      {"error_gemm_16", &C::error_gemm_16},
      {"error_gemm_8", &C::error_gemm_8},
      {"error_gemm_32", &C::error_gemm_32},
      {"error_attention_forward", &C::error_attention_forward},
      {"error_attention_backward", &C::error_attention_backward},
      {"error_experts", &C::error_experts},
      {"error_memory", &C::error_memory},
  };
  return fields;
}

std::span<const KnotsField> knots_fields() {
  using C = KernelConstants;
  static constexpr KnotsField fields[] = {
      {"gemm_16", "m, n, k", &C::gemm_knots_16},
      {"gemm_8", "m, n, k", &C::gemm_knots_8},
      {"attention", "queries, thread blocks over SMs, head dim", &C::attention_knots},
      {"experts", "rows an expert, inner size, experts", &C::expert_knots},
  };
  return fields;
}

const KernelConstants& constants_of(const KernelConstants& all, ops::KernelLibrary library) {
  for (const KernelConstants& one : all.libraries)
    if (one.library == library) return one;
  return all;
}

double sustained_error(const KernelConstants& c, machine::Precision precision) {
  if (precision == machine::Precision::nvfp4 && c.gemm_sustained_4 >= 0.0)
    return c.error_sustained_4 / (1.0 + c.gemm_sustained_4);
  if (machine::is_narrow(precision)) return c.error_sustained_8 / (1.0 + c.gemm_sustained_8);
  return c.error_sustained_16 / (1.0 + c.gemm_sustained);
}

}  // namespace echo::kernels
