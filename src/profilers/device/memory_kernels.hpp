// Launches kernels that move memory as the ops of a training step do.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "profilers/kernels/kernel_mechanism.hpp"

namespace echo::profilers {

// Arrays of a stream kernel, those of 1-byte elements first, then 2, then 4; stream_array_bytes each, 16-byte
// aligned. A kernel that writes nothing may write 16 bytes to the first of `written`.
struct StreamArrays {
  static constexpr std::size_t most = 4;
  const void* read[most] = {};
  void* written[most] = {};
};

// Whether the kernel is built for this recipe; stream_recipes() gives no others.
[[nodiscard]] bool has_stream_kernel(const StreamRecipe&);
cudaError_t launch_stream(const StreamRecipe&, const StreamArrays&, std::int64_t elements, cudaStream_t);

enum class RowOp : std::int8_t { norm_forward, norm_backward, softmax_forward, softmax_backward };
// `rows` rows of `columns` bfloat16 elements; columns a multiple of 8. Backward reads both arrays, forward
// the first.
cudaError_t launch_row(RowOp, std::int64_t rows, std::int64_t columns, const void* first, const void* second,
                       void* out, cudaStream_t);

// Fills with pairs of bfloat16 numbers between -1 and 1, of every sign and mantissa: zeroes would let the GPU
// clock higher than data do. Read as floats they lie in the same range.
cudaError_t launch_fill(void* out, std::int64_t bytes, cudaStream_t);

}  // namespace echo::profilers
