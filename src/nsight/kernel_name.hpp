// Parses the names of GPU kernels.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ops/collective.hpp"

namespace echo::nsight {

// The function's own name, as Nsight Systems' shortName has it: without what it returns, namespaces, template
// arguments and parameters. "void at::native::<unnamed>::f<float, 4>(const T1 *)" -> "f".
[[nodiscard]] std::string short_name_of(std::string_view full_name);

// Whether it communicates: NCCL's and RCCL's kernels, NVSHMEM's, DeepEP's, and the all-reduces that vLLM and
// TensorRT-LLM bring along.
[[nodiscard]] bool is_communication(std::string_view name);

// Which collective it is. NCCL says no more than that in a name: it builds a kernel for one algorithm and
// protocol of each and runs the others inside that (NVIDIA/nccl, src/device/generate.py, best_kernel), and
// "Generic" stands for any.
[[nodiscard]] std::optional<ops::CollectiveKind> collective_of(std::string_view name);

}  // namespace echo::nsight
