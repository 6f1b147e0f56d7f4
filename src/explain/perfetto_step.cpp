// Every task and every wait of a drawn stage is an event. Ops are drawn for as many microbatches as
// most_events allows. A slice of the step thread carries the split of its time (args.exposed_us), so that the
// trace reproduces the breakdown of the result file.
#include "explain/perfetto_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/at.hpp"
#include "explain/perfetto_events.hpp"
#include "ops/describe.hpp"
#include "text/json.hpp"

namespace echo::explain {

namespace {

using simulate::SimulatedStep;
using simulate::Slice;
using simulate::SliceKind;
using timeline::Task;
using timeline::TaskKind;

constexpr std::array<std::string_view, lane_count> lane_names{"ops: compute", "ops: tensor parallel",
                                                              "ops: context parallel", "ops: expert parallel",
                                                              "ops: data parallel"};
constexpr std::int32_t step_thread = 0, first_lane_thread = 1, down_thread = 1 + lane_count,
                       up_thread = 2 + lane_count;

std::string name_of(const Task& task) {
  constexpr std::array<std::string_view, 4> letters{"F", "B", "B", "W"};  // [TaskKind]
  return fmt::format("{}{}", letters[at(task.kind)], task.microbatch.index());
}

struct Look {
  std::string_view name, category, colour;  // colours of Chromium's palette; other viewers colour by name
};
Look look_of(const Slice& slice) {
  switch (slice.kind) {
    case SliceKind::task:
      return slice.is_pair                          ? Look{"", "pair", "thread_state_running"}
             : slice.task.kind == TaskKind::forward ? Look{"", "forward", "good"}
             : slice.task.kind == TaskKind::backward_weight
                 ? Look{"", "weight_gradient", "thread_state_iowait"}
                 : Look{"", "backward", "rail_response"};
    case SliceKind::wait:
      return {"bubble", "bubble", "grey"};
    case SliceKind::transfer:
      return {"pipeline transfer", "pp_comm", "bad"};
    case SliceKind::gradients:
      return {"gradient reduction", "tail", "terrible"};
    case SliceKind::norm:
      return {"gradient norm", "tail", "yellow"};
    case SliceKind::optimizer:
      return {"optimizer", "tail", "olive"};
    case SliceKind::host:
      break;
  }
  return {"host", "tail", "black"};
}

class StepTrace {
 public:
  StepTrace(const simulate::StepTimeline& timeline, const SimulatedStep& step,
            const training::TrainingConfig& config, std::span<const training::MemoryUse> memory,
            const TraceRequest& request, TraceEvents& out)
      : timeline_(timeline), step_(step), config_(config), memory_(memory), request_(request), out_(out) {}

  std::int32_t draw() {
    find_readers();
    for (std::int32_t stage = 0; stage < config_.degrees.pipeline; ++stage)
      if (is_drawn(stage)) name_tracks(stage);
    with_ops_ = affordable_microbatches();
    for (const Slice& slice : timeline_.slices)
      if (is_drawn(slice.stage)) draw(slice);
    return with_ops_;
  }

 private:
  using Reader = std::tuple<bool, ChunkId, MicrobatchId>;  // forward or not, chunk, microbatch
  struct Place {
    std::int32_t stage = 0;
    SimTime start{};
  };

  [[nodiscard]] bool is_drawn(std::int32_t stage) const {
    return request_.stages.empty() || std::ranges::count(request_.stages, stage) > 0;
  }

  void find_readers() {
    const auto note = [&](const Slice& slice, const Task& task) {
      if (task.kind != TaskKind::backward_weight)
        readers_[{task.kind == TaskKind::forward, task.chunk, task.microbatch}] = {slice.stage, slice.start};
    };
    for (const Slice& slice : timeline_.slices) {
      if (slice.kind != SliceKind::task) continue;
      note(slice, slice.task);
      if (slice.is_pair) note(slice, slice.partner);
    }
  }

  void name_tracks(std::int32_t stage) {
    const training::RankClass& ranks = step_.layout.classes[at(stage)];
    out_.name_process(stage, fmt::format("stage {} (gpu ranks {} to {})", stage, ranks.first_gpu_rank,
                                         ranks.first_gpu_rank + ranks.multiplicity - 1));
    out_.name_thread({stage, step_thread}, "step");
    for (std::int32_t lane = 0; lane < lane_count; ++lane)
      out_.name_thread({stage, first_lane_thread + lane}, lane_names[at(lane)]);
    if (config_.degrees.pipeline == 1) return;
    out_.name_thread({stage, down_thread}, "to the next stage");
    out_.name_thread({stage, up_thread}, "to the previous stage");
  }

  // Number of microbatches whose ops fit besides all other events.
  [[nodiscard]] std::int32_t affordable_microbatches() const {
    constexpr std::int64_t events_of_a_task =
        7;  // itself, a transfer, two ends of an arrow, two counters, one spare
    std::int64_t fixed = 0, ops = 0;
    for (const Slice& slice : timeline_.slices) {
      if (!is_drawn(slice.stage)) continue;
      fixed += slice.kind == SliceKind::task ? events_of_a_task : 1;
      for (const workload::BlockRun& run : simulate::placed_runs(slice, step_))
        ops += run.count * std::ssize(timeline_.blocks[at(run.block)]);
    }
    const std::int32_t microbatches = training::microbatches_of(config_);
    const std::int64_t each = std::max<std::int64_t>(1, ops / microbatches);
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>((request_.most_events - fixed) / each, 0, microbatches));
  }

  void draw(const Slice& slice) {
    std::string args;
    const Look look = look_of(slice);
    std::string name(look.name);
    if (slice.kind == SliceKind::task) {
      name = name_of(slice.task) + (slice.is_pair ? " + " + name_of(slice.partner) : "");
      args = fmt::format(R"("chunk":{},"microbatch":{},)", slice.task.chunk.index(),
                         slice.task.microbatch.index());
    }
    std::string parts;
    for (std::size_t i = 0; i < time_category_count; ++i)
      if (slice.exposed[i] != SimTime::zero())
        parts += fmt::format("{}\"{}\":{}", parts.empty() ? "" : ",", time_category_names[i],
                             microseconds(slice.exposed[i]));
    args += fmt::format(R"("exposed_us":{{{}}})", parts);
    out_.slice({slice.stage, step_thread}, name, look.category, slice.start, slice.end, look.colour, args);
    if (slice.kind != SliceKind::task) return;
    follow(slice, slice.task);
    if (slice.is_pair) follow(slice, slice.partner);
    const MicrobatchId last(training::microbatches_of(config_) - 1);
    if (slice.task.microbatch.index() < with_ops_ - 1 || (slice.task.microbatch == last && with_ops_ > 0))
      draw_ops(slice);
  }

  // Side effects of a task: counters and transfers.
  void follow(const Slice& slice, const Task& task) {
    if (task.kind == TaskKind::forward) count_held(slice.stage, slice.start, 1);
    if (task.kind == TaskKind::backward || task.kind == TaskKind::backward_weight)
      count_held(slice.stage, slice.end, -1);
    if (task.kind != TaskKind::backward_weight) hand_on(slice, task);
  }

  void count_held(std::int32_t stage, SimTime now, std::int32_t change) {
    const std::int32_t held = held_[stage] += change;
    out_.counter(stage, "activations held (chunks)", now, held);
    if (memory_.empty()) return;
    constexpr double gib = 1073741824.0;
    const training::MemoryUse& use = memory_[at(stage)];
    const double activations = static_cast<double>(use.part[at(training::MemoryPart::activations)].value);
    const double rest = static_cast<double>(use.total().value) - activations;
    const std::int32_t most = std::max(1, most_held(stage));
    out_.counter(stage, "memory (GiB)", now, (rest + activations * held / most) / gib);
  }
  // As in the slices.
  std::int32_t most_held(std::int32_t stage) {
    const auto [place, fresh] = most_held_.try_emplace(stage, 0);
    std::int32_t& most = place->second;
    if (!fresh) return most;
    std::int32_t held = 0;
    const auto pass = [&](const Task& task) {
      held += task.kind == TaskKind::forward ? 1 : task.kind == TaskKind::backward_input ? 0 : -1;
      most = std::max(most, held);
    };
    for (const Slice& slice : timeline_.slices) {
      if (slice.stage != stage || slice.kind != SliceKind::task) continue;
      pass(slice.task);
      if (slice.is_pair) pass(slice.partner);
    }
    return most;
  }

  // The transfer of a task's output, with an arrow to the task that reads it.
  void hand_on(const Slice& slice, const Task& task) {
    const bool down = task.kind == TaskKind::forward;
    const ChunkId next = task.chunk + (down ? 1 : -1);
    const auto reader = readers_.find({down, next, task.microbatch});
    if (reader == readers_.end() || reader->second.stage == slice.stage) return;
    if (next.index() / chunks_of_copy_ != task.chunk.index() / chunks_of_copy_) return;
    const std::size_t border = at(down ? task.chunk : task.chunk - 1);
    SimTime& link = links_[{slice.stage, down}];
    const SimTime leaves = std::max(link, slice.end);
    link = leaves + (down ? step_.prices.hop_forward[border] : step_.prices.hop_backward[border]);
    out_.slice({slice.stage, down ? down_thread : up_thread}, name_of(task), "pp_comm", leaves, link);
    constexpr SimTime inside{1000};  // an arrow starts within its slice
    if (is_drawn(reader->second.stage))
      out_.arrow({slice.stage, step_thread}, std::max(slice.start, slice.end - inside),
                 {reader->second.stage, step_thread}, reader->second.start);
  }

  void draw_ops(const Slice& slice) {
    SimTime now = slice.start;
    for (const workload::BlockRun& run : simulate::placed_runs(slice, step_)) {
      const std::size_t block = at(run.block);
      for (std::int32_t i = 0; i < run.count; ++i) {
        for (const simulate::PlacedOp& op : timeline_.blocks[block]) draw_op(slice.stage, op, now);
        now += step_.composed.times[block].makespan;
      }
    }
  }
  void draw_op(std::int32_t stage, const simulate::PlacedOp& op, SimTime from) {
    const std::int32_t kernels = length_of(step_.work.kernels);
    const std::string name = is_kernel(op.work, kernels)
                                 ? ops::describe(step_.work.kernels[at(kernel_of(op.work))])
                                 : ops::describe(step_.work.collectives[at(collective_of(op.work, kernels))]);
    const SimTime alone = step_.prices.alone[at(op.work)];
    out_.slice({stage, first_lane_thread + static_cast<std::int32_t>(op.lane)}, name,
               time_category_names[at(op.part)], from + op.start, from + op.end, {},
               fmt::format("\"alone_us\":{}", microseconds(alone)));
  }

  const simulate::StepTimeline& timeline_;
  const SimulatedStep& step_;
  const training::TrainingConfig& config_;
  std::span<const training::MemoryUse> memory_;
  const TraceRequest& request_;
  TraceEvents& out_;
  std::map<Reader, Place> readers_;
  std::map<std::pair<std::int32_t, bool>, SimTime> links_;  // (stage, downwards): its last transfer ended
  std::map<std::int32_t, std::int32_t> held_, most_held_;
  const std::int32_t chunks_of_copy_ =
      static_cast<std::int32_t>(step_.composed.chunks.size()) / step_.layout.copies;
  std::int32_t with_ops_ = 0;
};

}  // namespace

TraceSize trace_step(const simulate::StepTimeline& timeline, const SimulatedStep& step,
                     const training::TrainingConfig& config, std::span<const training::MemoryUse> memory,
                     std::string_view title, const TraceRequest& request, const std::filesystem::path& path) {
  TraceFile file(path);
  TraceEvents events(file,
                     fmt::format(R"("title":{},"step_us":{},"critical_stage":{})", text::json_text(title),
                                 microseconds(timeline.report.step), timeline.report.critical_stage));
  TraceSize size;
  size.microbatches_with_ops = StepTrace(timeline, step, config, memory, request, events).draw();
  events.finish();
  size.events = events.events();
  return size;
}

}  // namespace echo::explain
