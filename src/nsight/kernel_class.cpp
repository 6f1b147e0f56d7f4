#include "nsight/kernel_class.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace echo::nsight {

namespace {

using Class = KernelClass;

// The first sign in the name decides: names hold the words of what they call, and of their types, so that
// the more special words come first ("splitKreduce" before products, "direct_copy" before elementwise).
constexpr std::pair<std::string_view, Class> signs[]{
    {"distribution_elementwise", Class::elementwise},  // DistributionNormal is no norm
    {"grouped_gemm", Class::grouped_gemm},
    {"grouped_mm", Class::grouped_gemm},
    {"groupgemm", Class::grouped_gemm},
    {"group_gemm", Class::grouped_gemm},
    {"groupproblem", Class::grouped_gemm},
    {"splitkreduce", Class::reduction},
    {"splitk_reduce", Class::reduction},
    {"multi_tensor_apply", Class::optimizer},
    {"adam", Class::optimizer},
    {"optimizer", Class::optimizer},
    {"fused_sgd", Class::optimizer},
    {"split_embedding", Class::embedding},
    {"embedding", Class::embedding},
    {"permute_2d_data", Class::embedding},
    {"permute_1d_data", Class::embedding},
    {"flash_fwd", Class::attention},
    {"flash_bwd", Class::attention},
    {"flash_attn", Class::attention},
    {"flashattn", Class::attention},
    {"fmha", Class::attention},
    {"attention", Class::attention},
    {"softmax", Class::reduction},
    {"layer_norm", Class::norm},
    {"layernorm", Class::norm},
    {"rmsnorm", Class::norm},
    {"rms_norm", Class::norm},
    {"batch_norm", Class::norm},
    {"batchnorm", Class::norm},
    {"bn_fw", Class::norm},
    {"bn_bw", Class::norm},
    {"groupnorm", Class::norm},
    {"group_norm", Class::norm},
    {"gammabeta", Class::norm},
    {"rowwisemoments", Class::norm},
    {"cunn_", Class::reduction},
    {"devicereducebykey", Class::reduction},
    {"devicecompactinit", Class::reduction},
    {"radixsort", Class::index_sort},
    {"devicescan", Class::index_sort},
    {"devicesegmentedsort", Class::index_sort},
    {"mergesort", Class::index_sort},
    {"bitonicsort", Class::index_sort},
    {"searchsorted", Class::index_sort},
    {"topk", Class::index_sort},
    {"indexselect", Class::index_sort},
    {"unique_", Class::index_sort},
    {"bucketize", Class::index_sort},
    {"catarraybatchedcopy", Class::copy},
    {"direct_copy", Class::copy},
    {"copy_kernel", Class::copy},
    {"copy_tensor", Class::copy},
    {"transpose", Class::copy},
    {"permute", Class::copy},
    {"implicit_gemm", Class::conv},
    {"implicit_convolve", Class::conv},
    {"convolve", Class::conv},
    {"conv2d", Class::conv},
    {"conv3d", Class::conv},
    {"conv_depthwise", Class::conv},
    {"dgrad", Class::conv},
    {"wgrad", Class::conv},
    {"_fprop", Class::conv},
    {"winograd", Class::conv},
    {"gemm", Class::gemm},
    {"gemv", Class::gemm},
    {"cutlass", Class::gemm},
    {"nvjet", Class::gemm},
    {"matmul", Class::gemm},
    {"tensile", Class::gemm},
    {"cijk_", Class::gemm},
    {"epilogue::impl::globalkernel", Class::gemm},  // cuBLASLt's bias and activation
    {"dot_kernel", Class::reduction},
    {"reduce_add", Class::reduction},
    {"reduceadd", Class::reduction},
    {"reduce_kernel", Class::reduction},
    {"reduceop", Class::reduction},
    {"reduction", Class::reduction},
    {"elementwise", Class::elementwise},
    {"cast_to_fp8", Class::elementwise},
    {"pointwise", Class::elementwise},
    {"swiglu", Class::elementwise},
    {"gelu", Class::elementwise},
    {"silu", Class::elementwise},
    {"dropout", Class::elementwise},
    {"triton_poi", Class::elementwise},
    {"triton_red", Class::reduction},
    {"triton_per", Class::reduction},
    {"reduce", Class::reduction},
    {"memcpy", Class::copy},
    {"norm", Class::norm},
};

}  // namespace

KernelClass class_of(std::string_view full_name) {
  std::string text(full_name);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // FBGEMM's kernels of embeddings are no products.
  for (std::size_t at = text.find("fbgemm"); at != text.npos; at = text.find("fbgemm")) text.erase(at, 6);
  for (const auto& [sign, kind] : signs)
    if (text.find(sign) != text.npos) return kind;
  return Class::other;
}

}  // namespace echo::nsight
