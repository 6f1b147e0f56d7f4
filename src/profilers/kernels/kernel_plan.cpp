#include "profilers/kernels/kernel_plan.hpp"

#include <algorithm>

#include "ops/canonical_kernel.hpp"
#include "profilers/kernels/kernel_mechanism.hpp"

namespace echo::profilers {

using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;

namespace {

// One layer as one GPU of a tensor-parallel group runs it. Sizes are of the whole model; `tensor` divides
// them.
struct Layer {
  std::int32_t rows, hidden, ffn, heads, groups, head, tensor;
  bool gated;
};

// Llama 3 8B, Llama 3 70B and GPT-3 175B (their papers' tables), a microbatch of one sequence.
constexpr Layer layers[] = {
    {.rows = 8192,
     .hidden = 4096,
     .ffn = 14336,
     .heads = 32,
     .groups = 8,
     .head = 128,
     .tensor = 1,
     .gated = true},
    {.rows = 8192,
     .hidden = 8192,
     .ffn = 28672,
     .heads = 64,
     .groups = 8,
     .head = 128,
     .tensor = 8,
     .gated = true},
    {.rows = 2048,
     .hidden = 12288,
     .ffn = 49152,
     .heads = 96,
     .groups = 96,
     .head = 128,
     .tensor = 8,
     .gated = false},
};

// The three products of a linear layer: output, input gradient, weight gradient.
void add_linear(std::vector<KernelKey>& out, std::int32_t rows, std::int32_t inputs, std::int32_t outputs) {
  out.push_back({.kind = KernelKind::gemm, .layout = GemmLayout::tn, .m = rows, .n = outputs, .k = inputs});
  out.push_back({.kind = KernelKind::gemm, .layout = GemmLayout::nn, .m = rows, .n = inputs, .k = outputs});
  out.push_back({.kind = KernelKind::gemm,
                 .layout = GemmLayout::nt,
                 .fp32_accumulate = true,
                 .m = inputs,
                 .n = outputs,
                 .k = rows});
}

void add_layer(std::vector<KernelKey>& out, const Layer& l) {
  const std::int32_t heads = l.heads / l.tensor, groups = l.groups / l.tensor, ffn = l.ffn / l.tensor;
  add_linear(out, l.rows, l.hidden, (heads + 2 * groups) * l.head);
  add_linear(out, l.rows, heads * l.head, l.hidden);
  add_linear(out, l.rows, l.hidden, l.gated ? 2 * ffn : ffn);
  add_linear(out, l.rows, ffn, l.hidden);
  for (const KernelKind kind : {KernelKind::attention_forward, KernelKind::attention_backward})
    out.push_back({.kind = kind,
                   .causal = true,
                   .m = l.rows,
                   .n = l.rows,
                   .k = l.head,
                   .batch = heads,
                   .groups = groups});
  const std::int32_t held = l.rows / l.tensor;  // rows of a rank under sequence parallelism
  for (const KernelKind kind :
       {KernelKind::norm_forward, KernelKind::norm_backward, KernelKind::residual_forward})
    out.push_back({.kind = kind, .m = held, .n = l.hidden});
  out.push_back({.kind = KernelKind::activation_forward, .gated = l.gated, .m = l.rows, .n = ffn});
  if (l.gated) out.push_back({.kind = KernelKind::activation_backward, .gated = true, .m = l.rows, .n = ffn});
  out.push_back({.kind = KernelKind::rope, .m = l.rows, .n = heads * l.head});
}

}  // namespace

std::vector<KernelKey> default_kernels() {
  std::vector<KernelKey> all;
  for (const Layer& layer : layers) add_layer(all, layer);
  using machine::Precision;
  for (const Precision p : {Precision::fp16, Precision::fp8, Precision::tf32, Precision::fp32})
    all.push_back({.kind = KernelKind::gemm, .precision = p, .m = 4096, .n = 4096, .k = 4096});
  all.push_back({.kind = KernelKind::gemm, .m = 2048, .n = 2048, .k = 128, .batch = 96});
  all.push_back(
      {.kind = KernelKind::gemm, .layout = GemmLayout::nn, .m = 2048, .n = 128, .k = 2048, .batch = 96});
  all.push_back({.kind = KernelKind::softmax_forward, .m = 2048, .n = 2048, .batch = 12});
  all.push_back({.kind = KernelKind::softmax_backward, .m = 2048, .n = 2048, .batch = 12});
  all.push_back({.kind = KernelKind::elementwise, .m = 8192, .n = 8192});
  all.push_back({.kind = KernelKind::grad_accumulate, .m = 8192, .n = 4096});
  all.push_back({.kind = KernelKind::optimizer, .m = 1 << 25, .n = 30});
  all.push_back({.kind = KernelKind::grad_norm, .m = 1 << 27, .n = 4});
  all.push_back({.kind = KernelKind::memset_zero, .m = 1 << 27, .n = 4});
  std::vector<KernelKey> once;
  for (const KernelKey& key : all) {
    const KernelKey plain = ops::canonical(key);
    if (std::find(once.begin(), once.end(), plain) == once.end()) once.push_back(plain);
  }
  return once;
}

}  // namespace echo::profilers
