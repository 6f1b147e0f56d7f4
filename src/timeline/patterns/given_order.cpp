#include "timeline/patterns/given_order.hpp"

#include <algorithm>
#include <set>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {
namespace {

std::vector<TaskKind> kinds_of(const GivenOrder& order) {
  if (order.splits_backward) return {TaskKind::forward, TaskKind::backward_input, TaskKind::backward_weight};
  return {TaskKind::forward, TaskKind::backward};
}

// The inputs that a task waits for, beside its turn in the order.
std::vector<Task> inputs_of(const GivenOrder& order, const Task& task) {
  const ChunkId last(order.stages * order.chunks_per_stage - 1);
  const TaskKind back = order.splits_backward ? TaskKind::backward_input : TaskKind::backward;
  if (task.kind == TaskKind::forward) {
    if (task.chunk == ChunkId(0)) return {};
    return {{TaskKind::forward, task.chunk - 1, task.microbatch}};
  }
  if (task.kind == TaskKind::backward_weight) return {{back, task.chunk, task.microbatch}};
  std::vector<Task> inputs{{TaskKind::forward, task.chunk, task.microbatch}};
  if (task.chunk < last) inputs.push_back({back, task.chunk + 1, task.microbatch});
  return inputs;
}

std::optional<OrderFlaw> repeated_or_missing(const GivenOrder& order) {
  for (std::int32_t s = 0; s < order.stages; ++s) {
    const auto row = order.tasks.row(s);
    std::set<Task> seen;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!seen.insert(row[i]).second)
        return OrderFlaw{s, static_cast<std::int32_t>(i),
                         "stage " + std::to_string(s) + " runs " + spell(order, row[i]) + " twice",
                         "leave one out"};
    }
    for (const TaskKind kind : kinds_of(order)) {
      for (std::int32_t n = 0; n < order.chunks_per_stage; ++n) {
        for (const MicrobatchId m : ids<MicrobatchId>(order.microbatches)) {
          const Task task{kind, chunk_on(order, s, n), m};
          if (seen.count(task) > 0) continue;
          return OrderFlaw{
              s, static_cast<std::int32_t>(row.size()),
              "stage " + std::to_string(s) + " never runs " + spell(order, task),
              "every stage must run the forward and the backward of every microbatch of its chunks"};
        }
      }
    }
  }
  return std::nullopt;
}

// Runs all stages side by side, each only as far as the input of its next task is there.
std::optional<OrderFlaw> stuck(const GivenOrder& order) {
  std::vector<std::size_t> next(at(order.stages), 0);
  std::set<Task> done;
  const auto waits = [&](const Task& task) {
    const auto inputs = inputs_of(order, task);
    return std::find_if(inputs.begin(), inputs.end(), [&](const Task& t) { return done.count(t) == 0; }) !=
           inputs.end();
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::int32_t s = 0; s < order.stages; ++s) {
      const auto row = order.tasks.row(s);
      for (std::size_t& n = next[at(s)]; n < row.size() && !waits(row[n]); ++n)
        done.insert(row[n]), moved = true;
    }
  }
  for (std::int32_t s = 0; s < order.stages; ++s) {
    const auto row = order.tasks.row(s);
    const std::size_t n = next[at(s)];
    if (n == row.size()) continue;
    const auto rest = row.subspan(n);
    const auto inputs = inputs_of(order, row[n]);
    const bool own = std::any_of(inputs.begin(), inputs.end(), [&](const Task& input) {
      return std::find(rest.begin(), rest.end(), input) != rest.end();
    });
    if (!own && s + 1 < order.stages && next[at(s + 1)] < order.tasks.row(s + 1).size()) continue;
    return OrderFlaw{
        s, static_cast<std::int32_t>(n),
        own ? "stage " + std::to_string(s) + " runs " + spell(order, row[n]) + " before its input"
            : "stage " + std::to_string(s) + " deadlocks before " + spell(order, row[n]),
        own ? "a backward comes after its forward, a weight gradient after its backward"
            : "the stages wait for each other: move a task that another stage needs forward"};
  }
  return std::nullopt;
}

constexpr ShapeRule shape_rules[] = {
    {{"the order of tasks is for another number of stages", "schedule pp"},
     [](const PipelineShape& shape) { return shape.stages == shape.given->stages; }},
    {{"the order of tasks is for another number of chunks per stage", "schedule vpp"},
     [](const PipelineShape& shape) {
       return shape.chunks == shape.given->stages * shape.given->chunks_per_stage;
     }},
    {{"the order of tasks is for another number of microbatches", "schedule global_batch micro_batch dp"},
     [](const PipelineShape& shape) { return shape.microbatches == shape.given->microbatches; }},
};

void copy_order(const PipelineShape& shape, std::span<const ChunkTimes>, Csr<Task>& out) {
  out = shape.given->tasks;
}

std::int32_t in_flight(const PipelineShape& shape, std::int32_t stage) {
  return shape.given->held[at(stage)];
}

}  // namespace

ChunkId chunk_on(const GivenOrder& order, std::int32_t stage, std::int32_t n) {
  const bool up = order.placement == Placement::v && n % 2 == 1;
  return ChunkId(n * order.stages + (up ? order.stages - 1 - stage : stage));
}

std::optional<OrderFlaw> flaw_of(const GivenOrder& order) {
  if (auto flaw = repeated_or_missing(order)) return flaw;
  return stuck(order);
}

void count_held(GivenOrder& order) {
  const TaskKind frees = order.splits_backward ? TaskKind::backward_weight : TaskKind::backward;
  order.held.assign(at(order.stages), 0);
  for (std::int32_t s = 0; s < order.stages; ++s) {
    std::int32_t held = 0;
    for (const Task& task : order.tasks.row(s)) {
      held += task.kind == TaskKind::forward ? 1 : task.kind == frees ? -1 : 0;
      order.held[at(s)] = std::max(order.held[at(s)], held);
    }
  }
}

std::string spell(const GivenOrder& order, const Task& task) {
  std::string text = task.kind == TaskKind::forward           ? "F"
                     : task.kind == TaskKind::backward_weight ? "W"
                                                              : "B";
  text += std::to_string(task.microbatch.index());
  if (order.chunks_per_stage > 1) text += "." + std::to_string(task.chunk.index() / order.stages);
  return text;
}

std::span<const ShapeRule> given_order_rules() { return shape_rules; }

Schedule schedule_of(const GivenOrder& order) {
  return {.name = order.name.c_str(),
          .source = "given by the sweep",
          .rules = shape_rules,
          .place = order.placement == Placement::v ? place_v : place_round_robin,
          .in_flight = in_flight,
          .splits_backward = order.splits_backward,
          .interleaves = order.chunks_per_stage > 1,
          .plan = copy_order,
          .given = &order};
}

}  // namespace echo::timeline
