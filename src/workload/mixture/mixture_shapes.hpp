// Token counts and widths of a mixture of experts on one rank, and the kernels that follow from them alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "training/layout/expert_load.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// Token counts and widths on one rank.
struct Mixture {
  explicit Mixture(const Shapes& shapes)
      : s(shapes), router(shapes), ep(s.x.config.degrees.expert), etp(s.x.config.degrees.expert_tensor) {
    const training::ModelSpec& m = s.x.model;
    router.sixteen_bit = true;
    experts = m.experts / ep;
    tokens = s.shared_rows;
    copies = m.experts_per_token;
    received = static_cast<std::int32_t>(std::lround(tokens * copies * s.x.load.rank));
    if (is_capped())
      received = static_cast<std::int32_t>(training::expert_capacity(s.x.config, m, tokens)) * m.experts;
    reached = static_cast<std::int32_t>(std::llround(tokens * ranks_per_token()));
    rows = received * etp;
    rows_each = (rows + experts - 1) / experts;
    ffn = m.expert_ffn_hidden / etp;
    up = m.gated_ffn ? 2 * ffn : ffn;
    shared_ffn = m.shared_expert_hidden / s.t;
    shared_up = m.gated_ffn ? 2 * shared_ffn : shared_ffn;
  }
  [[nodiscard]] bool has_shared() const { return shared_ffn > 0; }
  [[nodiscard]] bool is_capped() const { return s.x.config.recipe.capacity_permille > 0; }
  // A dispatcher that moves tokens by itself (DeepEP, HybridEP), not an all-to-all of sorted copies.
  [[nodiscard]] bool is_dispatched_whole() const {
    return ep > 1 && s.x.config.recipe.dispatch == training::Dispatch::per_node;
  }
  [[nodiscard]] bool calls(ops::CommKernel kernel) const {
    return is_dispatched_whole() && ops::has(s.x.config.recipe.comm_kernels, kernel);
  }
  [[nodiscard]] bool is_hybrid() const { return calls(ops::CommKernel::hybridep); }
  // Whether Megatron copies tokens to padded places; HybridEP leaves room for the padding.
  [[nodiscard]] bool pads_apart() const {
    return s.is_8_bit() && (!is_dispatched_whole() || calls(ops::CommKernel::deepep));
  }
  // Whether one kernel does a product, its bias, the activation, the weights of the copies and the cast.
  [[nodiscard]] bool is_fused() const { return s.x.config.recipe.fused_grouped_mlp; }
  [[nodiscard]] bool overlaps_shared() const {
    return has_shared() && ep > 1 && s.x.config.recipe.overlaps_shared_experts;
  }

  // Expected number of ranks, and of nodes, that hold one of a token's experts; where loads are uneven, each
  // is counted as often as the busiest.
  [[nodiscard]] double ranks_per_token() const {
    return training::parts_per_token(s.x.model, ep, is_capped() ? s.x.load.node : s.x.load.rank);
  }
  [[nodiscard]] double nodes_per_token() const {
    return training::parts_per_token(s.x.model, s.x.layout.expert_across.ranks, s.x.load.node);
  }
  [[nodiscard]] std::int64_t bytes_of(std::int32_t some_rows) const {
    return std::int64_t{some_rows} * s.hidden * machine::element_bytes(s.x.config.precision);
  }

  // Copies between tokens and their copies in the order of experts.
  [[nodiscard]] ops::KernelKey sorting(ops::KernelKind kind) const {
    ops::KernelKey key = s.op(kind, tokens, s.hidden);
    key.style = ops::KernelStyle::fused;
    key.groups = copies;
    return key;
  }
  // The router's scores are fp32 and, without --moe-router-fusion, chains of operators that the framework
  // compiles.
  [[nodiscard]] ops::KernelKey routing(ops::KernelKind kind) const {
    ops::KernelKey key = s.op(kind, tokens, s.x.model.experts);
    key.style = std::max(key.style, ops::KernelStyle::compiled);
    return key;
  }
  [[nodiscard]] ops::KernelKey activation(ops::KernelKind kind, std::int32_t of_rows,
                                          std::int32_t width) const {
    ops::KernelKey key = s.op(kind, of_rows, width);
    key.gated = s.x.model.gated_ffn;
    return key;
  }
  // A product of every expert: one launch each, or one for all.
  [[nodiscard]] ops::KernelKey product(std::int32_t m, std::int32_t n, std::int32_t k,
                                       ops::GemmLayout layout) const {
    ops::KernelKey key = s.grouped_gemm(m, n, k, layout, experts);
    if (is_fused()) key.grouped = false;
    return key;
  }

  const Shapes& s;
  Shapes router;  // whose products stay in 16 bit
  std::int32_t ep, etp;
  std::int32_t experts = 0, tokens = 0, copies = 0;  // experts this rank holds; tokens it routes
  std::int32_t reached = 0;              // tokens that come to it, whatever the number of their experts here
  std::int32_t received = 0;             // copies that come to it, and over the group go from it
  std::int32_t rows = 0, rows_each = 0;  // copies its experts work on, and each of them
  std::int32_t ffn = 0, up = 0, shared_ffn = 0, shared_up = 0;
};

}  // namespace echo::workload
