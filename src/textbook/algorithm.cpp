#include "textbook/algorithm.hpp"

#include <algorithm>

namespace echo::textbook {

void add_phases(const Algorithm& algorithm, const Call& call, std::int32_t ranks, std::vector<Step>& scratch,
                Phases& out) {
  scratch.clear();
  algorithm.steps(call, ranks, scratch);
  for (const Step& step : scratch) add_phase(step, ranks, out);
}

Cost cost_of(const Algorithm& algorithm, const Call& call, const Dimension& dimension,
             std::vector<Step>& scratch) {
  scratch.clear();
  algorithm.steps(call, dimension.size, scratch);
  Cost sum;
  for (const Step& step : scratch) sum += cost_of(step, dimension);
  return sum;
}

bool shares_data_evenly(ops::CollectiveKind kind) {
  using enum ops::CollectiveKind;
  return kind == all_reduce || kind == all_gather || kind == reduce_scatter || kind == all_to_all;
}

std::int64_t pieces_in_flight(std::int64_t bytes) {
  return std::clamp<std::int64_t>(piece_of(bytes, 65536), 1, 256);
}

void add_pipeline(Pattern pattern, std::int32_t levels, std::int64_t pieces, std::int64_t bytes,
                  std::vector<Step>& out) {
  const std::int64_t last_phase = levels + pieces - 2;
  for (std::int64_t phase = 0; phase <= last_phase; ++phase) {
    const auto first = static_cast<std::int32_t>(std::max<std::int64_t>(0, phase - pieces + 1));
    const auto last = static_cast<std::int32_t>(std::min<std::int64_t>(levels - 1, phase));
    const bool is_full = first == 0 && last == levels - 1;
    const std::int64_t repeat = is_full ? pieces - levels + 1 : 1;
    const bool down = pattern == Pattern::trees_down;  // from the top
    out.push_back({.pattern = pattern,
                   .bytes = bytes,
                   .repeat = repeat,
                   .first = down ? levels - 1 - last : first,
                   .last = down ? levels - 1 - first : last});
    phase += repeat - 1;
  }
}

}  // namespace echo::textbook
