// Every task and every wait of a drawn stage is an event. Where most_events does not allow all, ops are drawn
// for fewer microbatches, and where their tasks alone are too many, tasks too: the microbatches between the
// first ones and the last are one slice on each stage. A slice of the step thread carries the split of its
// time (args.exposed_us), so that the trace reproduces the breakdown of the result file whatever is left out.
#include "explain/perfetto_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/error.hpp"
#include "explain/drawn_processes.hpp"
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

constexpr std::array<std::string_view, lane_count> lane_names{"ops: compute",          "ops: tensor parallel",
                                                              "ops: context parallel", "ops: expert parallel",
                                                              "ops: data parallel",    "ops: host copies"};
static_assert(!lane_names.back().empty());
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
            const TraceRequest& request)
      : timeline_(timeline), step_(step), config_(config), memory_(memory), request_(request) {}

  // Events without which nothing can be drawn: names of tracks, and what follows the last task, each behind a
  // gap.
  [[nodiscard]] std::int64_t least_events() {
    find_owners();
    std::int64_t least = 0;
    for (std::int32_t stage = 0; stage < config_.degrees.pipeline; ++stage)
      least += copies(stage) * (3 + lane_count + (config_.degrees.pipeline > 1 ? 2 : 0));
    for (std::size_t i = 0; i < timeline_.slices.size(); ++i)
      if (owner_[i].is_none()) least += 2 * copies(timeline_.slices[i].stage);
    return least;
  }

  TraceSize draw(TraceEvents& out) {
    out_ = &out;
    find_readers();
    for (std::int32_t stage = 0; stage < config_.degrees.pipeline; ++stage)
      if (is_drawn(stage)) name_tracks(stage);
    choose_microbatches();
    for (std::size_t i = 0; i < timeline_.slices.size(); ++i) {
      const Slice& slice = timeline_.slices[i];
      if (!is_drawn(slice.stage)) continue;
      if (is_chosen(owner_[i], with_tasks_))
        draw(slice);
      else
        leave_out(slice);
    }
    close_gap();
    return {.events = 0, .microbatches_with_tasks = with_tasks_, .microbatches_with_ops = with_ops_};
  }

 private:
  using Reader = std::tuple<bool, ChunkId, MicrobatchId>;  // forward or not, chunk, microbatch
  struct Place {
    std::int32_t stage = 0;
    SimTime start{};
  };

  [[nodiscard]] std::int64_t copies(std::int32_t stage) const { return std::ssize(processes_[at(stage)]); }
  [[nodiscard]] bool is_drawn(std::int32_t stage) const { return copies(stage) > 0; }

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
    for (const DrawnProcess& process : processes_[at(stage)]) {
      out_->name_process(
          process.number,
          process.is_rank ? fmt::format("gpu rank {} (stage {})", ranks.first_gpu_rank + process.place, stage)
                          : fmt::format("stage {} (gpu ranks {} to {})", stage, ranks.first_gpu_rank,
                                        ranks.first_gpu_rank + ranks.multiplicity - 1));
      out_->name_thread({process.number, step_thread}, "step");
      for (std::int32_t lane = 0; lane < lane_count; ++lane)
        out_->name_thread({process.number, first_lane_thread + lane}, lane_names[at(lane)]);
      if (config_.degrees.pipeline == 1) continue;
      out_->name_thread({process.number, down_thread}, "to the next stage");
      out_->name_thread({process.number, up_thread}, "to the previous stage");
    }
  }

  // The microbatch with which a slice is drawn: a task's own, that of the task which a wait precedes; none
  // after the last task, and always drawn.
  void find_owners() {
    owner_.assign(timeline_.slices.size(), MicrobatchId::none());
    for (std::size_t i = timeline_.slices.size(); i-- > 0;) {
      const Slice& slice = timeline_.slices[i];
      if (slice.kind == SliceKind::task)
        owner_[i] = slice.task.microbatch;
      else if (i + 1 < timeline_.slices.size() && timeline_.slices[i + 1].stage == slice.stage)
        owner_[i] = owner_[i + 1];
    }
  }

  // The first n - 1 microbatches and the last; the first where n is 1.
  [[nodiscard]] bool is_chosen(MicrobatchId microbatch, std::int32_t n) const {
    if (microbatch.is_none()) return true;
    return n > 0 && (microbatch.index() < std::max(n - 1, 1) ||
                     (n > 1 && microbatch.index() + 1 == training::microbatches_of(config_)));
  }

  // The largest number of microbatches, chosen in that way, whose costs are at most `budget`.
  [[nodiscard]] std::int32_t affordable(const std::vector<std::int64_t>& costs, std::int64_t budget) const {
    std::int32_t most = 0;
    std::int64_t first = 0;
    for (std::int32_t n = 1; n <= length_of(costs); ++n) {
      if (n != 2) first += costs[at(std::max(n - 2, 0))];
      if (first + (n > 1 ? costs.back() : 0) <= budget) most = n;
    }
    return most;
  }

  // Events of a task at most: itself, a gap before it, and for each of a pair its counters, a transfer and
  // both ends of an arrow.
  [[nodiscard]] std::int64_t events_of(const Slice& slice) const {
    return slice.kind != SliceKind::task ? 1 : 2 + (slice.is_pair ? 2 : 1) * (memory_.empty() ? 4 : 5);
  }

  // All tasks, and ops with what is left. Where that is not one microbatch's ops, a quarter is for ops, and
  // tasks have the rest.
  void choose_microbatches() {
    std::vector<std::int64_t> tasks(at(training::microbatches_of(config_))), ops(tasks.size());
    std::int64_t budget = request_.most_events - out_->events();
    for (std::size_t i = 0; i < timeline_.slices.size(); ++i) {
      const Slice& slice = timeline_.slices[i];
      if (!is_drawn(slice.stage)) continue;
      if (owner_[i].is_none()) {
        budget -= 2 * copies(slice.stage);  // itself, and a gap before it
        continue;
      }
      tasks[at(owner_[i])] += events_of(slice) * copies(slice.stage);
      for (const workload::BlockRun& run : simulate::placed_runs(slice, step_))
        ops[at(owner_[i])] += run.count * std::ssize(timeline_.blocks[at(run.block)]) * copies(slice.stage);
    }
    ECHO_EXPECT(budget >= 0);
    const std::int64_t all = std::accumulate(tasks.begin(), tasks.end(), std::int64_t{0});
    if (request_.has_ops) {
      with_ops_ = affordable(ops, budget - all);
      if (with_ops_ == 0) with_ops_ = affordable(ops, budget / 4);
    }
    std::int64_t spent = 0;
    for (std::size_t i = 0; i < ops.size(); ++i)
      if (is_chosen(MicrobatchId(static_cast<std::int32_t>(i)), with_ops_)) spent += ops[i];
    with_tasks_ = affordable(tasks, budget - spent);
    with_ops_ = std::min(with_ops_, with_tasks_);
  }

  static std::string exposed_of(const Slice& slice) {
    std::string parts;
    for (std::size_t i = 0; i < time_category_count; ++i)
      if (slice.exposed[i] != SimTime::zero())
        parts += fmt::format("{}\"{}\":{}", parts.empty() ? "" : ",", time_category_names[i],
                             microseconds(slice.exposed[i]));
    return fmt::format(R"("exposed_us":{{{}}})", parts);
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
    args += exposed_of(slice);
    close_gap();
    for (const DrawnProcess& process : processes_[at(slice.stage)])
      out_->slice({process.number, step_thread}, name, look.category, slice.start, slice.end, look.colour,
                  args);
    if (slice.kind != SliceKind::task) return;
    follow(slice, true);
    if (is_chosen(slice.task.microbatch, with_ops_)) draw_ops(slice);
  }

  // Slices that follow each other on a stage and are not drawn are one of the time that they take.
  void leave_out(const Slice& slice) {
    if (gap_ && gap_->stage != slice.stage) close_gap();
    if (!gap_) gap_ = Slice{.stage = slice.stage, .start = slice.start};
    gap_->end = slice.end;
    for (std::size_t i = 0; i < time_category_count; ++i) gap_->exposed[i] += slice.exposed[i];
    if (slice.kind == SliceKind::task) follow(slice, false);
  }

  void close_gap() {
    if (!gap_) return;
    for (const DrawnProcess& process : processes_[at(gap_->stage)])
      out_->slice({process.number, step_thread}, "microbatches that are not drawn (--max-events)", "omitted",
                  gap_->start, gap_->end, "grey", exposed_of(*gap_));
    gap_.reset();
  }

  // Side effects of a task: counters and transfers.
  void follow(const Slice& slice, bool is_shown) {
    const auto one = [&](const Task& task) {
      if (task.kind == TaskKind::forward) count_held(slice.stage, slice.start, 1, is_shown);
      if (task.kind == TaskKind::backward || task.kind == TaskKind::backward_weight)
        count_held(slice.stage, slice.end, -1, is_shown);
      if (task.kind != TaskKind::backward_weight) hand_on(slice, task, is_shown);
    };
    one(slice.task);
    if (slice.is_pair) one(slice.partner);
  }

  void count_held(std::int32_t stage, SimTime now, std::int32_t change, bool is_shown) {
    const std::int32_t held = held_[stage] += change;
    if (!is_shown) return;
    for (const DrawnProcess& process : processes_[at(stage)])
      out_->counter(process.number, "activations held (chunks)", now, held);
    if (memory_.empty()) return;
    constexpr double gib = 1073741824.0;
    const training::MemoryUse& use = memory_[at(stage)];
    const double activations = static_cast<double>(use.part[at(training::MemoryPart::activations)].value);
    const double rest = static_cast<double>(use.total().value) - activations;
    const std::int32_t most = std::max(1, most_held(stage));
    for (const DrawnProcess& process : processes_[at(stage)])
      out_->counter(process.number, "memory (GiB)", now, (rest + activations * held / most) / gib);
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
  void hand_on(const Slice& slice, const Task& task, bool is_shown) {
    const bool down = task.kind == TaskKind::forward;
    const ChunkId next = task.chunk + (down ? 1 : -1);
    const auto reader = readers_.find({down, next, task.microbatch});
    if (reader == readers_.end() || reader->second.stage == slice.stage) return;
    if (next.index() / chunks_of_copy_ != task.chunk.index() / chunks_of_copy_) return;
    const std::size_t border = at(down ? task.chunk : task.chunk - 1);
    SimTime& link = links_[{slice.stage, down}];
    const SimTime leaves = std::max(link, slice.end);
    link = leaves + (down ? step_.prices.hop_forward[border] : step_.prices.hop_backward[border]);
    if (!is_shown) return;
    constexpr SimTime inside{1000};  // an arrow starts within its slice
    for (const DrawnProcess& process : processes_[at(slice.stage)]) {
      out_->slice({process.number, down ? down_thread : up_thread}, name_of(task), "pp_comm", leaves, link);
      for (const DrawnProcess& to : processes_[at(reader->second.stage)])
        if (to.is_rank == process.is_rank && to.place == process.place)
          out_->arrow({process.number, step_thread}, std::max(slice.start, slice.end - inside),
                      {to.number, step_thread}, reader->second.start);
    }
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
    for (const DrawnProcess& process : processes_[at(stage)])
      out_->slice({process.number, first_lane_thread + static_cast<std::int32_t>(op.lane)}, name,
                  time_category_names[at(op.part)], from + op.start, from + op.end, {},
                  fmt::format("\"alone_us\":{}", microseconds(alone)));
  }

  const simulate::StepTimeline& timeline_;
  const SimulatedStep& step_;
  const training::TrainingConfig& config_;
  std::span<const training::MemoryUse> memory_;
  const TraceRequest& request_;
  const std::vector<std::vector<DrawnProcess>> processes_ =
      drawn_processes(step_.layout, request_);  // [stages]
  TraceEvents* out_ = nullptr;
  std::map<Reader, Place> readers_;
  std::map<std::pair<std::int32_t, bool>, SimTime> links_;  // (stage, downwards): its last transfer ended
  std::map<std::int32_t, std::int32_t> held_, most_held_;
  const std::int32_t chunks_of_copy_ =
      static_cast<std::int32_t>(step_.composed.chunks.size()) / step_.layout.copies;
  std::vector<MicrobatchId> owner_;  // [timeline_.slices]
  std::optional<Slice> gap_;         // since the last slice drawn
  std::int32_t with_tasks_ = 0, with_ops_ = 0;
};

}  // namespace

TraceSize trace_step(const simulate::StepTimeline& timeline, const SimulatedStep& step,
                     const training::TrainingConfig& config, std::span<const training::MemoryUse> memory,
                     std::string_view title, const TraceRequest& request, const std::filesystem::path& path) {
  StepTrace drawing(timeline, step, config, memory, request);
  if (const std::int64_t least = drawing.least_events(); least > request.most_events)
    throw UserError(fmt::format("{} events do not suffice for the names and ends of the stages drawn",
                                request.most_events),
                    fmt::format("--max-events {} or more, or fewer --stages or --ranks", least));
  TraceFile file(path);
  TraceEvents events(file,
                     fmt::format(R"("title":{},"step_us":{},"critical_stage":{})", text::json_text(title),
                                 microseconds(timeline.report.step), timeline.report.critical_stage));
  TraceSize size = drawing.draw(events);
  events.finish();
  size.events = events.events();
  return size;
}

}  // namespace echo::explain
