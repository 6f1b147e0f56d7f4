// A product W x of a frozen model becomes W x + s B A x, with A of `rank` rows and B of `rank` columns
// trainable (LoRA). W itself is not trained: its weight gradient is not computed, its input gradient is.
//
// Tensor ranks share both: beside a column-parallel product A is split by its rows (its short output is
// gathered) and B is split as W is; beside a row-parallel one A is split by its columns (its short output is
// summed), and B by its rows; its full-width output is gathered and, under sequence parallelism, cut to the
// rank's part of the sequence, or an all-to-all gives each rank that part at once (`lora_a2a`). The gathered
// input of a column-parallel product is kept for A's gradient; under sequence parallelism the adapter's input
// gradient is scattered separately from the product's. Products of adapters stay in 16 bit; scaling, and
// adding to the product's output, are kernels of their own, unless Transformer Engine's operation fuser has
// the product of B scale and add forward, and that of A's transpose add backward (NeMo peft/lora.py,
// TEFusedLoRALinear; not under tensor parallelism). A dropout of A's input is a kernel forward and one
// backward. Sources: Hu et al. 2021 (arXiv:2106.09685, section 4); Megatron-Bridge
// src/megatron/bridge/peft/{lora_layers,utils}.py, NeMo nemo/collections/llm/peft/lora.py (targets
// linear_qkv, linear_proj, linear_fc1, linear_fc2). Neglected: that the first layer needs no input gradient
// below its own adapters; the memory of a dropped input.
#include "workload/layer/adapter.hpp"

#include "workload/layer/parallel_linear.hpp"
#include "workload/traffic/step_tail.hpp"

namespace echo::workload {

namespace {

using ops::CollectiveKind;
using ops::GemmLayout;
using ops::KernelKind;

std::int32_t rank_of(const Shapes& s) { return s.x.config.recipe.lora_rank; }

Shapes in_16_bit(const Shapes& s) {
  Shapes own = s;
  own.sixteen_bit = true;
  return own;
}

OpId over_tensor(Builder& b, const Shapes& s, CollectiveKind kind, std::int32_t width, OpId after) {
  if (s.t == 1) return OpId::none();
  return b.communicate(Lane::tensor, TimeCategory::tp_comm, s.over_tensor(kind, s.bytes(width)), {after});
}

// Whether the adapter's products scale their result and add it to what they write to.
bool is_fused(const Shapes& s) { return s.x.config.recipe.op_fuser && s.t == 1; }

void scale(Builder& b, const Shapes& s, TimeCategory part, std::int32_t rows, std::int32_t width,
           OpId after = OpId::none()) {
  if (is_fused(s)) return;
  b.compute(part, s.op(KernelKind::elementwise, rows, width), {after});
}

// Reads both summands, writes the sum. A fused product reads one of them besides what it does anyway.
void add(Builder& b, const Shapes& s, TimeCategory part, std::int32_t rows, std::int32_t width,
         OpId after = OpId::none()) {
  const std::int64_t tensor = std::int64_t{rows} * width * machine::element_bytes(s.activation_precision());
  b.compute(part, copy_of(is_fused(s) ? tensor : 3 * tensor), {after});
}

// Returns the transfer that the next kernel still waits for.
OpId dropout(Builder& b, const Shapes& s, TimeCategory part, std::int32_t width, OpId after = OpId::none()) {
  if (!s.x.config.recipe.lora_dropout) return after;
  const bool backward = part == TimeCategory::backward;
  b.compute(part, s.op(backward ? KernelKind::dropout_backward : KernelKind::dropout_forward, s.rows, width),
            {after});
  return OpId::none();
}

// Whether parts of the width and parts of the sequence change places in one all-to-all.
bool exchanges(const Shapes& s) { return s.x.config.recipe.lora_a2a && s.sequence_parallel; }

OpId exchange(Builder& b, const Shapes& s, OpId after) {
  return over_tensor(b, s, CollectiveKind::all_to_all, s.hidden / s.t, after);
}

void gradient(Builder& b, const Shapes& s, std::int32_t inputs, std::int32_t outputs,
              const GradientReady& ready) {
  const OpId done = b.compute(TimeCategory::backward, s.gemm(inputs, outputs, s.rows, GemmLayout::nt));
  ready(b, training::WeightKind::dense, std::int64_t{inputs} * outputs, done);
}

}  // namespace

static bool has_adapter(const Shapes& s, training::Product product) {
  return rank_of(s) > 0 && s.x.config.recipe.adapts(product) && !s.sixteen_bit;  // the output layer has none
}

bool has_column_adapter(const Shapes& s) {
  return has_adapter(s, s.in_net ? training::Product::linear_fc1 : training::Product::linear_qkv);
}

bool has_row_adapter(const Shapes& s) {
  return has_adapter(s, s.in_net ? training::Product::linear_fc2 : training::Product::linear_proj);
}

void column_adapter_forward(Builder& b, const Shapes& given, TimeCategory part, std::int32_t inputs,
                            std::int32_t outputs, OpId input) {
  const Shapes s = in_16_bit(given);
  const std::int32_t rank = rank_of(s);
  input = dropout(b, s, part, inputs, input);
  b.compute(part, s.gemm(s.rows, rank / s.t, inputs, GemmLayout::tn), {input});
  const OpId narrow = over_tensor(b, s, CollectiveKind::all_gather, rank, b.last_compute());
  b.compute(part, s.gemm(s.rows, outputs, rank, GemmLayout::tn), {narrow});
  scale(b, s, part, s.rows, outputs);
  add(b, s, part, s.rows, outputs);
}

void row_adapter_forward(Builder& b, const Shapes& given, TimeCategory part, std::int32_t width, OpId sum) {
  const Shapes s = in_16_bit(given);
  const std::int32_t rank = rank_of(s);
  sum = dropout(b, s, part, width, sum);
  b.compute(part, s.gemm(s.rows, rank, width, GemmLayout::tn), {sum});
  const OpId narrow = over_tensor(b, s, CollectiveKind::all_reduce, rank, b.last_compute());
  b.compute(part, s.gemm(s.rows, s.hidden / s.t, rank, GemmLayout::tn), {narrow});
  const OpId whole = exchanges(s) ? exchange(b, s, b.last_compute())
                                  : over_tensor(b, s, CollectiveKind::all_gather, s.hidden, b.last_compute());
  scale(b, s, part, s.shared_rows, s.hidden, whole);
  add(b, s, part, s.shared_rows, s.hidden);
}

void column_adapter_backward(Builder& b, const Shapes& given, std::int32_t inputs, std::int32_t outputs,
                             const GradientReady& ready, OpId sum) {
  const Shapes s = in_16_bit(given);
  const std::int32_t rank = rank_of(s);
  scale(b, s, TimeCategory::backward, s.rows, outputs);
  b.compute(TimeCategory::backward, s.gemm(s.rows, rank, outputs, GemmLayout::nn));
  const OpId narrow = over_tensor(b, s, CollectiveKind::all_reduce, rank, b.last_compute());
  gradient(b, s, rank, outputs, ready);
  b.compute(TimeCategory::backward, s.gemm(s.rows, inputs, rank / s.t, GemmLayout::nn), {narrow});
  dropout(b, s, TimeCategory::backward, inputs);
  const auto reduction = s.sequence_parallel ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
  const OpId summed = over_tensor(b, s, reduction, inputs, b.last_compute());
  gradient(b, s, inputs, rank / s.t, ready);
  b.hold_compute(sum);
  add(b, s, TimeCategory::backward, s.shared_rows, inputs, summed);
}

void row_adapter_backward(Builder& b, const Shapes& given, std::int32_t width, const GradientReady& ready) {
  const Shapes s = in_16_bit(given);
  const std::int32_t rank = rank_of(s);
  scale(b, s, TimeCategory::backward, s.shared_rows, s.hidden);
  const OpId whole =
      exchanges(s) ? exchange(b, s, b.last_compute()) : gather(b, s, b.last_compute(), s.hidden);
  b.compute(TimeCategory::backward, s.gemm(s.rows, rank, s.hidden / s.t, GemmLayout::nn), {whole});
  const OpId narrow = over_tensor(b, s, CollectiveKind::all_reduce, rank, b.last_compute());
  gradient(b, s, rank, s.hidden / s.t, ready);
  b.compute(TimeCategory::backward, s.gemm(s.rows, width, rank, GemmLayout::nn), {narrow});
  dropout(b, s, TimeCategory::backward, width);
  gradient(b, s, width, rank, ready);
  add(b, s, TimeCategory::backward, s.rows, width);
}

}  // namespace echo::workload
