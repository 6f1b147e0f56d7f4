// Names of element types in PyTorch's tools: "c10::BFloat16", "Tensor(c10::Half)", "torch.float32",
// "Float".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "machine/precision.hpp"

namespace echo::trace_io {

struct ElementType {
  std::int32_t bytes = 0;                                      // of one element
  std::optional<machine::Precision> precision = std::nullopt;  // none: whole numbers, double, bool
};

[[nodiscard]] std::optional<ElementType> element_type(std::string_view);

}  // namespace echo::trace_io
