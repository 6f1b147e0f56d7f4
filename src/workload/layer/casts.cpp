// The casts of each recipe (Transformer Engine: pytorch/module/{linear,layernorm_linear,base}.py,
// csrc/extensions/normalization.cpp, csrc/quantizer.cpp):
//
//   delayed    one kernel reads the tensor and writes its copies; a norm writes 8 bit by itself, one copy
//   current    a pass for the largest magnitude, fused into a norm, then the cast; sequence-parallel ranks
//              agree on that magnitude (an all-reduce of 4 bytes) before they cast their parts
//   rowwise    both copies from the 16-bit tensor, which is the one that is transferred: one copy's rows are
//              contiguous and scaled as they are read, for the other every column is searched first (torchao
//              float8_linear.py, config.py: axis-wise scales of all three products)
//   blockwise, mxfp8   one kernel, two copies: blocks run along the summed dimension of each product
//   nvfp4      a pass for the magnitudes, also those of the Hadamard-transformed tensor, then one kernel that
//              writes both copies; its memory traffic hides the transform and the stochastic rounding
//
// Norms, attention, routers, embeddings and the output layer stay in 16 bit. Hopper's 8-bit products accept
// one layout: an operand that came through a gather, or out of a norm, is transposed before the weight
// gradient. Under sequence parallelism operands are transferred in their format (distributed.py,
// gather_along_first_dim). Weights are cast once per step and kept (is_first_microbatch), but in every pass
// where they are sharded. Neglected: the byte that a norm saves by writing 8 bits, padding and swizzling of
// block scales, layers that a recipe leaves in 16 bit.
#include "workload/layer/casts.hpp"

#include <algorithm>
#include <cmath>

#include "training/memory/number_formats.hpp"
#include "workload/layer/parallel_linear.hpp"

namespace echo::workload {

namespace {

using ops::CollectiveKind;
using ops::KernelKey;
using ops::KernelKind;
using ops::KernelStyle;
using training::NarrowFormat;

NarrowFormat format_of(const BlockContext& x) {
  return training::narrow_format(x.config, x.compute_capability);
}

// Current scales are PyTorch operators where the framework's other kernels are; all other scales exist only
// as hand-written kernels.
KernelStyle style_of(const BlockContext& x, const NarrowFormat& format) {
  const bool may_be_operators = format.scale_is_global || format.by_row;
  return may_be_operators && format.block == 1 ? x.config.recipe.kernels : KernelStyle::fused;
}

KernelKey cast_key(const BlockContext& x, KernelKind kind, std::int32_t rows, std::int32_t columns,
                   std::int32_t copies) {
  const NarrowFormat format = format_of(x);
  KernelKey key;
  key.kind = kind;
  key.precision = x.config.precision;
  key.style = style_of(x, format);
  key.m = rows;
  key.n = columns;
  if (kind == KernelKind::quantize) key.k = format.block, key.groups = copies;
  return key;
}

// A norm of Transformer Engine or of a compiler finds the largest magnitude itself; that of nvfp4 follows a
// transform.
bool norm_finds_magnitude(const BlockContext& x, const NarrowFormat& format) {
  return format.block == 1 && style_of(x, format) != KernelStyle::eager;
}

// Under the operation fuser Transformer Engine's activation kernels quantise what they write where a scale is
// known or belongs to a block of 8 bits (pytorch/ops/basic/activation.py). Others are cast by a kernel of
// their own, as are Hopper's transposed copies.
bool activation_casts(const BlockContext& x, const NarrowFormat& format) {
  const bool as_it_lies = format.block > 1 || format.copies == 1 || x.is_frozen();
  return x.config.recipe.op_fuser && as_it_lies && !format.scale_is_global && !format.by_row;
}

// The second copy is the weight gradient's, which a frozen weight has not: no product of a frozen model
// keeps its input's (pytorch/module/linear.py, backward_needs_input); the fuser's omit that of the output's
// gradient as well (pytorch/ops/basic/basic_linear.py).
std::int32_t copies_of(const BlockContext& x, TimeCategory part) {
  const bool one = x.is_frozen() && (part != TimeCategory::backward || x.config.recipe.op_fuser);
  return one ? 1 : format_of(x).copies;
}

enum class Parts : std::int8_t { of_one_tensor, whole };

void cast(Builder& b, const Shapes& s, TimeCategory part, Origin origin, Parts parts, std::int32_t rows,
          std::int32_t columns, std::int32_t copies) {
  const NarrowFormat format = format_of(s.x);
  if (format.scale_is_known && origin == Origin::norm) return;
  if (origin == Origin::activation && activation_casts(s.x, format)) return;
  if (format.by_row) {
    b.compute(part, cast_key(s.x, KernelKind::quantize, rows, columns, 1));
    b.compute(part, cast_key(s.x, KernelKind::amax, rows, columns, 1));
    b.compute(part, cast_key(s.x, KernelKind::quantize, rows, columns, 1));
    return;
  }
  OpId agreed = OpId::none();
  if (format.scale_is_global) {
    if (origin != Origin::norm || !norm_finds_magnitude(s.x, format))
      b.compute(part, cast_key(s.x, KernelKind::amax, rows, columns, 1));
    if (parts == Parts::of_one_tensor)
      agreed = b.communicate(Lane::tensor, TimeCategory::tp_comm,
                             s.over_tensor(CollectiveKind::all_reduce, 4), {b.last_compute()});
  }
  b.compute(part, cast_key(s.x, KernelKind::quantize, rows, columns, copies), {agreed});
}

}  // namespace

void cast_to_8_bit(Builder& b, const Shapes& s, TimeCategory part, std::int32_t rows, std::int32_t columns,
                   Origin origin) {
  if (s.is_8_bit()) cast(b, s, part, origin, Parts::whole, rows, columns, copies_of(s.x, part));
}

void cast_experts_to_8_bit(Builder& b, const Shapes& s, TimeCategory part, std::int32_t rows_each,
                           std::int32_t columns, std::int32_t experts, bool fused) {
  if (!s.is_8_bit()) return;
  const NarrowFormat format = format_of(s.x);
  if (fused || format.scale_is_known || format.by_row)
    return cast(b, s, part, Origin::other, Parts::whole, rows_each * experts, columns, format.copies);
  const auto of_each = [&](KernelKind kind) {
    KernelKey key = cast_key(s.x, kind, rows_each, columns, format.copies);
    key.batch = experts;
    return key;
  };
  if (format.scale_is_global) b.compute(part, of_each(KernelKind::amax));
  b.compute(part, of_each(KernelKind::quantize));
}

OpId gather_operand(Builder& b, const Shapes& s, OpId after, std::int32_t width, std::int32_t copies) {
  if (!s.is_8_bit() || !s.sequence_parallel || format_of(s.x).by_row) return gather(b, s, after, width);
  const double bytes = static_cast<double>(s.rows) * width * format_of(s.x).bytes * copies;
  const OpId gathered =
      b.communicate(Lane::tensor, TimeCategory::tp_comm,
                    s.over_tensor(CollectiveKind::all_gather, std::llround(bytes)), {after});
  return put_in_place(b, s, gathered, bytes);
}

OpId cast_and_gather(Builder& b, const Shapes& s, TimeCategory part, std::int32_t width, Origin origin) {
  if (!s.is_8_bit()) return gather(b, s, b.last_compute(), width);
  const NarrowFormat format = format_of(s.x);
  if (!s.sequence_parallel || format.by_row) {
    b.hold_compute(gather(b, s, b.last_compute(), width));
    cast(b, s, part, origin, Parts::whole, s.rows, width, copies_of(s.x, part));
    return OpId::none();
  }
  const bool blocks = format.block > 1;
  cast(b, s, part, origin, Parts::of_one_tensor, s.shared_rows, width, blocks ? format.copies : 1);
  return gather_operand(b, s, b.last_compute(), width,
                        blocks && part == TimeCategory::backward ? format.copies : 1);
}

// Scales are those of earlier steps or, where the run's are, of the tensor itself; 4-bit and block-scaled
// runs use the former (pytorch/attention/dot_product_attention/{utils,backends}.py). One byte and two are
// moved for each element, either way.
OpId cast_attention(Builder& b, const Shapes& s, TimeCategory part, std::int32_t width, OpId after) {
  if (!s.has_8_bit_attention()) return after;
  ops::KernelKey key = s.op(KernelKind::quantize, s.rows, width);
  key.style = KernelStyle::fused;
  key.precision = machine::Precision::fp8;
  b.compute(part, key, {after});
  return OpId::none();
}

void transpose_operand(Builder& b, const Shapes& s, std::int32_t rows, std::int32_t columns, Origin origin,
                       OpId need) {
  if (!s.is_8_bit()) return;
  const NarrowFormat format = format_of(s.x);
  const bool one_came = s.sequence_parallel || (origin == Origin::norm && format.scale_is_known);
  if (format.block > 1 || format.by_row || format.copies == 1 || !one_came) return;
  KernelKey key = s.op(KernelKind::elementwise, rows, std::max(1, columns / 2));  // of 8 bits, not 16
  key.style = KernelStyle::fused;
  b.compute(TimeCategory::backward, key, {need});
}

void cast_gathered_weights(Builder& b, const Shapes& s, training::LayerKind kind, TimeCategory part,
                           OpId need) {
  const BlockContext& x = s.x;
  if (!s.is_8_bit() || x.config.zero != training::ZeroStage::parameters || x.layout.shard.ranks == 1 ||
      x.config.recipe.fp8_gather)
    return;
  const std::int64_t weights = training::layer_parameters_per_rank(x.config, x.model, kind).total() -
                               training::replicated_layer_parameters(x.model, kind);
  if (format_of(x).scale_is_global) b.compute(part, over_weights(x, KernelKind::amax, weights), {need});
  KernelKey key = over_weights(x, KernelKind::quantize, weights);
  key.groups = 1;  // the copy that this pass multiplies by
  b.compute(part, key, {need});
}

KernelKey over_weights(const BlockContext& x, KernelKind kind, std::int64_t parameters) {
  constexpr std::int64_t row = 4096;
  const auto rows = static_cast<std::int32_t>(std::max<std::int64_t>(1, parameters / row));
  return cast_key(x, kind, rows, row, format_of(x).copies);
}

}  // namespace echo::workload
