// The kernels that the profilers can run, and their implementations.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ops/kernel.hpp"

namespace echo::profilers {

// Products of a group are launched one by one; more, and several launches of the group would not fit the
// queue of a GPU that waits behind a gate.
inline constexpr std::int32_t most_grouped = 32;

enum class Mechanism : std::int8_t {
  none,
  gemm,       // cuBLASLt
  attention,  // cuDNN
  row,        // our kernel: a block reads rows, reduces, reads them again from cache and writes
  stream      // our kernel: reads and writes arrays once, side by side
};

// Arrays of one element each for every element of the op, by the width of that element.
struct StreamRecipe {
  static constexpr std::array<std::int32_t, 3> widths{1, 2, 4};  // bytes
  std::array<std::int32_t, 3> reads{}, writes{};                 // arrays of each width
  [[nodiscard]] std::int32_t bytes() const;                      // an element
  friend bool operator==(const StreamRecipe&, const StreamRecipe&) = default;
};

// How the op moves its elements, where it is a fused kernel that moves each once, or a few of them one after
// the other; none where it is no such. The bytes are those of ops::traffic_of; the arithmetic is not the
// op's, which never binds.
[[nodiscard]] std::vector<StreamRecipe> stream_recipes(const ops::KernelKey&);

// Elements of each. Precondition: it has a stream recipe.
[[nodiscard]] std::int64_t stream_elements(const ops::KernelKey&);

// Rows of 16-bit elements: a norm or a softmax, forward (one array in) or backward (two in), one array out.
[[nodiscard]] bool is_row_kernel(const ops::KernelKey&);

[[nodiscard]] Mechanism mechanism_of(const ops::KernelKey&);
// Why not; null where it can be run.
[[nodiscard]] const char* why_not_run(const ops::KernelKey&);

}  // namespace echo::profilers
