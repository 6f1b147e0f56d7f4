// The kernel of a PyTorch op, from its name and the shapes of its operands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/kernel.hpp"
#include "trace/trace.hpp"

namespace echo::trace_io {

// One operand each; a list of tensors is one of no dimensions.
struct AtenCall {
  std::string name;                                // "aten::mm"
  std::vector<std::vector<std::int64_t>> shapes;   // [operand]
  std::vector<std::vector<std::int64_t>> strides;  // [operand], or none where they were not recorded
  std::vector<std::string> types;                  // [operand], "c10::BFloat16"
  std::vector<std::string> values;                 // [operand], of those that are no tensors: "True", "0.5"
};

// Nothing where the op is none we price by shape, or its operands do not say enough. Without strides,
// products of a backward pass count as `nn`.
[[nodiscard]] std::optional<ops::KernelKey> kernel_of(const AtenCall&, trace::Pass);

// Bytes of its tensors together; of lists, and of types that are not known, none.
[[nodiscard]] Bytes moved_by(const AtenCall&);
// Views, allocations and questions: no kernel.
[[nodiscard]] bool is_free(const std::string& name);

}  // namespace echo::trace_io
