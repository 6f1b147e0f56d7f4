#include "ops/kernel.hpp"

namespace echo::ops {

const char* name_of(KernelKind kind) {
  switch (kind) {
    case KernelKind::gemm:
      return "gemm";
    case KernelKind::attention_forward:
      return "attention_forward";
    case KernelKind::attention_backward:
      return "attention_backward";
    case KernelKind::norm_forward:
      return "norm_forward";
    case KernelKind::norm_backward:
      return "norm_backward";
    case KernelKind::activation_forward:
      return "activation_forward";
    case KernelKind::activation_backward:
      return "activation_backward";
    case KernelKind::residual_forward:
      return "residual_forward";
    case KernelKind::residual_backward:
      return "residual_backward";
    case KernelKind::rope:
      return "rope";
    case KernelKind::softmax_forward:
      return "softmax_forward";
    case KernelKind::softmax_backward:
      return "softmax_backward";
    case KernelKind::dropout_forward:
      return "dropout_forward";
    case KernelKind::dropout_backward:
      return "dropout_backward";
    case KernelKind::embedding_forward:
      return "embedding_forward";
    case KernelKind::embedding_backward:
      return "embedding_backward";
    case KernelKind::cross_entropy_forward:
      return "cross_entropy_forward";
    case KernelKind::cross_entropy_backward:
      return "cross_entropy_backward";
    case KernelKind::router_forward:
      return "router_forward";
    case KernelKind::router_backward:
      return "router_backward";
    case KernelKind::permute:
      return "permute";
    case KernelKind::unpermute:
      return "unpermute";
    case KernelKind::elementwise:
      return "elementwise";
    case KernelKind::grad_accumulate:
      return "grad_accumulate";
    case KernelKind::optimizer:
      return "optimizer";
    case KernelKind::grad_norm:
      return "grad_norm";
    case KernelKind::memset_zero:
      return "memset_zero";
    case KernelKind::merge:
      return "merge";
    case KernelKind::convolution_forward:
      return "convolution_forward";
    case KernelKind::convolution_backward:
      return "convolution_backward";
    case KernelKind::scan_forward:
      return "scan_forward";
    case KernelKind::scan_backward:
      return "scan_backward";
    case KernelKind::amax:
      return "amax";
    case KernelKind::quantize:
      return "quantize";
    case KernelKind::expert_ffn:
      return "expert_ffn";
  }
  return "";
}

}  // namespace echo::ops
