// How often each pass of a step lies on its critical path.
#pragma once

#include "base/at.hpp"
#include "simulate/step/composed_step.hpp"
#include "simulate/step/passes.hpp"

namespace echo::simulate {

// Calls visit(kind, count) for the passes of a chunk by themselves; counts of one kind add. A count below
// zero takes back what another says too much. A first forward lasts as long as the longer of it and any
// other.
template <class Visit>
void each_pass_on_path(const timeline::PipelinePath& path, const timeline::Route& route,
                       const workload::Workload& work, const ChunkCost& cost, ChunkId chunk, Visit visit) {
  using timeline::TaskKind;
  const auto leg = [&](TaskKind kind) -> const timeline::LegCounts& {
    return path.legs[at(route.leg_of({kind, chunk}))];
  };
  const timeline::LegCounts &forward = leg(TaskKind::forward), &backward = leg(TaskKind::backward),
                            &weights = leg(TaskKind::backward_weight);
  const bool gathers = work.gathers_once && cost[PassKind::first_forward].time > cost[PassKind::forward].time;
  visit(PassKind::forward, forward.usual);
  visit(gathers ? PassKind::first_forward : PassKind::forward, forward.special);
  visit(PassKind::backward, backward.usual);
  visit(PassKind::input_gradients, backward.split);
  visit(PassKind::weight_gradients, weights.usual);
  // The weight gradients of a split last backward are the rest of it, behind input gradients as usual.
  if (weights.special > 0 && cost[PassKind::last_backward].time <= cost[PassKind::input_gradients].time)
    return;
  const std::int64_t last = backward.special + weights.special;
  if (!own_block(work, PassKind::last_backward, chunk).is_none()) {
    visit(PassKind::last_backward, last);
  } else if (work.backwards == workload::Backward::split) {
    visit(PassKind::input_gradients, last);
    visit(PassKind::weight_gradients, last);
  } else {
    visit(PassKind::backward, last);
  }
  visit(PassKind::input_gradients, -weights.special);
}

// Calls visit(pair, count) for pairs that are woven, and visit_pass(chunk, kind, count) for the passes of
// those that run one after the other.
template <class VisitPair, class VisitPass>
void each_pair_on_path(const timeline::PipelinePath& path, const training::RankLayout& layout,
                       const workload::Workload& work, VisitPair visit, VisitPass visit_pass) {
  for (std::int32_t pair = 0; pair < static_cast<std::int32_t>(path.pairs.size()); ++pair) {
    const std::int64_t count = path.pairs[at(pair)];
    if (count == 0) continue;
    if (work.pairs.rows() > 0) {
      visit(pair, count);
      continue;
    }
    const PairOfChunks chunks = chunks_of_pair(layout, pair);
    visit_pass(chunks.forward, PassKind::forward, count);
    visit_pass(chunks.backward, PassKind::backward, count);
  }
}

}  // namespace echo::simulate
