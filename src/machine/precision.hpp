// Number formats of matrix products, as the frameworks name them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echo::machine {

enum class Precision : std::int8_t { bf16, fp16, fp8, mxfp8, nvfp4, tf32, fp32 };
inline constexpr std::int32_t precision_count = 7;
inline constexpr std::array<std::string_view, precision_count> precision_names{
    "bf16", "fp16", "fp8", "mxfp8", "nvfp4", "tf32", "fp32"};

// Bytes of one activation or weight element as stored between kernels (fp8 recipes keep 16-bit activations).
constexpr std::int32_t element_bytes(Precision p) {
  return p == Precision::tf32 || p == Precision::fp32 ? 4 : 2;
}
// Whether tensors are cast to operands with scales before a product.
constexpr bool is_narrow(Precision p) {
  return p == Precision::fp8 || p == Precision::mxfp8 || p == Precision::nvfp4;
}
// Bytes of one operand element inside a matrix product, without scales.
constexpr double operand_bytes(Precision p) {
  if (p == Precision::nvfp4) return 0.5;
  return is_narrow(p) ? 1.0 : element_bytes(p);
}

}  // namespace echo::machine
