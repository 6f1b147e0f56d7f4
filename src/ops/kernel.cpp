// Closed forms: the arithmetic and the memory traffic that a kernel implies on any GPU.
//
// flops_of counts matrix products only (a multiply and an add are 2), as published model-FLOPs figures do;
// the vector arithmetic of norms and activations is never the limit. Causal attention is half of the square,
// or half of what a window leaves of it; its backward pass has five products where the forward has two (Dao
// 2022, FlashAttention: scores recomputed, then dV, dP, dQ, dK).
//
// traffic_of counts HBM bytes. For products: each operand once, the result once. For memory-bound ops it
// follows the kernel chain that the style runs, every kernel reading its inputs from and writing its outputs
// to HBM:
//   fused     one hand-written kernel (Apex, Transformer Engine, Megatron's fused_kernels, Triton)
//   compiled  torch.compile / torch.jit: pointwise chains fused, reductions over other axes separate
//   eager     one PyTorch kernel per Python operator, with the fp32 casts that autocast or the model code
//             inserts
// The chains are given at each case below as reads (r) and writes (w) in bytes per element, e = bytes of a
// stored element. Neglected: per-row statistics, biases, cos/sin tables, indices, and hits in L2 between
// chained kernels.
#include "ops/kernel.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"

namespace echo::ops {

namespace {

double pick(KernelStyle style, double fused, double compiled, double eager) {
  switch (style) {
    case KernelStyle::fused:
      return fused;
    case KernelStyle::compiled:
      return compiled;
    case KernelStyle::eager:
      return eager;
  }
  return fused;
}

// One copy of an element, with its part of a scale: fp8 and nvfp4 blocks have scales of their own, of 4 bytes
// (128 elements, DeepSeek-V3) or of one (32 in mxfp8, 16 in nvfp4).
double quantized_bytes(const KernelKey& key) {
  if (key.k == 1) return machine::operand_bytes(key.precision);
  return machine::operand_bytes(key.precision) + (key.precision == Precision::fp8 ? 4.0 : 1.0) / key.k;
}

// Bytes per element of the ops over m x n x batch elements.
double bytes_per_element(const KernelKey& key) {
  const double e = machine::element_bytes(key.precision);
  constexpr double wide = 2.0;  // an element before it is cast
  const KernelStyle style = key.style;
  switch (key.kind) {
    case KernelKind::norm_forward:
      // eager RMSNorm (Hugging Face LlamaRMSNorm): cast (r e, w 4), square (r 4, w 4), mean (r 4), times
      // inverse root (r 4, w 4), cast (r 4, w e), times weight (r e, w e).
      return pick(style, 2 * e, 2 * e, 4 * e + 28);
    case KernelKind::norm_backward:
      // fused: r x, r dy, w dx; parameter gradients from the same pass. compiled: a second pass over x and dy
      // for them. eager, autograd of the above: weight (dy w: r e, w e; dy x: 2 r e, w e, sum r e), cast (r
      // e, w 4), inverse root (r 4, w 4; product 2 r 4, w 4, sum r 4), square (r 4, w 4), sum of branches (2
      // r 4, w 4), cast (r 4, w e).
      return pick(style, 3 * e, 5 * e, 8 * e + 52);
    case KernelKind::activation_forward:
      // gated, eager: silu (r, w), multiply (2 r, w). GELU, eager: bias add (r, w), gelu (r, w).
      return key.gated ? pick(style, 3 * e, 3 * e, 5 * e) : pick(style, 2 * e, 2 * e, 4 * e);
    case KernelKind::activation_backward:
      // gated fused: r gate, up, dy; w dgate, dup. eager: two multiplies (2 r, w each), silu backward (2 r,
      // w), concatenation of the halves (2 r, 2 w). GELU: r x, r dy, w dx, and the bias gradient reads dx
      // once more.
      return key.gated ? pick(style, 5 * e, 5 * e, 13 * e) : 4 * e;
    case KernelKind::residual_forward:
      // fused: r x, r residual, w out, w mask byte. eager: bias add (r, w), dropout (r, w, mask), add (2 r,
      // w).
      return pick(style, 3 * e + 1, 3 * e + 1, 7 * e + 1);
    case KernelKind::residual_backward:
      // dropout backward (r dy, r mask, w dx); eager, the bias gradient reads dx once more.
      return pick(style, 2 * e + 1, 2 * e + 1, 3 * e + 1);
    case KernelKind::rope:
      // eager rotate-half: multiply by cos (r, w), negate half (r/2, w/2), concatenate (r, w), multiply by
      // sin (r, w), add (2 r, w).
      return pick(style, 2 * e, 2 * e, 10 * e);
    case KernelKind::softmax_forward:
      // fused causal (Megatron scaled_upper_triang_masked_softmax): r lower half, w all. compiled: r all, w
      // all. eager: scale (r, w), mask fill (r, r 1, w), cast (r e, w 4), softmax (r 4, w 4), cast (r 4, w
      // e).
      return pick(style, key.causal ? 1.5 * e : 2 * e, 2 * e, 6 * e + 17);
    case KernelKind::softmax_backward:
      // fused: r y, r dy, w dx, lower halves when causal. eager: cast (r e, w 4), softmax backward (2 r 4, w
      // 4), cast (r 4, w e), mask fill (r, r 1, w), scale (r, w).
      return pick(style, key.causal ? 2 * e : 3 * e, 3 * e, 6 * e + 21);
    case KernelKind::dropout_forward:  // one kernel in every style: r, w, w mask byte
    case KernelKind::dropout_backward:
      return 2 * e + 1;
    case KernelKind::embedding_forward:
      // gather (r, w); vocabulary-parallel Megatron zeroes rows of other ranks by index when eager (w).
      return pick(style, 2 * e, 2 * e, 3 * e);
    case KernelKind::embedding_backward:  // r dy, read-modify-write of the gradient rows
      return 3 * e;
    case KernelKind::cross_entropy_forward:
      // fused (Triton, Transformer Engine): logits read twice (running maximum and sum, then gradient),
      // gradient written in place. compiled (Megatron fused_cross_entropy): cast (r e, w 4), maximum (r 4),
      // shift and exp (r 4, w 4), sum (r 4), divide (r 4, w 4). eager (Megatron
      // vocab_parallel_cross_entropy): as compiled with shift (r 4, w 4) and exp (r 4, w 4) apart. Source:
      // Megatron-LM core/tensor_parallel/cross_entropy.py.
      return pick(style, 3 * e, e + 28, e + 36);
    case KernelKind::cross_entropy_backward:
      // fused: scale the stored gradient (r, w). compiled: softmax minus one-hot (r 4, w e).
      // eager: times dloss in place (r 4, w 4), cast (r 4, w e).
      return pick(style, 2 * e, e + 4, e + 12);
    case KernelKind::router_forward:
      // fused (Megatron --moe-router-fusion): r 4, w 4, map w 1. compiled: a pass each for softmax,
      // selection, map. eager: softmax (r 4, w 4), top-k (r 4 twice), zeros and scatter twice (w 4 + w 4, w 1
      // + w 1), sum of the map and mean of the scores for the balancing loss (r 1, r 4). Source: Megatron-LM
      // core/transformer/moe/{router,moe_utils}.py.
      return pick(style, 9, 21, 35);
    case KernelKind::router_backward:
      // fused: r gradient 4, r probabilities 4, w 4. eager: scatter (r 4, w 4), softmax (2 r 4, w 4),
      // balancing loss (w 4), sum (2 r 4, w 4), cast (r 4, w e).
      return pick(style, 12, 24, e + 40);
    case KernelKind::permute:
    case KernelKind::unpermute:
      return e * (1 + key.groups);
    case KernelKind::elementwise:
      return 2 * e;
    case KernelKind::grad_accumulate:
      return e + 8;  // r gradient, r and w fp32 sum
    case KernelKind::optimizer:
      // n bytes of state per parameter, once when fused or compiled (multi-tensor apply). eager is the
      // foreach chain over fp32 tensors (decay, lerp, multiply, addcmul, sqrt, divide, add, addcdiv, cast).
      return pick(style, 1.0, 1.0, 2.5);
    case KernelKind::grad_norm:
    case KernelKind::memset_zero:
      return 1.0;  // n is the bytes of an element
    case KernelKind::merge:
      return 3 * e;
    case KernelKind::convolution_forward:  // causal_conv1d, one kernel each way
      return 2 * e;
    case KernelKind::convolution_backward:  // r x, r dy, w dx
      return 3 * e;
    case KernelKind::amax:
      // one pass (r); eager: magnitudes (r, w), maximum (r). Source: pytorch/ao
      // torchao/float8/float8_utils.py.
      return pick(style, wide, wide, 3 * wide);
    case KernelKind::quantize:
      // one kernel reads once and writes every copy. eager: to fp32 (r, w 4), times scale (r 4, w 4), clamp
      // (r 4, w 4), cast (r 4, w). Source: pytorch/ao torchao/float8/float8_training_tensor.py,
      // hp_tensor_and_scale_to_float8.
      return pick(style, wide, wide, wide + 24) + key.groups * quantized_bytes(key);
    case KernelKind::scan_forward:
    case KernelKind::scan_backward:
    case KernelKind::expert_ffn:
    case KernelKind::gemm:
    case KernelKind::attention_forward:
    case KernelKind::attention_backward:
      break;
  }
  return 0.0;
}

bool is_attention(KernelKind kind) {
  return kind == KernelKind::attention_forward || kind == KernelKind::attention_backward;
}

double product(const KernelKey& key) { return static_cast<double>(key.m) * key.n * key.batch; }

double gemm_bytes(const KernelKey& key) {
  const double operand = machine::operand_bytes(key.precision),
               element = machine::element_bytes(key.precision);
  const double m = key.m, n = key.n, k = key.k;
  const double result = key.fp32_accumulate ? 8.0 : element;  // beta = 1: the fp32 sum is read and written
  return ((m * k + k * n) * operand + m * n * result) * key.batch;
}

// q and o (and, backward, do and dq) have `batch` heads; k and v (dk and dv) have `groups`.
double attention_bytes(const KernelKey& key) {
  const double e = machine::element_bytes(key.precision), value = value_dim_of(key);
  const double query = static_cast<double>(key.m) * key.k * key.batch;
  const double output = static_cast<double>(key.m) * value * key.batch;
  const double keys = static_cast<double>(key.n) * (key.k + value) * key.groups;
  const double statistics = 4.0 * key.m * key.batch;
  if (key.kind == KernelKind::attention_forward) return e * (query + output + keys) + statistics;
  // dq is summed in fp32 (read-modify-write) and converted; delta = rowsum(do * o) is a pass of its own.
  return e * (2 * query + 4 * output + 2 * keys) + 12 * query + 3 * statistics;
}

// Two products forward (scores over k channels, context over the value's), five backward (three over k, two).
double attention_flops(const KernelKey& key) {
  const double pairs = pairs_of(key) * key.batch, k = key.k, value = value_dim_of(key);
  return 2.0 * pairs * (key.kind == KernelKind::attention_forward ? k + value : 3.0 * k + 2.0 * value);
}

// Two products per expert, the first one twice as wide when there is a gate.
double expert_weights(const KernelKey& key) {
  return static_cast<double>(key.n) * key.k * (key.gated ? 3.0 : 2.0);
}

double expert_flops(const KernelKey& key) { return 2.0 * routing_of(key).rows * expert_weights(key); }

// Weights of the experts that have rows, the tokens in and out. Intermediate results between the products
// may stay in L2.
double expert_bytes(const KernelKey& key) {
  const Routing routing = routing_of(key);
  const double busy = std::min(key.batch, routing.rows);
  const double tokens = static_cast<double>(routing.reached) * key.k;
  return busy * expert_weights(key) * machine::operand_bytes(key.precision) +
         2.0 * tokens * machine::element_bytes(key.precision);
}

bool is_scan(KernelKind kind) {
  return kind == KernelKind::scan_forward || kind == KernelKind::scan_backward;
}

// Pairs of a causal square of `n` tokens that see `span` of them (0: all).
double causal_pairs(double n, double span, bool chunked) {
  const auto half_square = [](double of) { return of * of / 2.0; };
  if (span == 0.0 || n <= span) return half_square(n);
  if (!chunked) return half_square(n) - half_square(n - span);
  const double chunks = std::floor(n / span);
  return chunks * half_square(span) + half_square(n - chunks * span);
}

// Arithmetic and traffic of one token in the chain of kernels that a scan is (state-spaces/mamba,
// ssd_combined.py), in chunks of Q tokens, for one rank's h heads of P channels, g groups, states of N
// numbers.
struct Scan {
  explicit Scan(const KernelKey& key)
      : channels(static_cast<double>(key.n) * key.batch),
        vectors(static_cast<double>(key.k) * key.groups),
        scores(static_cast<double>(key.span) * key.groups),
        states(channels * key.k / key.span),
        heads(key.batch),
        chunk(key.span),
        element(machine::element_bytes(key.precision)),
        forward(key.kind == KernelKind::scan_forward) {}

  // Forward: C B' (half masked) for each group, its product with x (half masked) for each head, states from x
  // and B, outputs from states and C. Backward: C B' and the states again; gradients of states, x, B and C
  // (four products with states); of x, of C B' and of the decays within a chunk; of B and C from that of C
  // B'.
  [[nodiscard]] double flops() const {
    const double within = chunk * channels, group_products = chunk * vectors, with_states = states * chunk;
    return forward ? group_products + within + 4.0 * with_states
                   : 3.0 * group_products + 3.0 * within + 10.0 * with_states;
  }
  // Forward: x twice, gate, both outputs; B twice, C twice; C B' and states in fp32 written and read, states
  // handed on in 16 bit. Backward: 17 passes over tensors as wide as x (six of them for the gate), nine over
  // 16-bit states, the forward's fp32 ones again; B and C ten times, their fp32 gradients four times; six
  // passes over C B' or its gradient. Time steps and decays: fp32, both written and read by every kernel.
  [[nodiscard]] double bytes() const {
    return forward ? 5.0 * element * channels + 4.0 * element * vectors + 8.0 * scores +
                         (8.0 + 2.0 * element) * states + (24.0 + element) * heads
                   : 17.0 * element * channels + (10.0 * element + 16.0) * vectors + 24.0 * scores +
                         (8.0 + 9.0 * element) * states + 100.0 * heads;
  }
  double channels, vectors, scores, states, heads, chunk, element;
  bool forward;
};

}  // namespace

double pairs_of(const KernelKey& key) {
  const double m = key.m, n = key.n, span = key.span;
  if (!key.causal) return m * n;
  if (m > n) return causal_pairs(n, span, key.chunked) * (m / n);
  return causal_pairs(n, span, key.chunked) - causal_pairs(n - m, span, key.chunked);
}

std::int32_t value_dim_of(const KernelKey& key) { return key.value_dim > 0 ? key.value_dim : key.k; }

Routing routing_of(const KernelKey& key) {
  Routing out = key.routing;
  if (out.experts == 0)
    out = {.experts = key.batch,
           .rows = key.m * key.groups,
           .reached = key.m,
           .unevenness = out.unevenness,
           .tuned = out.tuned};
  return out;
}

Flops flops_of(const KernelKey& key) {
  if (key.kind == KernelKind::gemm) return Flops(2 * product(key) * key.k);
  if (is_attention(key.kind)) return Flops(attention_flops(key));
  if (is_scan(key.kind)) return Flops(Scan(key).flops() * key.m);
  if (key.kind == KernelKind::expert_ffn) return Flops(expert_flops(key));
  return Flops(0.0);
}

Bytes traffic_of(const KernelKey& key) {
  ECHO_EXPECT(key.m >= 1 && key.n >= 1 && key.k >= 1 && key.batch >= 1 && key.groups >= 1);
  ECHO_EXPECT(key.span >= (is_scan(key.kind) ? 1 : 0));
  double bytes = product(key) * bytes_per_element(key);
  if (key.kind == KernelKind::gemm) bytes = gemm_bytes(key);
  if (is_attention(key.kind)) bytes = attention_bytes(key);
  if (is_scan(key.kind)) bytes = Scan(key).bytes() * key.m;
  if (key.kind == KernelKind::expert_ffn) bytes = expert_bytes(key);
  return Bytes(std::llround(bytes));
}

}  // namespace echo::ops
