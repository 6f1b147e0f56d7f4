#include "workload/traffic/stages_alike.hpp"

#include <algorithm>
#include <vector>

#include "base/at.hpp"

namespace echo::workload {

namespace {

bool are_alike(const training::RankLayout& layout, std::size_t a, std::size_t b) {
  for (const std::size_t chunk : {a, b})
    if (layout.opens_model(chunk) || layout.closes_model(chunk)) return false;
  return layout.chunk_layers[a] == layout.chunk_layers[b] &&
         std::ranges::equal(layout.chunk_kinds.row(static_cast<std::int32_t>(a)),
                            layout.chunk_kinds.row(static_cast<std::int32_t>(b)));
}

// Both stages' chunks are met in order, the nth of one with the nth of the other. Where there are two copies
// of the model, a stage also differs by the stage that mirrors it.
bool is_like_stage_before(const training::RankLayout& layout, std::int32_t stage) {
  if (stage == 0 || layout.copies > 1) return false;
  const std::vector<std::int32_t>& stage_of = layout.stage_of_chunk;
  std::size_t other = 0;
  const auto find_other = [&] {
    while (other < stage_of.size() && stage_of[other] != stage - 1) ++other;
  };
  for (std::size_t chunk = 0; chunk < stage_of.size(); ++chunk) {
    if (stage_of[chunk] != stage) continue;
    find_other();
    if (other == stage_of.size() || !are_alike(layout, other, chunk)) return false;
    ++other;
  }
  find_other();
  return other == stage_of.size();
}

void repeat_last_row(Csr<WorkRun>& runs) {
  const std::size_t begin = at(runs.offset[at(runs.rows() - 1)]), end = runs.value.size();
  for (std::size_t i = begin; i < end; ++i) runs.push(runs.value[i]);
  runs.close_row();
}

}  // namespace

bool repeats_stage_before(const training::RankLayout& layout, std::int32_t stage, StepTail& tail) {
  if (!is_like_stage_before(layout, stage)) return false;
  for (Csr<WorkRun>* runs : {&tail.gradients, &tail.grad_norm, &tail.update}) repeat_last_row(*runs);
  return true;
}

}  // namespace echo::workload
