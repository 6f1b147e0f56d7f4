// Zero-bubble orders by list scheduling.
//
// Problem. Which forward (F), input gradient (B) or weight gradient (W) a stage runs next, so that no stage
// waits, within a limit of activations held. Optimal orders need an integer program; the paper gives a
// heuristic that comes close.
//
// Idea. The step is played through in time, no transfers: always the stage that can decide first does. Greedy
// stages run a B if its input is there, an F if memory allows, both in turn, else a W; so the warm-up is as
// many F as memory allows, and W fill waits and make room. The paper's heuristic has yes-or-no choices that
// help or hurt by shape; like it, we play a few rules through and keep the best plan. Rules with an order
// fixed in advance (1F1B with W at once, ZB-H1, ZB-H2) are among them, so the plan is never worse than these.
// With two chunks on a stage in a V memory must be shared well between them: woven plans follow a timetable
// of what is ideally when, and again W fill waits and make room. Others tried (backwards always first, other
// slopes of the timetable, out of its order where it waits) gained under 0.1 % of a step on average over
// random shapes with uneven stages.
//
// Free of deadlock: tasks of one kind and chunk run in microbatch order. Greedy, the oldest unfinished
// microbatch can always go on, since what holds memory in its way is older, so done but for W, which a full
// stage runs. Woven, the task first in the timetable has its input, and room: by the timetable a stage holds
// no more than the limit (v-zb: chunk c < stages is held for 12 (stages - 1) - 6 c + 3 and its partner for
// 6 c + 1 sixths of a round, at most 2 stages in all), and what it has run beyond are W. Only the filled
// warm-up has no such proof; a plan that gets stuck is dropped.
//
// Source: Qi et al., "Zero Bubble Pipeline Parallelism", arXiv 2401.10241, section 3.1; the longest turn is
// its cost, section 4. Timetables: Qi et al., "Pipeline Parallelism with Controllable Memory", arXiv
// 2405.15362, section 3 (their building blocks; offsets as in its repository, sail-sg/zero-bubble).
// Neglected: transfers, traffic of gradients and weights (the plan uses each chunk's usual times).
#include "timeline/planned.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/contract.hpp"
#include "timeline/stage.hpp"

namespace echo::timeline {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr SimTime never{std::numeric_limits<std::int64_t>::max()};

struct StagePlan {
  SimTime wake{};                // when it decides next
  SimTime first{never}, last{};  // its turn
  std::int32_t forwards = 0, backwards = 0, weights = 0;
  TaskKind previous = TaskKind::backward_weight;
};

struct Turn {
  SimTime longest{}, end{};
};

// Kept between calls so that planning allocates nothing once warm; every plan starts from scratch.
struct Buffers {
  std::vector<std::int32_t> chunks, chunks_at;  // by stage, in the order visited; [stages + 1] where
  std::vector<std::int32_t> done;               // [3 * chunks] tasks run of a leg
  std::vector<SimTime> ready;  // [2 * chunks][microbatches] when the output of a leg is there
  std::vector<StagePlan> stages;
  std::vector<Task> tasks;           // [stages][most tasks of a stage]
  std::vector<std::int32_t> placed;  // [stages] how many of them
};

// How many sixths of a round after its first leg a microbatch starts this one, by the timetable. V-ZB: a leg
// passes to the next stage three sixths after the stage before, or at once at either end of the V. V-Half:
// two sixths going down and one going up. V-Min: one. The pause before the backwards keeps the four legs of a
// stage from falling due together.
std::int64_t starts_after(Rule::Timetable timetable, std::int32_t leg, std::int32_t stages) {
  const std::int32_t way = leg / stages, i = leg % stages;  // down, up, and the same for backwards
  switch (timetable) {
    case Rule::Timetable::v_zb:
      break;
    case Rule::Timetable::v_half: {
      const std::int32_t pause = stages % 2 == 0 ? 3 : 0;
      const std::int32_t from[] = {0, 2 * stages - 1, 3 * stages + pause - 1, 5 * stages + pause - 1};
      return from[way] + (way % 2 == 0 ? 2 * i : i);
    }
    case Rule::Timetable::v_min: {
      const std::int32_t pause = stages % 3 == 0 ? 2 : 0;
      return leg + (way >= 2 ? pause : 0);
    }
  }
  return 3 * leg - 2 * way;
}

class Planner {
 public:
  Planner(const PipelineShape& shape, std::span<const ChunkTimes> times, std::int32_t limit, Buffers& buffers)
      : shape_(shape), times_(times), limit_(limit), b_(buffers) {
    b_.chunks.clear(), b_.chunks_at.assign(1, 0);
    for (std::int32_t s = 0; s < shape.stages; ++s) {
      for (std::int32_t c = 0; c < shape.chunks; ++c)
        if (shape.stage_of_chunk[at(c)] == s) b_.chunks.push_back(c);
      b_.chunks_at.push_back(static_cast<std::int32_t>(b_.chunks.size()));
    }
    ECHO_EXPECT(limit >= shape.chunks / shape.stages);
  }

  // How long the turns are; never, where the plan gets stuck.
  Turn plan(const Rule& rule) {
    const std::int32_t tasks = 3 * shape_.chunks * shape_.microbatches;
    b_.done.assign(at(3 * shape_.chunks), 0);
    b_.ready.resize(at(2 * shape_.chunks * shape_.microbatches));
    b_.stages.assign(at(shape_.stages), StagePlan{});
    b_.tasks.resize(at(tasks));
    b_.placed.assign(at(shape_.stages), 0);
    for (std::int32_t left = tasks; left > 0;) {
      const auto stage = static_cast<std::int32_t>(
          std::min_element(b_.stages.begin(), b_.stages.end(),
                           [](const StagePlan& a, const StagePlan& b) { return a.wake < b.wake; }) -
          b_.stages.begin());
      const SimTime now = b_.stages[at(stage)].wake;
      if (now == never) return {never, never};
      soonest_ = never;
      const std::int32_t leg = rule.kind == Rule::Kind::paced    ? paced(rule, stage, now)
                               : rule.kind == Rule::Kind::greedy ? greedy(stage, now)
                                                                 : woven(rule, stage, now);
      if (leg < 0) {
        b_.stages[at(stage)].wake = soonest_;
      } else {
        run(stage, leg, now), --left;
      }
    }
    Turn turn;
    for (const StagePlan& stage : b_.stages) {
      turn.longest = std::max(turn.longest, stage.last - stage.first);
      turn.end = std::max(turn.end, stage.last);
    }
    return turn;
  }

  void read_out(Csr<Task>& out) const {
    out.clear();
    for (std::int32_t s = 0; s < shape_.stages; ++s) {
      const auto first = b_.tasks.begin() + row(s);
      out.value.insert(out.value.end(), first, first + b_.placed[at(s)]);
      out.close_row();
    }
  }

 private:
  [[nodiscard]] std::int32_t row(std::int32_t stage) const {
    return 3 * shape_.microbatches * b_.chunks_at[at(stage)];
  }
  [[nodiscard]] std::span<const std::int32_t> chunks_of(std::int32_t stage) const {
    const std::int32_t begin = b_.chunks_at[at(stage)], end = b_.chunks_at[at(stage + 1)];
    return std::span<const std::int32_t>(b_.chunks).subspan(at(begin), at(end - begin));
  }
  [[nodiscard]] std::int32_t forward_leg(std::int32_t chunk) const { return chunk; }
  [[nodiscard]] std::int32_t backward_leg(std::int32_t chunk) const { return 2 * shape_.chunks - 1 - chunk; }
  [[nodiscard]] std::int32_t weight_leg(std::int32_t chunk) const { return 2 * shape_.chunks + chunk; }

  [[nodiscard]] SimTime duration(std::int32_t leg) const {
    const ChunkTimes& time = times_[at(chunk_of(leg, shape_.chunks))];
    return leg < shape_.chunks       ? time.forward
           : leg < 2 * shape_.chunks ? time.backward_input
                                     : time.backward_weight;
  }

  // Whether the leg's next task has its input; notes when it will where that is known.
  bool has_input(std::int32_t leg, SimTime now) {
    const std::int32_t microbatch = b_.done[at(leg)];
    if (microbatch == shape_.microbatches) return false;
    if (leg == 0) return true;
    if (b_.done[at(leg - 1)] <= microbatch) return false;
    const SimTime there = b_.ready[at((leg - 1) * shape_.microbatches + microbatch)];
    if (there <= now) return true;
    soonest_ = std::min(soonest_, there);
    return false;
  }

  std::int32_t paced(const Rule& rule, std::int32_t stage, SimTime now) {
    const StagePlan& own = b_.stages[at(stage)];
    const std::int32_t chunk = chunks_of(stage).front(), m = shape_.microbatches;
    const std::int32_t window = rule.window * (shape_.stages - stage) + rule.window_shift;
    if (own.weights == m) return -1;
    if (own.backwards == m || own.backwards - own.weights > rule.delay * stage) return weight_leg(chunk);
    const bool forward = own.forwards < m && own.forwards - own.backwards < window;
    const std::int32_t leg = forward ? forward_leg(chunk) : backward_leg(chunk);
    return has_input(leg, now) ? leg : -1;
  }

  std::int32_t greedy(std::int32_t stage, SimTime now) {
    const StagePlan& own = b_.stages[at(stage)];
    const std::int32_t chunk = chunks_of(stage).front();
    const bool room = own.forwards - own.weights < limit_;
    const bool forward = room && has_input(forward_leg(chunk), now);
    const bool backward = has_input(backward_leg(chunk), now);
    if (backward && (!forward || own.previous == TaskKind::forward)) return backward_leg(chunk);
    return forward ? forward_leg(chunk) : oldest_weights(stage);
  }

  std::int32_t woven(const Rule& rule, std::int32_t stage, SimTime now) {
    const StagePlan& own = b_.stages[at(stage)];
    const std::int32_t down = chunks_of(stage).front(), up = chunks_of(stage).back();
    std::array legs{forward_leg(down), forward_leg(up), backward_leg(up), backward_leg(down)};
    std::sort(legs.begin(), legs.end(),
              [&](std::int32_t a, std::int32_t b) { return due(rule, a) < due(rule, b); });
    const std::int32_t weights = oldest_weights(stage), held = own.forwards - own.weights;
    for (const std::int32_t leg : legs) {
      if (b_.done[at(leg)] == shape_.microbatches) continue;
      if (leg < shape_.chunks && held == limit_) {
        if (weights >= 0) return weights;
        continue;
      }
      if (has_input(leg, now)) return leg;
      break;
    }
    // One place is left for a forward on the way up.
    if (rule.fills_warm_up && own.backwards == 0 && held + 2 <= limit_ && has_input(forward_leg(down), now))
      return forward_leg(down);
    const bool waits = weights >= 0 && rule.patient && soonest_ != never;
    return waits && soonest_ - now < duration(weights) ? -1 : weights;
  }

  // When the leg's next task starts by the timetable, in sixths of a round: a round has six tasks on a stage.
  [[nodiscard]] std::int64_t due(const Rule& rule, std::int32_t leg) const {
    return starts_after(rule.timetable, leg, shape_.stages) + std::int64_t{6} * b_.done[at(leg)];
  }

  // The leg of the oldest weight gradient that can run; -1: none.
  [[nodiscard]] std::int32_t oldest_weights(std::int32_t stage) const {
    std::int32_t oldest = -1;
    for (const std::int32_t chunk : chunks_of(stage)) {
      const std::int32_t leg = weight_leg(chunk);
      if (b_.done[at(leg)] == b_.done[at(backward_leg(chunk))]) continue;
      if (oldest < 0 || b_.done[at(leg)] < b_.done[at(oldest)]) oldest = leg;
    }
    return oldest;
  }

  void run(std::int32_t stage, std::int32_t leg, SimTime now) {
    StagePlan& own = b_.stages[at(stage)];
    const std::int32_t chunk = chunk_of(leg, shape_.chunks), microbatch = b_.done[at(leg)]++;
    const SimTime end = now + duration(leg);
    const TaskKind kind = leg < shape_.chunks       ? TaskKind::forward
                          : leg < 2 * shape_.chunks ? TaskKind::backward_input
                                                    : TaskKind::backward_weight;
    (kind == TaskKind::forward          ? own.forwards
     : kind == TaskKind::backward_input ? own.backwards
                                        : own.weights)++;
    if (kind != TaskKind::backward_weight) own.previous = kind;
    own.first = std::min(own.first, now);
    own.last = own.wake = end;
    b_.tasks[at(row(stage) + b_.placed[at(stage)]++)] = {kind, chunk, microbatch};
    if (leg >= 2 * shape_.chunks) return;
    b_.ready[at(leg * shape_.microbatches + microbatch)] = end;
    if (leg + 1 == 2 * shape_.chunks) return;
    // Whoever sleeps until its input is known looks again when it is there.
    StagePlan& next = b_.stages[at(shape_.stage_of_chunk[at(chunk_of(leg + 1, shape_.chunks))])];
    next.wake = std::min(next.wake, std::max(next.last, end));
  }

  const PipelineShape& shape_;
  const std::span<const ChunkTimes> times_;
  const std::int32_t limit_;
  Buffers& b_;
  SimTime soonest_{never};  // when the next input that is known of is there
};

}  // namespace

void order_planned(const PipelineShape& shape, std::span<const ChunkTimes> times, std::int32_t limit,
                   std::span<const Rule> rules, Csr<Task>& out) {
  static thread_local Buffers buffers;
  Planner planner(shape, times, limit, buffers);
  Turn best;
  SimTime latest{};
  for (const Rule& rule : rules) {
    const bool is_first = &rule == rules.data();
    const Turn turn = planner.plan(rule);
    if (is_first) latest = turn.end;
    if (is_first) ECHO_EXPECT(turn.end != never);
    const bool better = turn.longest < best.longest || (turn.longest == best.longest && turn.end < best.end);
    if (!is_first && (turn.end > latest || !better)) continue;
    best = turn;
    planner.read_out(out);
  }
}

}  // namespace echo::timeline
