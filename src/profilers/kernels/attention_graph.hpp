// Attention as a cuDNN graph of products, a mask and a softmax, which cuDNN recognises and fuses.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/kernel.hpp"
#include "profilers/kernels/cudnn_graph.hpp"

namespace echo::profilers {

struct AttentionTensor {
  TensorId id = 0;
  std::int64_t bytes = 0;
  bool is_written = false;
};

struct AttentionGraph {
  CudnnGraph graph;
  std::vector<AttentionTensor> tensors;  // in memory
};

// Forward: Q, K, V to O and the logarithms of the softmax's sums. Backward: from all of these and dO to dQ,
// dK, dV, with two fp32 tensors in between (sums of dO times O, and dQ before it is rounded). Heads of a row
// of tokens stand together ("bshd"); key.batch query heads of one sequence share key.groups heads of keys.
// Precondition: why_not_run(key) is null.
[[nodiscard]] AttentionGraph attention_graph(const ops::KernelKey&);

}  // namespace echo::profilers
