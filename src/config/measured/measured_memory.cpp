#include "config/measured/measured_memory.hpp"

#include <algorithm>
#include <array>

#include "base/at.hpp"

namespace echo::config {

namespace {

constexpr double decimal = 1e9 / (1024.0 * 1024.0 * 1024.0);

// The first phrase that the kind contains decides.
struct Kind {
  std::string_view phrase;
  MemoryFigure figure;
  MemoryOf of;
  double gib_each;
};
constexpr std::array kinds{
    Kind{"max_memory_allocated", MemoryFigure::allocated, MemoryOf::fullest, 1.0},
    // BLOOM's log: nvidia-smi's MiB over a thousand, for it has 80 GB of an A100's 81 251 MiB in use.
    Kind{"first/last", MemoryFigure::used, MemoryOf::ends, 1000.0 / 1024.0},
    Kind{"nvidia-smi", MemoryFigure::used, MemoryOf::fullest, 1.0},
    // torchtitan's log line: max_reserved in GiB (torchtitan/components/metrics.py).
    Kind{"torchtitan metrics", MemoryFigure::reserved, MemoryOf::fullest, 1.0},
    // nanotron's benchmark table: max_memory_reserved over 1024^3 under the name GB (helpers.py). The figures
    // grow with the pipeline as the first stage's do, not the last one's.
    Kind{"GPU memory as printed", MemoryFigure::reserved, MemoryOf::fullest, 1.0},
    Kind{"per device", MemoryFigure::used, MemoryOf::fullest, decimal},  // FlagPerf reads nvidia-smi
    // The zero-bubble paper's tables: torch.cuda.max_memory_allocated over 1e9 (its schedules.py divides so).
    Kind{"GB as printed", MemoryFigure::allocated, MemoryOf::fullest, decimal},
};

std::string in_words(MemoryFigure figure, MemoryOf of) {
  constexpr std::array<std::string_view, 3> figures{"allocated", "reserved", "used"};
  constexpr std::array<std::string_view, 2> ranks{"fullest stage", "first or last stage"};
  return std::string(figures[at(figure)]) + ", " + std::string(ranks[at(of)]);
}

}  // namespace

MeasuredMemory measured_memory(double printed, std::string_view mem_kind) {
  for (const Kind& kind : kinds) {
    if (mem_kind.find(kind.phrase) == std::string_view::npos) continue;
    return {printed * kind.gib_each, kind.figure, kind.of, in_words(kind.figure, kind.of)};
  }
  return {printed, MemoryFigure::used, MemoryOf::fullest, in_words(MemoryFigure::used, MemoryOf::fullest)};
}

training::MemoryPart last_part(MemoryFigure figure) {
  switch (figure) {
    case MemoryFigure::allocated:
      return training::MemoryPart::comm_buffers;
    case MemoryFigure::reserved:
      return training::MemoryPart::fragmentation;
    case MemoryFigure::used:
      break;
  }
  return training::MemoryPart::context;
}

const training::MemoryUse& measured_stage(std::span<const training::MemoryUse> stages,
                                          const MeasuredMemory& measured) {
  const training::MemoryPart last = last_part(measured.figure);
  const auto less = [last](const training::MemoryUse& a, const training::MemoryUse& b) {
    return a.up_to(last) < b.up_to(last);
  };
  if (measured.of == MemoryOf::ends) return std::max(stages.front(), stages.back(), less);
  return *std::max_element(stages.begin(), stages.end(), less);
}

MemoryOutcome memory_outcome(std::string_view mem_kind, bool is_measured) {
  if (mem_kind == "out of memory") return MemoryOutcome::out_of_memory;
  return is_measured || mem_kind == "ran" ? MemoryOutcome::ran : MemoryOutcome::unknown;
}

}  // namespace echo::config
