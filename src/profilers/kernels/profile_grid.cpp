// The grid of kernels to measure.
//
// A step's time is mostly products, so they have the closest grid: tokens of a microbatch, by the widths of
// models from 1 to 400 billion parameters under tensor parallelism. bf16 and fp8 are the formats used in
// training and have all of it; fp16 is as fast as bf16 on all tensor cores so far, and tf32 is rare: they
// have its cubes and the points beside them, enough to give the model their ratio. The time of ops that
// memory bounds depends on their bytes, with a rise at small sizes: octaves of rows at three widths.
#include "profilers/kernels/profile_grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "ops/canonical_kernel.hpp"
#include "profilers/kernels/kernel_mechanism.hpp"

namespace echo::profilers {

using machine::Precision;
using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;

namespace {

using Sizes = std::vector<std::int32_t>;

Sizes octaves(std::int32_t first, std::int32_t last) {
  Sizes sizes;
  for (std::int64_t size = first; size <= last; size *= 2) sizes.push_back(static_cast<std::int32_t>(size));
  return sizes;
}

std::int32_t octaves_apart(std::int32_t a, std::int32_t b) {
  std::int32_t apart = 0;
  for (std::int32_t size = std::min(a, b); size < std::max(a, b); size *= 2) ++apart;
  return apart;
}

// The products of a linear layer of `rows` tokens: output, input gradient, weight gradient.
void add_linear(std::vector<KernelKey>& out, Precision p, std::int32_t rows, std::int32_t n, std::int32_t k) {
  out.push_back({.kind = KernelKind::gemm, .precision = p, .m = rows, .n = n, .k = k});
  if (!machine::is_narrow(p))
    out.push_back(
        {.kind = KernelKind::gemm, .precision = p, .layout = GemmLayout::nn, .m = rows, .n = k, .k = n});
  for (const bool is_added : {false, true})
    out.push_back({.kind = KernelKind::gemm,
                   .precision = p,
                   .layout = GemmLayout::nt,
                   .fp32_accumulate = is_added,
                   .m = n,
                   .n = k,
                   .k = rows});
}

void add_products(std::vector<KernelKey>& out) {
  for (const std::int32_t rows : octaves(512, 16384))
    for (const std::int32_t n : octaves(1024, 32768))
      for (const std::int32_t k : octaves(1024, 16384)) {
        for (const Precision p : {Precision::bf16, Precision::fp8}) add_linear(out, p, rows, n, k);
        if (octaves_apart(rows, n) > 1 || octaves_apart(n, k) > 1 || octaves_apart(rows, k) > 1) continue;
        for (const Precision p : {Precision::fp16, Precision::tf32}) add_linear(out, p, rows, n, k);
      }
}

void add_attention(std::vector<KernelKey>& out) {
  for (const std::int32_t tokens : octaves(1024, 32768))
    for (const std::int32_t heads : octaves(4, 64))
      for (const std::int32_t head : {64, 128})
        for (const std::int32_t share : {1, 8})
          for (const bool causal : {true, false}) {
            // Milliseconds each; without a mask, which is rarely used in training, every other octave.
            if (std::int64_t{tokens} * heads > (std::int64_t{1} << 19) || heads % share != 0) continue;
            if (!causal && (octaves_apart(1024, tokens) % 2 != 0 || share != 1)) continue;
            for (const KernelKind kind : {KernelKind::attention_forward, KernelKind::attention_backward})
              out.push_back({.kind = kind,
                             .causal = causal,
                             .m = tokens,
                             .n = tokens,
                             .k = head,
                             .batch = heads,
                             .groups = heads / share});
          }
}

void add_rows(std::vector<KernelKey>& out) {
  for (const std::int32_t rows : octaves(256, 32768)) {
    for (const std::int32_t n : {1024, 4096, 16384})
      for (const KernelKind kind :
           {KernelKind::norm_forward, KernelKind::norm_backward, KernelKind::residual_forward,
            KernelKind::residual_backward, KernelKind::rope, KernelKind::elementwise, KernelKind::merge,
            KernelKind::dropout_forward, KernelKind::dropout_backward, KernelKind::grad_accumulate})
        out.push_back({.kind = kind, .m = rows, .n = n});
    for (const std::int32_t n : {1024, 4096, 16384}) {
      out.push_back({.kind = KernelKind::amax, .precision = Precision::fp8, .m = rows, .n = n});
      for (const std::int32_t copies : {1, 2})
        out.push_back({.kind = KernelKind::quantize,
                       .precision = Precision::fp8,
                       .m = rows,
                       .n = n,
                       .k = 1,
                       .groups = copies});
    }
    for (const std::int32_t n : {2048, 8192, 32768}) {
      out.push_back({.kind = KernelKind::activation_forward, .m = rows, .n = n});
      for (const KernelKind kind : {KernelKind::activation_forward, KernelKind::activation_backward})
        out.push_back({.kind = kind, .gated = true, .m = rows, .n = n});
    }
  }
  for (const std::int32_t tokens : octaves(1024, 4096))
    for (const std::int32_t heads : octaves(4, 64))
      for (const KernelKind kind : {KernelKind::softmax_forward, KernelKind::softmax_backward})
        out.push_back({.kind = kind, .m = tokens, .n = tokens, .batch = heads});
}

// Parameters of a rank, and the bytes that each moves. Updates are in fp32 in the simulator's keys, too.
void add_once_a_step(std::vector<KernelKey>& out) {
  const Precision p = Precision::fp32;
  for (const std::int32_t parameters : octaves(1 << 20, 1 << 29)) {
    for (const std::int32_t bytes : {30, 38})
      out.push_back({.kind = KernelKind::optimizer, .precision = p, .m = parameters, .n = bytes});
    for (const std::int32_t bytes : {2, 4})
      for (const KernelKind kind : {KernelKind::grad_norm, KernelKind::memset_zero})
        out.push_back({.kind = kind, .precision = p, .m = parameters, .n = bytes});
  }
}

}  // namespace

std::vector<KernelKey> octave_grid() {
  std::vector<KernelKey> all;
  add_products(all);
  add_attention(all);
  add_rows(all);
  add_once_a_step(all);
  for (KernelKey& key : all) key = ops::canonical(key);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  all.erase(
      std::remove_if(all.begin(), all.end(), [](const KernelKey& k) { return why_not_run(k) != nullptr; }),
      all.end());
  return all;
}

}  // namespace echo::profilers
