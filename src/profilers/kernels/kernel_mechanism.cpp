// How each kind of kernel is run.
//
// Products go to cuBLASLt and attention to cuDNN, which are the libraries that frameworks call. For ops that
// memory bounds, frameworks run kernels of their own (Apex, Transformer Engine, Triton); their slowdown
// beside communication is due to their traffic, so ours move the same bytes in the same number of arrays and
// omit the arithmetic. Their names in the dataset say so: echo_stream, echo_row. Bytes follow
// ops::traffic_of, the fused style.
#include "profilers/kernels/kernel_mechanism.hpp"

#include <string_view>

#include "ops/canonical_kernel.hpp"

namespace echo::profilers {

using ops::KernelKey;
using ops::KernelKind;
using ops::Precision;

namespace {

// An array as wide as a stored element.
StreamRecipe stored(const KernelKey& key, std::int32_t reads, std::int32_t writes) {
  StreamRecipe recipe;
  const std::size_t width = machine::element_bytes(key.precision) == 4 ? 2 : 1;
  recipe.reads[width] = reads;
  recipe.writes[width] = writes;
  return recipe;
}

StreamRecipe with_mask(StreamRecipe recipe, bool is_written) {
  (is_written ? recipe.writes : recipe.reads)[0] += 1;
  return recipe;
}

std::vector<StreamRecipe> one_array(std::int32_t bytes, bool is_written) {
  if (bytes != 2 && bytes != 4) return {};
  StreamRecipe recipe;
  (is_written ? recipe.writes : recipe.reads)[bytes == 2 ? 1 : 2] = 1;
  return {recipe};
}

// Adam over fp32 master weights and moments, 16-bit weights written; gradients of 2 or 4 bytes. Gradients of
// 4 are clipped, and unscaled in fp16, by a pass of their own each before.
std::vector<StreamRecipe> adam(std::int32_t bytes) {
  constexpr std::int32_t update = 30, pass = 8;
  if (bytes == 28) return {{.reads = {0, 1, 3}, .writes = {0, 1, 3}}};
  if (bytes < update || bytes > update + 2 * pass || (bytes - update) % pass != 0) return {};
  std::vector<StreamRecipe> recipes(static_cast<std::size_t>((bytes - update) / pass),
                                    {.reads = {0, 0, 1}, .writes = {0, 0, 1}});
  recipes.push_back({.reads = {0, 0, 4}, .writes = {0, 1, 3}});
  return recipes;
}

// 16-bit elements, and their copies of 8 bits that all share a scale.
std::vector<StreamRecipe> cast_to_8_bit(const KernelKey& key) {
  if (key.precision != Precision::fp8 || key.k != 1 || key.groups > 2) return {};
  return {{.reads = {0, 1, 0}, .writes = {key.groups, 0, 0}}};
}

bool is_gemm_precision(Precision p) { return p != Precision::mxfp8 && p != Precision::nvfp4; }

}  // namespace

std::int32_t StreamRecipe::bytes() const {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) sum += widths[i] * (reads[i] + writes[i]);
  return sum;
}

std::vector<StreamRecipe> stream_recipes(const KernelKey& key) {
  if (key.style != ops::KernelStyle::fused) return {};
  switch (key.kind) {
    case KernelKind::activation_forward:
      return {stored(key, key.gated ? 2 : 1, 1)};
    case KernelKind::activation_backward:
      if (!key.gated) return {};  // a second kernel sums the bias gradient
      return {stored(key, 3, 2)};
    case KernelKind::residual_forward:
      return {with_mask(stored(key, 2, 1), true)};
    case KernelKind::residual_backward:
    case KernelKind::dropout_backward:
      return {with_mask(stored(key, 1, 1), false)};
    case KernelKind::dropout_forward:
      return {with_mask(stored(key, 1, 1), true)};
    case KernelKind::rope:
    case KernelKind::elementwise:
      return {stored(key, 1, 1)};
    case KernelKind::embedding_forward:  // whole rows, wherever they stand
      return {stored(key, 1, 1)};
    case KernelKind::amax:
      return {{.reads = {0, 1, 0}, .writes = {}}};
    case KernelKind::quantize:
      return cast_to_8_bit(key);
    case KernelKind::merge:
      return {stored(key, 2, 1)};
    case KernelKind::grad_accumulate: {
      StreamRecipe recipe = stored(key, 1, 0);
      recipe.reads[2] += 1;
      recipe.writes[2] += 1;
      return {recipe};
    }
    case KernelKind::optimizer:
      return adam(key.n);
    case KernelKind::grad_norm:
      return one_array(key.n, false);
    case KernelKind::memset_zero:
      return one_array(key.n, true);
    default:
      return {};
  }
}

std::int64_t stream_elements(const KernelKey& key) {
  const bool is_n_bytes = key.kind == KernelKind::optimizer || key.kind == KernelKind::grad_norm ||
                          key.kind == KernelKind::memset_zero;
  return std::int64_t{key.m} * key.batch * (is_n_bytes ? 1 : key.n);
}

bool is_row_kernel(const KernelKey& key) {
  const bool is_kind = key.kind == KernelKind::norm_forward || key.kind == KernelKind::norm_backward ||
                       key.kind == KernelKind::softmax_forward || key.kind == KernelKind::softmax_backward;
  return is_kind && key.style == ops::KernelStyle::fused && machine::element_bytes(key.precision) == 2 &&
         !key.causal && key.n % 8 == 0;
}

Mechanism mechanism_of(const KernelKey& key) {
  if (why_not_run(key) != nullptr) return Mechanism::none;
  if (key.kind == KernelKind::gemm) return Mechanism::gemm;
  if (key.kind == KernelKind::attention_forward || key.kind == KernelKind::attention_backward)
    return Mechanism::attention;
  return is_row_kernel(key) ? Mechanism::row : Mechanism::stream;
}

const char* why_not_run(const KernelKey& key) {
  if (const char* why = ops::why_unsound(key)) return why;
  if (key.kind == KernelKind::gemm) {
    if (!is_gemm_precision(key.precision)) return "block-scaled products are not supported";
    if (key.grouped && key.batch > most_grouped) return "more than 32 products per group are not supported";
    return nullptr;
  }
  if (key.kind == KernelKind::attention_forward || key.kind == KernelKind::attention_backward) {
    if (machine::element_bytes(key.precision) != 2 || machine::is_narrow(key.precision))
      return "attention is supported only in bf16 and fp16";
    if (key.m != key.n || key.span != 0)
      return "attention is supported only over a whole sequence, without windows";
    if (ops::value_dim_of(key) != key.k) return "attention is supported only with a single head dimension";
    if (key.attention != ops::AttentionKernel::native)
      return "only the GPU's native attention kernel is supported";
    return nullptr;
  }
  if (is_row_kernel(key) || !stream_recipes(key).empty()) return nullptr;
  return "no memory kernel matches this op";
}

}  // namespace echo::profilers
