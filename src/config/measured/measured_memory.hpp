// The meaning of a published memory figure: quantity, GPU ranks and unit. Predictions are compared by the
// same quantity of the same ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "training/memory/memory_use.hpp"

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

// The last part of memory that a figure counts, and the stage that was measured: the one of `stages` (at
// least one) for which it is greatest, or the greater of both ends.
[[nodiscard]] training::MemoryPart last_part(MemoryFigure);
[[nodiscard]] const training::MemoryUse& measured_stage(std::span<const training::MemoryUse> stages,
                                                        const MeasuredMemory&);

// Whether a run fitted its GPUs: a run with a measured step did; others where mem_kind says "ran" or "out of
// memory".
enum class MemoryOutcome : std::int8_t { unknown, ran, out_of_memory };
[[nodiscard]] MemoryOutcome memory_outcome(std::string_view mem_kind, bool is_measured);

// `printed`: the figure in the table; `mem_kind`: its kind according to the table.
[[nodiscard]] MeasuredMemory measured_memory(double printed, std::string_view mem_kind);

}  // namespace echo::config
