// The meaning of a published memory figure: quantity, GPU ranks and unit. Predictions are compared by the
// same quantity of the same ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace echo::config {

// allocated: what PyTorch's allocator has handed out; reserved: what it holds; used: of the device, as
// nvidia-smi prints it.
enum class MemoryFigure : std::int8_t { allocated, reserved, used };
// The pipeline stages that were measured: the fullest, or the fuller of both ends.
enum class MemoryOf : std::int8_t { fullest, ends };

struct MeasuredMemory {
  double gib = 0.0;
  MemoryFigure figure = MemoryFigure::used;
  MemoryOf of = MemoryOf::fullest;
  std::string kind;  // both as text: "allocated, fullest stage"
};

// `printed`: the figure in the table; `mem_kind`: its kind according to the table.
[[nodiscard]] MeasuredMemory measured_memory(double printed, std::string_view mem_kind);

}  // namespace echo::config
