// Tensor shapes on one GPU rank, and helpers that make kernels and collectives from them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "workload/layer/transformer.hpp"

namespace echo::workload {

// tokens: of one sample on this rank (context parallelism divides the sequence); rows: of all samples.
struct Shapes {
  explicit Shapes(const BlockContext& block) : x(block) {
    const training::ModelSpec& m = block.model;
    const training::TrainingConfig& c = block.config;
    t = c.degrees.tensor;
    tokens = c.batch.sequence_tokens / c.degrees.context;
    rows = tokens * c.batch.micro_samples;
    sequence_parallel = c.sequence_parallel && t > 1;
    shared_rows = sequence_parallel ? rows / t : rows;
    hidden = m.hidden;
    heads = m.heads / t;
    query_width = m.heads * m.query_head_dim() / t;
    context_width = m.heads * m.value_head_dim() / t;
    const std::int32_t kv_heads = std::max(1, m.kv_heads / t);  // replicated when t > kv heads
    key_width = kv_heads * m.query_head_dim();
    value_width = kv_heads * m.value_head_dim();
    kv_groups = kv_heads * c.batch.micro_samples;
    attention_batch = m.heads / t * c.batch.micro_samples;
    ffn = m.ffn_hidden / t;
    vocabulary = static_cast<std::int32_t>(block.vocabulary / t);
    dropout = m.positions == training::Positions::learned;
    recompute = c.recompute;
  }

  [[nodiscard]] ops::KernelKey op(ops::KernelKind kind, std::int32_t m, std::int32_t n,
                                  std::int32_t batch = 1) const {
    ops::KernelKey key;
    key.kind = kind;
    key.precision = activation_precision();
    key.style = style_of(kind);
    key.m = m;
    key.n = n;
    key.batch = batch;
    return key;
  }
  [[nodiscard]] ops::KernelKey gemm(std::int32_t m, std::int32_t n, std::int32_t k, ops::GemmLayout layout,
                                    std::int32_t batch = 1) const {
    ops::KernelKey key;
    key.kind = ops::KernelKind::gemm;
    key.precision = batch > 1 || sixteen_bit ? activation_precision() : x.config.precision;
    key.layout = layout;
    key.m = m;
    key.n = n;
    key.k = k;
    key.batch = batch;
    key.fp32_accumulate = layout == ops::GemmLayout::nt && batch == 1 &&
                          x.config.recipe.fused_grad_accumulation && x.config.recipe.fp32_gradients;
    return key;
  }
  // `count` products with separate matrices, one per expert of the rank.
  [[nodiscard]] ops::KernelKey grouped_gemm(std::int32_t m, std::int32_t n, std::int32_t k,
                                            ops::GemmLayout layout, std::int32_t count) const {
    ops::KernelKey key = gemm(m, n, k, layout);
    key.batch = count;
    key.grouped = count > 1;
    return key;
  }
  // Whether products take operands of 8 bits or fewer.
  [[nodiscard]] bool is_8_bit() const { return machine::is_narrow(x.config.precision) && !sixteen_bit; }
  // Whether fused attention takes operands of 8 bits, whatever format those of other products have.
  [[nodiscard]] bool has_8_bit_attention() const {
    return x.config.recipe.fp8_attention && x.config.flash_attention &&
           machine::is_narrow(x.config.precision);
  }
  // fp8 recipes keep norms and batched products in 16 bits, and attention without `fp8_attention`.
  [[nodiscard]] machine::Precision activation_precision() const {
    return machine::is_narrow(x.config.precision) ? machine::Precision::bf16 : x.config.precision;
  }
  // Frameworks had hand-written layer norms long before hand-written RMSNorm, rotary embedding and losses
  // over a split vocabulary.
  [[nodiscard]] ops::KernelStyle style_of(ops::KernelKind kind) const {
    switch (kind) {
      case ops::KernelKind::norm_forward:
      case ops::KernelKind::norm_backward:
        if (x.model.norm == training::Norm::rms) return x.config.recipe.kernels_rms_rope;
        // PyTorch's own layer norm is one kernel forward, and one more for its parameters' gradients
        // backward.
        return std::min(x.config.recipe.kernels, ops::KernelStyle::compiled);
      case ops::KernelKind::residual_forward:
      case ops::KernelKind::residual_backward:  // without bias and dropout always a single addition
        return dropout ? x.config.recipe.kernels
                       : std::min(x.config.recipe.kernels, ops::KernelStyle::compiled);
      case ops::KernelKind::rope:
        return x.config.recipe.kernels_rms_rope;
      case ops::KernelKind::cross_entropy_forward:
      case ops::KernelKind::cross_entropy_backward:
        return x.config.recipe.kernels_loss;
      default:
        return x.config.recipe.kernels;
    }
  }
  // Fused attention of `queries` rows of each sample against `keys` rows.
  [[nodiscard]] ops::KernelKey flash(ops::KernelKind kind, std::int32_t queries, std::int32_t keys,
                                     bool causal) const {
    ops::KernelKey key = op(kind, queries, keys, attention_batch);
    key.style = ops::KernelStyle::fused;
    if (has_8_bit_attention()) key.precision = machine::Precision::fp8;
    key.k = x.model.query_head_dim();
    if (x.model.has_latent_attention()) key.value_dim = x.model.value_head_dim();
    key.groups = kv_groups;
    key.causal = causal;
    key.attention = runs_native_attention() ? ops::AttentionKernel::native : x.framework.attention_kernel;
    return key;
  }
  [[nodiscard]] bool runs_native_attention() const {
    const std::int32_t from = x.framework.native_attention_from;
    return x.framework.attention_kernel == ops::AttentionKernel::native ||
           (from > 0 && x.compute_capability >= from);
  }
  // Local attention: a query sees only near keys, and in packed sequences only those of its document: pieces
  // of equal length represent documents of that mean length. If these are all keys, the kernel is the plain
  // one.
  [[nodiscard]] ops::KernelKey limited(ops::KernelKey key, training::Mixer mixer) const {
    const training::LocalAttention& local = x.model.local;
    if (mixer == training::Mixer::local && local.span < key.n)
      key.span = local.span, key.chunked = local.chunked;
    const std::int32_t packed = x.config.recipe.packed_tokens;
    if (packed > 0 && packed < (key.span > 0 ? key.span : key.n)) key.span = packed, key.chunked = true;
    return key;
  }
  [[nodiscard]] ops::CollectiveQuery over_tensor(ops::CollectiveKind kind, std::int64_t bytes) const {
    return {.kind = kind, .payload = Bytes(bytes), .group = x.layout.tensor, .set_aside = set_aside};
  }
  // Whether backward recomputes this module's outputs.
  [[nodiscard]] bool recomputes(training::Module module) const {
    return recompute == training::Recompute::selective && x.config.recipe.recomputes(module);
  }
  [[nodiscard]] bool overlaps() const { return x.config.overlap.tensor && sequence_parallel; }
  // Bytes of all tokens' activations of a given width, and of the hidden width.
  [[nodiscard]] std::int64_t bytes(std::int32_t width) const {
    return std::int64_t{rows} * width * machine::element_bytes(x.config.precision);
  }
  // The same of what context-parallel ranks exchange: operands and results of fused attention.
  [[nodiscard]] std::int64_t exchanged_bytes(std::int32_t width) const {
    return has_8_bit_attention() ? std::int64_t{rows} * width : bytes(width);
  }
  // A copy of such a tensor, in elements of 16 bit.
  [[nodiscard]] ops::KernelKey exchanged_copy(std::int32_t copied_rows, std::int32_t width) const {
    return op(ops::KernelKind::elementwise, copied_rows, has_8_bit_attention() ? (width + 1) / 2 : width);
  }
  [[nodiscard]] std::int64_t hidden_bytes() const { return bytes(hidden); }

  const BlockContext& x;
  std::int32_t t = 1, tokens = 0, rows = 0, shared_rows = 0, hidden = 0, heads = 0;
  std::int32_t query_width = 0, key_width = 0, value_width = 0, context_width = 0;  // all heads on this rank
  std::int32_t kv_groups = 0, attention_batch = 0, ffn = 0, vocabulary = 0;
  bool sequence_parallel = false, dropout = false;
  bool in_net = false;              // products of the feed-forward net, not of attention
  bool of_head = false;             // the output layer
  bool sixteen_bit = false;         // fp8 recipes leave the output layer in 16 bit
  std::int32_t set_aside = -1;      // of the collectives made here (ops::CollectiveQuery)
  training::Recompute recompute{};  // of this layer: some layers of a chunk may keep everything
};

}  // namespace echo::workload
