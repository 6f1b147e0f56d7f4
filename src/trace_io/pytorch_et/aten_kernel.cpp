// Translates ops named by PyTorch's dispatcher (native_functions.yaml) to kernels of the simulator. Only the
// innermost op has a kernel of its own, so composite ones (aten::linear, aten::matmul) occur only where a
// tool recorded no deeper level.
//
// Layout of a product, in cuBLAS's column-major terms: row-major C = A B is C' = B' A', so the first letter
// is B's and the second A's; an operand is transposed where its first stride is 1 and its last is not. A
// weight gradient (NT) counts m and n as our generator does: inputs, outputs.
#include "trace_io/pytorch_et/aten_kernel.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "base/at.hpp"
#include "ops/canonical_kernel.hpp"
#include "trace_io/pytorch_et/torch_types.hpp"

namespace echo::trace_io {

namespace {

using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;
using Shape = std::vector<std::int64_t>;

constexpr std::int64_t too_many = std::numeric_limits<std::int32_t>::max();

// The key, while its numbers are 64 bit wide and any of them may be invalid.
struct Draft {
  KernelKey key;
  bool is_sound = true;
  std::int32_t fit(std::int64_t value) {
    if (value < 1 || value > too_many) is_sound = false;
    return is_sound ? static_cast<std::int32_t>(value) : 1;
  }
  void extents(std::int64_t m, std::int64_t n, std::int64_t k = 1, std::int64_t batch = 1) {
    key.m = fit(m), key.n = fit(n), key.k = fit(k), key.batch = fit(batch);
  }
};

const Shape& shape(const AtenCall& call, std::size_t operand) {
  static const Shape none;
  return operand < call.shapes.size() ? call.shapes[operand] : none;
}

std::string value(const AtenCall& call, std::size_t operand) {
  return operand < call.values.size() ? call.values[operand] : std::string{};
}

bool is_true(const std::string& text) { return text == "True" || text == "true" || text == "1"; }

std::optional<ElementType> type(const AtenCall& call, std::size_t operand) {
  return operand < call.types.size() ? element_type(call.types[operand]) : std::nullopt;
}

// Number of elements; -1 where there are too many, or it cannot be determined.
std::int64_t count(const Shape& shape, std::size_t but_last = 0) {
  std::int64_t out = 1;
  for (std::size_t i = 0; i + but_last < shape.size(); ++i)
    if (__builtin_mul_overflow(out, shape[i], &out) || out < 0) return -1;
  return out;
}

// Whether consecutive rows of the matrix are one element apart: nothing where strides are not known, or both
// are 1.
std::optional<bool> is_transposed(const AtenCall& call, std::size_t operand) {
  if (operand >= call.strides.size()) return std::nullopt;
  const Shape &strides = call.strides[operand], &extents = shape(call, operand);
  if (strides.size() < 2 || strides.size() != extents.size()) return std::nullopt;
  const std::size_t last = strides.size() - 1;
  if (strides[last] == 1 && (strides[last - 1] != 1 || extents[last] != 1)) return false;
  if (strides[last - 1] == 1) return true;
  return std::nullopt;
}

std::optional<GemmLayout> layout_of(const AtenCall& call, std::size_t a, std::size_t b, trace::Pass pass) {
  const auto is_a = is_transposed(call, a), is_b = is_transposed(call, b);
  if (!is_a || !is_b) return pass == trace::Pass::backward ? GemmLayout::nn : GemmLayout::tn;
  if (*is_a && *is_b) return std::nullopt;
  return *is_b ? GemmLayout::tn : *is_a ? GemmLayout::nt : GemmLayout::nn;
}

void product(Draft& d, const AtenCall& call, std::size_t a, trace::Pass pass) {
  const Shape &left = shape(call, a), &right = shape(call, a + 1);
  const std::size_t rank = left.size();
  if ((rank != 2 && rank != 3) || right.size() != rank || left[rank - 1] != right[rank - 2]) {
    d.is_sound = false;
    return;
  }
  d.key.kind = KernelKind::gemm;
  d.extents(left[rank - 2], right[rank - 1], left[rank - 1], rank == 3 ? left[0] : 1);
  const auto layout = layout_of(call, a, a + 1, pass);
  if (!layout) d.is_sound = false;
  d.key.layout = layout.value_or(GemmLayout::tn);
  if (rank == 2 && d.key.layout == GemmLayout::nt) std::swap(d.key.m, d.key.n);
}

void linear(Draft& d, const AtenCall& call) {  // y = x W'
  const Shape &input = shape(call, 0), &weight = shape(call, 1);
  if (input.empty() || weight.size() != 2 || input.back() != weight[1]) {
    d.is_sound = false;
    return;
  }
  d.key.kind = KernelKind::gemm;
  d.extents(count(input, 1), weight[0], weight[1]);
}

// Positions of the operands of a fused attention.
struct AttentionForm {
  std::string_view name;
  bool is_backward = false;
  std::int8_t query = 0;
  bool is_heads_first = false;  // [batch, heads, tokens, dim]; else tokens before heads
  std::int8_t causal = -1;      // operand that says so
  ops::AttentionKernel kernel = ops::AttentionKernel::flash_2;
};
constexpr auto flash_1 = ops::AttentionKernel::flash_1, native = ops::AttentionKernel::native;
constexpr auto flash_2 = ops::AttentionKernel::flash_2;
constexpr std::array<AttentionForm, 16> attention_forms{{
    {"aten::_flash_attention_forward", false, 0, false, 8, flash_2},
    {"aten::_flash_attention_backward", true, 1, false, 11, flash_2},
    {"aten::_scaled_dot_product_flash_attention", false, 0, true, 4, flash_2},
    {"aten::_scaled_dot_product_flash_attention_backward", true, 1, true, 11, flash_2},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", false, 0, true, 4, flash_2},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", true, 1, true, 7, flash_2},
    {"aten::_cudnn_attention_forward", false, 0, true, 10, native},
    {"aten::_cudnn_attention_backward", true, 1, true, 14, native},
    {"aten::_scaled_dot_product_cudnn_attention", false, 0, true, 6, native},
    {"aten::_scaled_dot_product_cudnn_attention_backward", true, 1, true, 14, native},
    {"aten::_efficient_attention_forward", false, 0, false, 9, flash_1},
    {"aten::_efficient_attention_backward", true, 1, false, 14, flash_1},
    {"aten::_scaled_dot_product_efficient_attention", false, 0, true, 6, flash_1},
    {"aten::_scaled_dot_product_efficient_attention_backward", true, 1, true, 11, flash_1},
    {"flash_attn::_flash_attn_forward", false, 0, false, 5, flash_2},
    {"flash_attn::_flash_attn_backward", true, 1, false, 11, flash_2},
}};

bool attention(Draft& d, const AtenCall& call) {
  const auto form = std::find_if(attention_forms.begin(), attention_forms.end(),
                                 [&](const AttentionForm& one) { return one.name == call.name; });
  if (form == attention_forms.end()) return false;
  const std::size_t first = at(form->query);
  const Shape &q = shape(call, first), &k = shape(call, first + 1), &v = shape(call, first + 2);
  const std::string causal = value(call, static_cast<std::size_t>(form->causal));
  if (q.size() != 4 || k.size() != 4 || v.size() != 4 || causal.empty()) {
    d.is_sound = false;
    return true;
  }
  const std::size_t heads = form->is_heads_first ? 1 : 2, tokens = form->is_heads_first ? 2 : 1;
  d.key.kind = form->is_backward ? KernelKind::attention_backward : KernelKind::attention_forward;
  d.extents(q[tokens], k[tokens], q[3], count({q[0], q[heads]}));
  d.key.groups = d.fit(count({k[0], k[heads]}));
  // xFormers' kernels number their masks: 0 none, 1 and 2 causal.
  d.key.causal = is_true(causal) || causal == "2";
  d.key.attention = form->kernel;
  if (v[3] != q[3]) d.key.value_dim = d.fit(v[3]);
  return true;
}

// Ops over m rows of n elements.
struct RowForm {
  std::string_view name;
  KernelKind kind;
  std::int8_t input = 0,
              weight = -1;  // operand whose shape is m x n; whose elements are n, else the last extent
};
constexpr std::array<RowForm, 18> row_forms{{
    {"aten::native_layer_norm", KernelKind::norm_forward, 0, 2},
    {"aten::native_layer_norm_backward", KernelKind::norm_backward, 0, 5},
    {"aten::_fused_rms_norm", KernelKind::norm_forward, 0, 2},
    {"aten::_fused_rms_norm_backward", KernelKind::norm_backward, 0, 4},
    {"aten::gelu", KernelKind::activation_forward},
    {"aten::gelu_backward", KernelKind::activation_backward},
    {"aten::silu", KernelKind::activation_forward},
    {"aten::silu_backward", KernelKind::activation_backward},
    {"aten::relu", KernelKind::activation_forward},
    {"aten::threshold_backward", KernelKind::activation_backward},
    {"aten::native_dropout", KernelKind::dropout_forward},
    {"aten::native_dropout_backward", KernelKind::dropout_backward},
    {"aten::_softmax", KernelKind::softmax_forward},
    {"aten::_softmax_backward_data", KernelKind::softmax_backward},
    {"aten::copy_", KernelKind::elementwise},
    {"aten::clone", KernelKind::elementwise},
    {"aten::tanh", KernelKind::elementwise},
    {"aten::sigmoid", KernelKind::elementwise},
}};

bool rows(Draft& d, const AtenCall& call) {
  const auto form = std::find_if(row_forms.begin(), row_forms.end(),
                                 [&](const RowForm& one) { return one.name == call.name; });
  if (form == row_forms.end()) return false;
  const Shape& input = shape(call, static_cast<std::size_t>(form->input));
  const std::int64_t all = count(input);
  std::int64_t last = input.empty() ? all : input.back();
  if (form->weight >= 0)
    if (const Shape& weight = shape(call, static_cast<std::size_t>(form->weight)); !weight.empty())
      last = count(weight);
  d.key.kind = form->kind;
  d.key.style = ops::KernelStyle::eager;
  if (last < 1 || all < 1 || all % last != 0) d.is_sound = false;
  if (d.is_sound) d.extents(all / last, last);
  return true;
}

bool table(Draft& d, const AtenCall& call) {
  const bool is_lookup = call.name == "aten::embedding" || call.name == "aten::index_select";
  if (!is_lookup && call.name != "aten::embedding_dense_backward") return false;
  const Shape &first = shape(call, 0),
              &indices = shape(call, is_lookup && call.name != "aten::embedding" ? 2 : 1);
  d.key.kind = is_lookup ? KernelKind::embedding_forward : KernelKind::embedding_backward;
  d.key.style = ops::KernelStyle::eager;
  if (first.size() < 2 || indices.empty() || (is_lookup && first.size() != 2)) d.is_sound = false;
  if (d.is_sound) d.extents(count(indices), first.back());
  return true;
}

bool products(Draft& d, const AtenCall& call, trace::Pass pass) {
  const std::string& name = call.name;
  if (name == "aten::mm" || name == "aten::bmm" || name == "aten::_scaled_mm")
    product(d, call, 0, pass);
  else if (name == "aten::addmm" || name == "aten::baddbmm" || name == "aten::addmm_" ||
           name == "aten::_addmm_activation")
    product(d, call, 1, pass);
  else if (name == "aten::linear" || name == "aten::mkldnn_linear")
    linear(d, call);
  else
    return false;
  return true;
}

}  // namespace

std::optional<KernelKey> kernel_of(const AtenCall& call, trace::Pass pass) {
  Draft d;
  if (!products(d, call, pass) && !attention(d, call) && !rows(d, call) && !table(d, call))
    return std::nullopt;
  const auto element = type(call, call.name == "aten::addmm" ? 1 : 0);
  if (!d.is_sound || !element || !element->precision) return std::nullopt;
  d.key.precision = *element->precision;
  // A product of fp8 operands is recognised by its name; any other op on bytes is treated as a copy.
  if (d.key.precision == machine::Precision::fp8 && d.key.kind != KernelKind::gemm) return std::nullopt;
  const KernelKey key = ops::canonical(d.key);
  if (ops::why_unsound(key) != nullptr) return std::nullopt;
  return key;
}

bool is_free(const std::string& name) {
  static constexpr std::array<std::string_view, 60> names{"_conj",
                                                          "_local_scalar_dense",
                                                          "_reshape_alias",
                                                          "_unsafe_view",
                                                          "_version",
                                                          "alias",
                                                          "as_strided",
                                                          "chunk",
                                                          "conj",
                                                          "detach",
                                                          "detach_",
                                                          "diagonal",
                                                          "empty",
                                                          "empty_like",
                                                          "empty_permuted",
                                                          "empty_strided",
                                                          "expand",
                                                          "expand_as",
                                                          "flatten",
                                                          "is_complex",
                                                          "is_floating_point",
                                                          "is_nonzero",
                                                          "is_pinned",
                                                          "is_same_size",
                                                          "item",
                                                          "lift_fresh",
                                                          "movedim",
                                                          "narrow",
                                                          "new_empty",
                                                          "new_empty_strided",
                                                          "numel",
                                                          "numpy_T",
                                                          "permute",
                                                          "pin_memory",
                                                          "record_stream",
                                                          "refine_names",
                                                          "requires_grad_",
                                                          "reshape",
                                                          "resize_",
                                                          "resolve_conj",
                                                          "resolve_neg",
                                                          "result_type",
                                                          "scalar_tensor",
                                                          "select",
                                                          "set_",
                                                          "set_data",
                                                          "size",
                                                          "slice",
                                                          "split",
                                                          "split_with_sizes",
                                                          "squeeze",
                                                          "squeeze_",
                                                          "stride",
                                                          "swapaxes",
                                                          "t",
                                                          "transpose",
                                                          "unbind",
                                                          "unflatten",
                                                          "unsqueeze",
                                                          "view"};
  std::string_view text = name;
  if (text.starts_with("aten::")) text.remove_prefix(6);
  return std::find(names.begin(), names.end(), text) != names.end() || text == "view_as" ||
         text == "unsafe_split" || text == "transpose_" || text == "unsqueeze_" || text == "can_cast" ||
         text == "view_as_real" || text == "view_as_complex" || text == "unsafe_chunk" ||
         text == "broadcast_tensors";
}

Bytes moved_by(const AtenCall& call) {
  constexpr std::int64_t most = std::int64_t{1} << 50;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < call.shapes.size(); ++i) {
    const auto element = type(call, i);
    std::int64_t bytes = 0;
    if (!element || call.shapes[i].empty() || count(call.shapes[i]) < 0) continue;
    if (__builtin_mul_overflow(count(call.shapes[i]), element->bytes, &bytes)) return Bytes(0);
    all = std::min(all + std::min(bytes, most), most);
  }
  return Bytes(all);
}

}  // namespace echo::trace_io
