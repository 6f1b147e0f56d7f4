#include "timeline/pipeline/order_memo.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {
namespace {

std::int32_t tasks_of(const Schedule& schedule, const PipelineShape& shape, std::int32_t stage) {
  if (schedule.mixes_backwards) return std::numeric_limits<std::int32_t>::max();
  const auto chunks = std::ranges::count(shape.stage_of_chunk, stage);
  const std::int32_t passes = schedule.splits_backward ? 3 : 2;
  return passes * microbatches_per_chunk(shape) * static_cast<std::int32_t>(chunks);
}

OrderMemo::Orders steady_orders(const Schedule& schedule, const PipelineShape& shape) {
  OrderMemo::Orders orders;
  for (std::int32_t s = 0; s < shape.stages; ++s) {
    const SteadyStretch stretch = schedule.steady(shape, s);
    schedule.slice(shape, s, 0, stretch.first + stretch.length, orders.start.value);
    orders.start.close_row();
    schedule.slice(shape, s, stretch.first + stretch.repeats * stretch.length, tasks_of(schedule, shape, s),
                   orders.rest.value);
    orders.rest.close_row();
  }
  return orders;
}

}  // namespace

const OrderMemo::Orders& OrderMemo::of(const Schedule& schedule, const PipelineShape& shape, bool steady) {
  ECHO_EXPECT(schedule.slice != nullptr && shape.given == nullptr);
  const Question question{schedule.name,
                          {shape.stages, shape.chunks, shape.microbatches, shape.microbatch_group,
                           shape.copies, shape.pairs ? 1 : 0, steady ? 1 : 0, shape.deferred},
                          shape.stage_of_chunk};
  if (const auto found = kept_.find(question); found != kept_.end()) return found->second;
  Orders orders;
  if (steady)
    orders = steady_orders(schedule, shape);
  else
    order_of(schedule, shape, {}, orders.start);
  if (tasks_ > most_tasks) kept_.clear(), tasks_ = 0;
  tasks_ += orders.start.value.size() + orders.rest.value.size();
  Entry entry{
      question.schedule, question.numbers, {shape.stage_of_chunk.begin(), shape.stage_of_chunk.end()}};
  return kept_.emplace(std::move(entry), std::move(orders)).first->second;
}

}  // namespace echo::timeline
