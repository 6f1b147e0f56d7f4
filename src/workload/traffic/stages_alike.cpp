#include "workload/traffic/stages_alike.hpp"

#include "base/at.hpp"

namespace echo::workload {

namespace {

void repeat_last_row(Csr<WorkRun>& runs) {
  const std::size_t begin = at(runs.offset[at(runs.rows() - 1)]), end = runs.value.size();
  for (std::size_t i = begin; i < end; ++i) runs.push(runs.value[i]);
  runs.close_row();
}

}  // namespace

bool repeats_stage_before(const training::RankLayout& layout, std::int32_t stage, StepTail& tail) {
  if (!layout.repeats_stage[at(stage)]) return false;
  for (Csr<WorkRun>* runs : {&tail.gradients, &tail.grad_norm, &tail.update}) repeat_last_row(*runs);
  return true;
}

}  // namespace echo::workload
