// What kind of work a kernel does, by its name.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echo::nsight {

enum class KernelClass : std::int8_t {
  gemm,
  grouped_gemm,
  conv,
  attention,
  elementwise,
  norm,
  reduction,
  copy,
  embedding,
  optimizer,
  index_sort,
  other
};
inline constexpr std::array<std::string_view, 12> kernel_class_names{
    "gemm",      "grouped_gemm", "conv",      "attention", "elementwise", "norm",
    "reduction", "copy",         "embedding", "optimizer", "index_sort",  "other"};

// The class of a kernel that computes, by its full name: cuBLAS's, CUTLASS's, cuDNN's, PyTorch's, FBGEMM's,
// Transformer Engine's, flash-attention's and DeepSeek's. `other` where it has none of the signs.
[[nodiscard]] KernelClass class_of(std::string_view full_name);

}  // namespace echo::nsight
