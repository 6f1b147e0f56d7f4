// Names are matched by parts, the first that fits. They are those of cuBLAS ("volta_sgemm_128x32_nn",
// "sm90_xmma_gemm_..."), CUTLASS, cuDNN, FlashAttention, Transformer Engine, Apex, PyTorch's native kernels
// (aten/src/ATen/native/cuda), and of DeepSeek's stack as its published profile shows them
// (deepseek-ai/profile-data, train.json).
#include "explain/beside/kernel_role.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "nsight/kernel_class.hpp"
#include "nsight/kernel_name.hpp"

namespace echo::explain {

namespace {

using ops::CollectiveKind;
using ops::KernelKind;

// What a class of kernels (nsight/kernel_class.hpp) does not tell: the part of a step that a kernel belongs
// to. In the order in which they are looked for; lower case.
constexpr auto parts = std::to_array<std::pair<std::string_view, KernelRole>>({
    {"dispatch_layout", KernelRole::routing},
    {"m_grouped", KernelRole::experts},
    {"k_grouped", KernelRole::experts},
    {"grouped_gemm::cuda::utils::", KernelRole::cast},
    {"dpsk::grouped_gemm", KernelRole::product},  // DeepSeek's library for all products
    {"swiglu", KernelRole::elementwise},
    {"cast_to_fp8", KernelRole::cast},
    {"cast_and_transpose", KernelRole::cast},
    {"cast_transpose", KernelRole::cast},
    {"cast_back", KernelRole::cast},
    {"quantize", KernelRole::cast},
    {"batched_transpose", KernelRole::cast},
    {"fp8_special_fmt", KernelRole::cast},
    {"cucomputegradinput", KernelRole::norm},
    {"indexselect", KernelRole::embedding},
    {"cross_entropy", KernelRole::loss},
    {"nll_loss", KernelRole::loss},
    {"topk", KernelRole::routing},
    {"expand_to_fused", KernelRole::routing},
    {"reduce_fused", KernelRole::routing},
    {"fused_mapping", KernelRole::routing},
    {"count_expert", KernelRole::routing},
    {"aux_fi", KernelRole::routing},
    {"unique_group_indices", KernelRole::routing},
    {"permute", KernelRole::routing},
    {"splitk", KernelRole::product},
});

KernelRole role_of_class(nsight::KernelClass kernel_class) {
  using Class = nsight::KernelClass;
  switch (kernel_class) {
    case Class::gemm:
    case Class::conv:
      return KernelRole::product;
    case Class::grouped_gemm:
      return KernelRole::experts;
    case Class::attention:
      return KernelRole::attention;
    case Class::norm:
      return KernelRole::norm;
    case Class::embedding:
      return KernelRole::embedding;
    case Class::optimizer:
      return KernelRole::optimizer;
    case Class::elementwise:
    case Class::reduction:
    case Class::copy:
    case Class::index_sort:
    case Class::other:
      break;
  }
  return KernelRole::elementwise;
}

KernelRole role_of_communication(std::string_view name) {
  const auto collective = nsight::collective_of(name);
  if (collective) return role_of(*collective);
  const bool exchanges = name.find("ep::") != name.npos || name.find("deep_ep") != name.npos ||
                         name.find("dispatch") != name.npos || name.find("combine") != name.npos;
  return exchanges ? KernelRole::all_to_all : KernelRole::other_communication;
}

}  // namespace

KernelRole role_of(const ops::KernelKey& key) {
  switch (key.kind) {
    case KernelKind::gemm:
      return key.grouped ? KernelRole::experts : KernelRole::product;
    case KernelKind::expert_ffn:
      return KernelRole::experts;
    case KernelKind::attention_forward:
    case KernelKind::attention_backward:
      return KernelRole::attention;
    case KernelKind::norm_forward:
    case KernelKind::norm_backward:
      return KernelRole::norm;
    case KernelKind::amax:
    case KernelKind::quantize:
      return KernelRole::cast;
    case KernelKind::router_forward:
    case KernelKind::router_backward:
    case KernelKind::permute:
    case KernelKind::unpermute:
      return KernelRole::routing;
    case KernelKind::embedding_forward:
    case KernelKind::embedding_backward:
      return KernelRole::embedding;
    case KernelKind::cross_entropy_forward:
    case KernelKind::cross_entropy_backward:
      return KernelRole::loss;
    case KernelKind::optimizer:
    case KernelKind::grad_norm:
      return KernelRole::optimizer;
    default:
      return KernelRole::elementwise;
  }
}

KernelRole role_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return KernelRole::all_reduce;
    case CollectiveKind::all_gather:
      return KernelRole::all_gather;
    case CollectiveKind::reduce_scatter:
      return KernelRole::reduce_scatter;
    case CollectiveKind::all_to_all:
      return KernelRole::all_to_all;
    case CollectiveKind::send_recv:
      return KernelRole::send_recv;
    default:
      return KernelRole::other_communication;
  }
}

KernelRole role_of_name(std::string_view full_name) {
  std::string name(full_name);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (nsight::is_communication(full_name)) return role_of_communication(name);
  const auto found =
      std::ranges::find_if(parts, [&](const auto& part) { return name.find(part.first) != name.npos; });
  return found == parts.end() ? role_of_class(nsight::class_of(full_name)) : found->second;
}

}  // namespace echo::explain
