// The naive simulator: every gpu rank of the world by itself, every op of every layer of every microbatch. A
// collective starts when its last member is ready, a hop goes from one rank to another. Nothing is collapsed,
// folded or summed. Shared with the fast path: the op lists of blocks, their prices, and the schedule's
// order. Without slowdown: lanes then do not change each other's rates.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "base/at.hpp"
#include "simulate/step/compose_step.hpp"
#include "simulate/step/workspace.hpp"
#include "timeline/schedule.hpp"

namespace echo::simulate {

struct RankTimes {
  SimTime compute_end{}, step_end{};
};

class AllRanksTwin {
 public:
  // schedule: as schedule_of() gives it.
  AllRanksTwin(const training::TrainingConfig& config, const timeline::Schedule& schedule,
               const training::FrameworkSpec& framework, const Workspace& ws)
      : config_(config),
        framework_(framework),
        ws_(ws),
        schedule_(schedule),
        shape_(pipeline_shape(config, ws.step.layout, schedule_)) {
    timeline::order_of(schedule_, shape_, ws.step.composed.passes.chunks, order_);
  }

  // `slow`: one rank's ops of its compute lane take that much longer each.
  std::vector<RankTimes> run(std::int32_t slow_rank = -1, SimTime slow = {}) {
    slow_rank_ = slow_rank, slow_ = slow;
    const std::int32_t world = training::gpus_of(config_.degrees);
    replica_ = world / config_.degrees.pipeline;
    ranks_.assign(at(world), Rank{});
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int32_t r = 0; r < world; ++r)
        while (advance(r)) moved = true;
    }
    std::vector<RankTimes> times;
    for (const Rank& rank : ranks_) {
      if (!rank.finished) return {};  // a deadlock
      times.push_back({rank.compute_end, rank.clock});
    }
    return times;
  }

 private:
  struct Op {
    Lane lane{};
    WorkId work;
    std::vector<OpId> needs;
  };
  struct Rank {
    std::size_t task = 0;                   // next of its stage's order
    std::vector<Op> ops;                    // of the task in hand
    std::vector<std::size_t> block_starts;  // ops that begin a block
    std::size_t op = 0;                     // next of these
    std::vector<SimTime> ends;              // of the ops of the block in hand
    std::size_t block_first = 0;
    SimTime entry{};
    std::map<Lane, SimTime> free;
    std::map<std::vector<std::int32_t>, std::int32_t> calls;  // of each group, so far
    SimTime clock{}, sent{}, compute_end{};
    std::size_t tail = 0;
    bool in_task = false, posted = false, finished = false;
  };
  struct Meeting {
    std::set<std::int32_t> there;
    SimTime ready{};
  };
  using Call = std::pair<std::vector<std::int32_t>, std::int32_t>;

  // --- who takes part
  // ------------------------------------------------------------------------------------------- Ranks base,
  // base + stride, ... of the same stage (or of the world, for groups that cross stages).
  [[nodiscard]] std::vector<std::int32_t> members(std::int32_t rank, const machine::GroupSpan& group,
                                                  std::int32_t within) const {
    const std::int32_t first = rank / within * within, local = rank - first;
    const std::int32_t base = local - local / group.stride % group.ranks * group.stride;
    std::vector<std::int32_t> all;
    for (std::int32_t i = 0; i < group.ranks; ++i) all.push_back(first + base + i * group.stride);
    return all;
  }
  // Ranks of the stage that differ from this one only in their place in the sequence.
  [[nodiscard]] std::vector<std::int32_t> ring_of(std::int32_t rank) const {
    return members(rank, {.ranks = config_.degrees.context, .stride = config_.degrees.tensor}, replica_);
  }
  [[nodiscard]] std::vector<std::int32_t> model_of(std::int32_t rank) const {
    std::vector<std::int32_t> all;
    const std::int32_t t = config_.degrees.tensor, base = rank % replica_ / t * t;
    for (std::int32_t stage = 0; stage < config_.degrees.pipeline; ++stage)
      for (std::int32_t i = 0; i < t; ++i) all.push_back(stage * replica_ + base + i);
    return all;
  }
  [[nodiscard]] std::vector<std::int32_t> ends_of(std::int32_t rank) const {
    const std::int32_t local = rank % replica_;
    return {local, (config_.degrees.pipeline - 1) * replica_ + local};
  }
  // The ranks of both stages that hold the same chunks of two copies of the model.
  [[nodiscard]] std::vector<std::int32_t> mirrors_of(std::int32_t rank) const {
    const std::int32_t stage = stage_of(rank), other = config_.degrees.pipeline - 1 - stage,
                       local = rank % replica_;
    return {std::min(stage, other) * replica_ + local, std::max(stage, other) * replica_ + local};
  }
  [[nodiscard]] std::int32_t kernels() const {
    return static_cast<std::int32_t>(ws_.step.work.kernels.size());
  }
  [[nodiscard]] const ops::CollectiveQuery& query(WorkId work) const {
    return ws_.step.work.collectives[at(collective_of(work, kernels()))];
  }
  [[nodiscard]] std::vector<std::int32_t> party(std::int32_t rank, const Op& op) const {
    if (op.lane == Lane::compute || is_kernel(op.work, kernels())) return {rank};
    const ops::CollectiveQuery& asked = query(op.work);
    if (asked.kind == ops::CollectiveKind::send_recv)
      return op.lane == Lane::context ? ring_of(rank) : std::vector{rank};
    return members(rank, asked.group, replica_);
  }

  // --- the program of a rank
  // ------------------------------------------------------------------------------------
  [[nodiscard]] std::int32_t stage_of(std::int32_t rank) const { return rank / replica_; }

  void append_runs(Rank& rank, std::span<const workload::BlockRun> runs) const {
    for (const workload::BlockRun& run : runs)
      for (std::int32_t i = 0; i < run.count; ++i) append_block(rank, run.block);
  }
  void append_block(Rank& rank, BlockId block) const {
    const workload::OpGraph& graph = ws_.step.work.blocks[at(block)];
    rank.block_starts.push_back(rank.ops.size());
    for (std::int32_t i = 0; i < graph.size(); ++i) {
      const auto needs = graph.needs.row(i);
      rank.ops.push_back({graph.lane[at(i)], graph.work[at(i)], {needs.begin(), needs.end()}});
    }
  }
  [[nodiscard]] std::int32_t copies_chunks() const { return shape_.chunks / schedule_.copies; }
  [[nodiscard]] bool is_last(const timeline::Task& task) const {
    return task.microbatch.index() + 1 == shape_.microbatches / schedule_.copies;
  }

  void load(Rank& rank, const timeline::Task& task, const timeline::Task* partner) const {
    rank.ops.clear(), rank.block_starts.clear();
    const workload::Workload& work = ws_.step.work;
    const std::size_t chunk = at(task.chunk);
    using timeline::TaskKind;
    if (partner != nullptr && work.pairs.rows() == 0) {  // one after the other
      append_runs(rank, work.forward.row(task.chunk));
      append_runs(rank, work.backward.row(partner->chunk));
      if (work.input_gradients.rows() == 0) append_runs(rank, work.weight_gradients.row(partner->chunk));
      return;
    }
    if (partner != nullptr) {
      std::int32_t row =
          0;  // rows of one forward chunk follow each other, one for each backward of its stage
      for (std::int32_t f = 0; f <= task.chunk.index(); ++f)
        for (std::int32_t b = 0;
             b < shape_.chunks && !(f == task.chunk.index() && b == partner->chunk.index()); ++b)
          row += shape_.stage_of_chunk[at(f)] == shape_.stage_of_chunk[at(b)];
      return append_runs(rank, work.pairs.row(row));
    }
    if (task.kind == TaskKind::forward) return append_runs(rank, work.forward.row(task.chunk));
    const bool some_split = work.input_gradients.rows() > 0;  // then backward holds whole ones
    if (task.kind == TaskKind::backward_input)
      return append_runs(rank, (some_split ? work.input_gradients : work.backward).row(task.chunk));
    if (task.kind == TaskKind::backward && is_last(task) && !work.last_backward[chunk].is_none())
      return append_block(rank, work.last_backward[chunk]);
    if (task.kind == TaskKind::backward) append_runs(rank, work.backward.row(task.chunk));
    if (task.kind == TaskKind::backward_weight || !some_split)
      append_runs(rank, work.weight_gradients.row(task.chunk));
  }

  // The task whose output this one reads; none where it starts a microbatch.
  [[nodiscard]] std::optional<std::tuple<bool, ChunkId, MicrobatchId>> input_of(
      const timeline::Task& t) const {
    const std::int32_t place = t.chunk.index() % copies_chunks();
    if (t.kind == timeline::TaskKind::forward) {
      if (place == 0) return std::nullopt;
      return std::tuple(true, t.chunk - 1, t.microbatch);
    }
    if (place == copies_chunks() - 1) return std::tuple(true, t.chunk, t.microbatch);
    return std::tuple(false, t.chunk + 1, t.microbatch);
  }

  // --- running
  // -------------------------------------------------------------------------------------------------- One
  // op, task border or tail run of the rank; false where it waits for others or is done.
  bool advance(std::int32_t r) {
    Rank& rank = ranks_[at(r)];
    if (rank.finished) return false;
    if (rank.in_task) return rank.op < rank.ops.size() ? run_op(r, rank) : end_task(r, rank);
    if (rank.task < order_.row(stage_of(r)).size()) return start_task(r, rank);
    return run_tail(r, rank);
  }

  bool start_task(std::int32_t r, Rank& rank) {
    const auto order = order_.row(stage_of(r));
    const timeline::Task& task = order[rank.task];
    const timeline::Task* partner = task.with_next ? &order[rank.task + 1] : nullptr;
    std::vector<std::pair<SimTime, SimTime>> inputs;  // done at the sender's, and the hop to here
    for (const timeline::Task* one : {&task, partner}) {
      if (one == nullptr || one->kind == timeline::TaskKind::backward_weight) continue;
      const auto input = input_of(*one);
      if (!input) continue;
      const auto there = arrived_.find({r, *input});
      if (there == arrived_.end()) return false;
      inputs.push_back(there->second);
    }
    // Blocking transfers come one after the other, first come, first served.
    std::ranges::stable_sort(inputs, {}, &std::pair<SimTime, SimTime>::first);
    SimTime start = rank.clock;
    for (const auto& [done, hop] : inputs)
      start = config_.overlap.pipeline ? std::max(start, done + hop) : std::max(start, done) + hop;
    start = std::max(start, rank.sent);
    load(rank, task, partner);
    rank.free[Lane::compute] = rank.entry = start;
    rank.op = 0, rank.in_task = true;
    return true;
  }

  bool run_op(std::int32_t r, Rank& rank) {
    const Op& op = rank.ops[rank.op];
    if (std::ranges::count(rank.block_starts, rank.op) > 0 && !rank.posted) {
      rank.block_first = rank.op, rank.entry = rank.free[Lane::compute];
      rank.ends.clear();
    }
    SimTime ready = std::max(rank.free[op.lane], rank.entry);
    for (const OpId need : op.needs) ready = std::max(ready, rank.ends[at(need)]);
    const auto begin = meet(r, rank, party(r, op), ready);
    if (!begin) return false;
    SimTime end = *begin + ws_.step.prices.alone[at(op.work)];
    if (r == slow_rank_ && op.lane == Lane::compute) end += slow_;
    rank.ends.push_back(rank.free[op.lane] = end);
    ++rank.op;
    return true;
  }

  // When all of `all` are ready; nothing while some are not there yet.
  std::optional<SimTime> meet(std::int32_t r, Rank& rank, const std::vector<std::int32_t>& all,
                              SimTime ready) {
    if (all.size() == 1) return ready;
    const Call call{all, rank.calls[all]};
    Meeting& meeting = meetings_[call];
    meeting.ready = std::max(meeting.ready, ready);
    meeting.there.insert(r);
    rank.posted = true;
    if (meeting.there.size() < all.size()) return std::nullopt;
    rank.posted = false;
    ++rank.calls[all];
    return meeting.ready;
  }

  bool end_task(std::int32_t r, Rank& rank) {
    const auto order = order_.row(stage_of(r));
    const timeline::Task& task = order[rank.task];
    rank.clock = rank.sent = rank.free[Lane::compute];
    const std::size_t tasks = task.with_next ? 2 : 1;
    for (std::size_t i = 0; i < tasks; ++i) hand_on(r, rank, order[rank.task + i]);
    rank.compute_end = rank.sent;
    rank.task += tasks;
    rank.in_task = false;
    return true;
  }

  void hand_on(std::int32_t r, Rank& rank, const timeline::Task& task) {
    if (task.kind == timeline::TaskKind::backward_weight) return;
    const bool forward = task.kind == timeline::TaskKind::forward;
    const std::tuple output(forward, task.chunk, task.microbatch);
    const std::int32_t chunk = task.chunk.index(), next = chunk + (forward ? 1 : -1);
    const std::int32_t per = copies_chunks();
    SimTime hop{};
    std::int32_t reader = r;
    if (next >= 0 && next < shape_.chunks && next / per == chunk / per) {
      const std::int32_t to = shape_.stage_of_chunk[at(next)];
      reader = to * replica_ + r % replica_;
      const std::size_t border = at(std::min(next, chunk));
      if (to != stage_of(r))
        hop = forward ? ws_.step.prices.hop_forward[border] : ws_.step.prices.hop_backward[border];
    }
    if (config_.overlap.pipeline && hop > SimTime::zero()) {
      SimTime& link = links_[{r, forward}];
      const SimTime leaves = std::max(link, rank.clock);
      link = leaves + hop;
      arrived_[{reader, output}] = {leaves, hop};
      return;
    }
    arrived_[{reader, output}] = {rank.sent, hop};
    if (!config_.overlap.pipeline) rank.sent += hop;
  }

  // Gradients, norm, update: collectives of whoever holds what this rank holds.
  bool run_tail(std::int32_t r, Rank& rank) {
    const std::int32_t stage = stage_of(r);
    const workload::StepTail& tail = ws_.step.work.tail;
    std::vector<std::pair<workload::WorkRun, bool>> runs;  // and whether it is the norm's agreement
    for (const workload::WorkRun& run : tail.gradients.row(stage)) runs.emplace_back(run, false);
    for (const workload::WorkRun& run : tail.grad_norm.row(stage)) runs.emplace_back(run, true);
    for (const workload::WorkRun& run : tail.update.row(stage)) runs.emplace_back(run, false);
    if (rank.tail == 0 && !rank.posted) rank.clock = rank.sent;
    if (rank.tail == runs.size()) {
      rank.clock += framework_.host_per_step;
      rank.finished = true;
      return true;
    }
    const auto& [run, agrees] = runs[rank.tail];
    std::vector<std::int32_t> all{r};
    if (!run.is_kernel) {
      const machine::GroupSpan& group = query(run.work).group;
      all = agrees                                                                            ? model_of(r)
            : !ws_.step.layout.mirrors.empty() && group == ws_.step.layout.mirrors[at(stage)] ? mirrors_of(r)
            : group == ws_.step.layout.embedding && config_.degrees.pipeline > 1
                ? ends_of(r)
                : members(r, group, replica_);
    }
    const auto begin = meet(r, rank, all, rank.clock);
    if (!begin) return false;
    rank.clock = *begin + run.count * ws_.step.prices.alone[at(run.work)];
    ++rank.tail;
    return true;
  }

  const training::TrainingConfig& config_;
  const training::FrameworkSpec& framework_;
  const Workspace& ws_;
  const timeline::Schedule schedule_;
  timeline::PipelineShape shape_;
  Csr<timeline::Task> order_;
  std::vector<Rank> ranks_;
  std::map<Call, Meeting> meetings_;
  std::map<std::pair<std::int32_t, std::tuple<bool, ChunkId, MicrobatchId>>, std::pair<SimTime, SimTime>>
      arrived_;
  std::map<std::pair<std::int32_t, bool>, SimTime> links_;
  std::int32_t replica_ = 1, slow_rank_ = -1;
  SimTime slow_{};
};

}  // namespace echo::simulate
