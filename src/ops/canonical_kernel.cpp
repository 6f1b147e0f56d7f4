#include "ops/canonical_kernel.hpp"

namespace echo::ops {

namespace {

bool is_attention(KernelKind kind) {
  return kind == KernelKind::attention_forward || kind == KernelKind::attention_backward;
}

bool is_scan(KernelKind kind) {
  return kind == KernelKind::scan_forward || kind == KernelKind::scan_backward;
}

void clear_attention(KernelKey& key) {
  const KernelKey plain;
  if (!is_attention(key.kind)) {
    key.attention = plain.attention;
    key.value_dim = plain.value_dim;
    key.chunked = plain.chunked;
    if (!is_scan(key.kind)) key.span = plain.span;
    return;
  }
  if (key.value_dim == key.k) key.value_dim = 0;
  if (!key.causal || key.span >= key.n) key.span = 0;
  if (key.span == 0) key.chunked = false;
}

}  // namespace

bool has_groups(KernelKind kind) {
  switch (kind) {
    case KernelKind::permute:
    case KernelKind::unpermute:
    case KernelKind::quantize:
    case KernelKind::expert_ffn:
      return true;
    default:
      return is_attention(kind) || is_scan(kind);
  }
}

KernelKey canonical(KernelKey key) {
  const KernelKey plain;
  const bool product = key.kind == KernelKind::gemm, experts = key.kind == KernelKind::expert_ffn;
  const bool softmax = key.kind == KernelKind::softmax_forward || key.kind == KernelKind::softmax_backward;
  const bool activation =
      key.kind == KernelKind::activation_forward || key.kind == KernelKind::activation_backward;
  // 8- and 4-bit operands have transposed copies: all of their products run as TN.
  if (!product || machine::is_narrow(key.precision)) key.layout = plain.layout;
  if (product || experts || is_attention(key.kind) || is_scan(key.kind)) key.style = plain.style;
  if (!is_attention(key.kind) && !softmax) key.causal = plain.causal;
  if (!activation && !experts) key.gated = plain.gated;
  if (!product) key.fp32_accumulate = plain.fp32_accumulate;
  if (!product || key.batch == 1) key.grouped = plain.grouped;
  if (!product && !experts && !is_attention(key.kind) && !is_scan(key.kind) &&
      key.kind != KernelKind::quantize)
    key.k = plain.k;
  key.routing = experts ? routing_of(key) : plain.routing;
  if (!has_groups(key.kind)) key.groups = plain.groups;
  clear_attention(key);
  return key;
}

static const char* why_unsound(const Routing& routing, const KernelKey& key) {
  if (routing.experts == 0)  // even, and all experts here
    return routing.rows == 0 && routing.reached == 0 ? nullptr : "routing needs the experts of all ranks";
  if (routing.experts < key.batch) return "routing must have all experts, no fewer than are here";
  if (routing.reached < 1 || routing.reached > key.m) return "routing must reach 1 to m tokens";
  if (routing.rows < 1 || routing.rows > static_cast<std::int64_t>(key.m) * key.groups)
    return "routing must have 1 row to `groups` rows a token";
  return nullptr;
}

const char* why_unsound(const KernelKey& key) {
  if (key.m < 1 || key.n < 1 || key.k < 1 || key.batch < 1 || key.groups < 1)
    return "m, n, k, batch and groups must be 1 or more";
  if (key.value_dim < 0) return "value_dim must not be negative";
  if (key.span < (is_scan(key.kind) ? 1 : 0))
    return is_scan(key.kind) ? "a scan needs a span (tokens of a chunk)" : "span must not be negative";
  if (key.routing.unevenness < 0 || key.routing.unevenness > 1000) return "unevenness must be from 0 to 1000";
  if (key.kind == KernelKind::expert_ffn) {
    constexpr std::int32_t most_tokens = 1 << 24, most_experts = 1 << 16, most_choices = 64;
    if (key.m > most_tokens || key.batch > most_experts || key.groups > most_choices)
      return "no GPU could run so large a kernel";
    if (const char* problem = why_unsound(key.routing, key)) return problem;
  }
  constexpr double most = 1e15;  // elements or pairs: above, no GPU holds or finishes it
  const double outputs = static_cast<double>(key.m) * key.n * key.batch;
  if (outputs * key.k > most * 1e6 || outputs * key.groups > most ||
      (static_cast<double>(key.m) + key.n) * (static_cast<double>(key.batch) + key.groups) * key.k > most ||
      static_cast<double>(key.value_dim) * key.m * key.batch > most ||
      static_cast<double>(key.span) * key.m * key.groups > most)
    return "no GPU could run so large a kernel";
  return nullptr;
}

}  // namespace echo::ops
