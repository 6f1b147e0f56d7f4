// Zero-bubble orders by list scheduling.
//
// Problem. Decide which forward (F), input gradient (B) or weight gradient (W) a stage runs next, so that no
// stage waits, within a limit on activations held. Optimal orders need an integer program; the paper gives a
// heuristic that comes close.
//
// Idea. The step is simulated in time, without transfers; the stage that can decide first always does so.
// Greedy stages run a B if its input is there and an F if memory allows, alternating between the two, else a
// W; so the warm-up has as many F as memory allows, and W fill waits and free memory. The paper's heuristic
// has yes-or-no choices that help or hurt depending on the shape; like it, we simulate a few rules and keep
// the best plan. Rules with an order fixed in advance (1F1B with W at once, ZB-H1, ZB-H2) are among them, so
// the plan is never worse than these. With two chunks on a stage in a V, memory must be shared well between
// them: woven plans follow a timetable of ideal times, and again W fill waits and free memory. Other rules
// that were tried (backwards always first, other slopes of the timetable, out of its order where it waits)
// gained under 0.1 % of a step on average over random shapes with uneven stages.
//
// Free of deadlock: tasks of one kind and chunk run in microbatch order. In greedy plans the oldest
// unfinished microbatch can always continue: whatever holds the memory it needs is older, so only its W is
// left to do, which a full stage runs. In woven plans the first task of the timetable has its input, and
// memory: chunk c < stages is held for 12 (stages - 1) - 6 c + 3 and its partner for 6 c + 1 sixths of a
// round, at most 2 stages in all. Only the filled warm-up has no such proof; a plan that gets stuck is
// dropped.
//
// Folded. The next decision of a rule does not depend on the number of microbatches, only on how far the
// legs of the stages are ahead of each other and on when inputs arrive, so after the warm-up a plan settles
// into a repeating cycle. Once all legs are as far from each other as they were a few microbatches ago, the
// tasks between the two cuts are repeated as often as fits, and only the drain is simulated to its end. The
// order is causal and holds no more memory than the simulated one: each repeat starts from the same counts.
// It equals the order of the full simulation if the times had settled as well; if they had not (stages that
// differ a little, with slack in which they can drift), the full simulation would have moved some tasks
// later on. A rule that does not settle soon is skipped. So the cost of a long plan is about 4 stages
// microbatches, however many there are. Compared with plans simulated in full, over random shapes with
// uneven stages: 9 orders in 10 are the same, the longest turn is 0.02 % longer on average and 2 % at most
// (tests/reference/planned_fold_test.cpp).
//
// Source: Qi et al., "Zero Bubble Pipeline Parallelism", arXiv 2401.10241, section 3.1; the longest turn is
// its cost, section 4. Neglected: transfers, traffic of gradients and weights (the plan uses each chunk's
// usual times).
#include "timeline/patterns/planned.hpp"

#include <algorithm>
#include <array>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/patterns/earliest.hpp"
#include "timeline/pipeline/stage.hpp"

namespace echo::timeline {
namespace {

constexpr SimTime never = Earliest::never;

// A long plan that has not settled after this many times the stages, in microbatches, is dropped.
constexpr std::int32_t patience = 6;

struct StagePlan {
  SimTime first{never}, last{};  // its turn
  std::int32_t forwards = 0, backwards = 0, weights = 0;
  TaskKind previous = TaskKind::backward_weight;
};

struct Turn {
  SimTime longest{}, end{};
};

// The progress of all stages when stage 0 had run some number of first forwards.
struct Cut {
  std::vector<std::int32_t> done;    // [3 * chunks] tasks of a leg
  std::vector<std::int32_t> placed;  // [stages] tasks
  std::vector<SimTime> clock;        // [stages]
};

// Kept between calls so that planning allocates nothing once warm; every plan starts from scratch.
struct Buffers {
  std::vector<std::int32_t> chunks, chunks_at;  // by stage, in the order visited; [stages + 1] where
  std::vector<std::int32_t> done;               // [3 * chunks] tasks run of a leg
  std::vector<SimTime> ready;  // [2 * chunks][microbatches] when the output of a leg is there
  std::vector<StagePlan> stages;
  std::vector<Task> tasks;           // [stages][most tasks of a stage]
  std::vector<std::int32_t> placed;  // [stages] how many of them
  std::vector<std::int64_t> starts;  // [4 * stages] timetable of a woven rule
  Earliest wake;                     // when the stages decide next
  Cut before, after;                 // of the stretch that repeats
};

// The time, in sixths of a round after its first leg, at which a microbatch starts this leg by the
// timetable. A leg takes the stage one sixth, and the next stage starts three sixths after the previous one,
// or at once at either end of the V.
std::int64_t starts_after(std::int32_t leg, std::int32_t stages) { return 3 * leg - 2 * (leg / stages); }

class Planner {
 public:
  Planner(const PipelineShape& shape, std::span<const ChunkTimes> times, std::int32_t limit, Folding folding,
          Buffers& buffers)
      : shape_(shape), times_(times), limit_(limit), folding_(folding), b_(buffers) {
    b_.chunks.clear(), b_.chunks_at.assign(1, 0);
    for (std::int32_t s = 0; s < shape.stages; ++s) {
      for (std::int32_t c = 0; c < shape.chunks; ++c)
        if (shape.stage_of_chunk[at(c)] == s) b_.chunks.push_back(c);
      b_.chunks_at.push_back(static_cast<std::int32_t>(b_.chunks.size()));
    }
    ECHO_EXPECT(limit >= shape.chunks / shape.stages);
  }

  // The length of the turns; `never` where the plan gets stuck, or does not settle soon and is not
  // `patient`.
  Turn plan(const Rule& rule, bool patient) {
    start(rule);
    for (std::int32_t left = 3 * shape_.chunks * microbatches_; left > 0;) {
      const std::int32_t stage = b_.wake.first();
      const SimTime now = b_.wake.time(stage);
      if (now == never) return {never, never};
      soonest_ = never;
      const std::int32_t leg = rule.kind == Rule::Kind::paced    ? paced(rule, stage, now)
                               : rule.kind == Rule::Kind::greedy ? greedy(stage, now)
                                                                 : woven(rule, stage, now);
      if (leg < 0) {
        b_.wake.set(stage, soonest_);
        continue;
      }
      run(stage, leg, now), --left;
      if (leg != 0 || !may_fold_) continue;
      left -= 3 * shape_.chunks * fold();
      if (may_fold_ && !patient && b_.done[0] > patience * shape_.stages) return {never, never};
    }
    return turn();
  }

  void read_out(Csr<Task>& out) const {
    out.clear();
    for (std::int32_t s = 0; s < shape_.stages; ++s) {
      const auto first = b_.tasks.begin() + row(s), last = first + b_.placed[at(s)];
      if (repeats_ == 0) {
        out.value.insert(out.value.end(), first, last);
      } else {
        const auto begin = first + b_.before.placed[at(s)], end = first + b_.after.placed[at(s)];
        out.value.insert(out.value.end(), first, end);
        for (std::int32_t repeat = 1; repeat <= repeats_; ++repeat)
          append(begin, end, repeat * advance_, out);
        append(end, last, repeats_ * advance_, out);
      }
      out.close_row();
    }
  }

 private:
  using TaskAt = std::vector<Task>::const_iterator;
  static void append(TaskAt from, TaskAt to, std::int32_t later, Csr<Task>& out) {
    for (; from != to; ++from) out.value.push_back({from->kind, from->chunk, from->microbatch + later});
  }

  void start(const Rule& rule) {
    microbatches_ = shape_.microbatches;
    may_fold_ = folding_ == Folding::on && plays_are_long(shape_);
    repeats_ = advance_ = 0;
    b_.before.placed.clear();
    b_.done.assign(at(3 * shape_.chunks), 0);
    b_.ready.resize(std::max(b_.ready.size(), at(2 * shape_.chunks * microbatches_)));
    b_.stages.assign(at(shape_.stages), StagePlan{});
    b_.tasks.resize(std::max(b_.tasks.size(), at(3 * shape_.chunks * microbatches_)));
    b_.placed.assign(at(shape_.stages), 0);
    b_.wake.start(shape_.stages);
    if (rule.kind != Rule::Kind::woven) return;
    b_.starts.resize(at(2 * shape_.chunks));
    for (std::int32_t leg = 0; leg < 2 * shape_.chunks; ++leg)
      b_.starts[at(leg)] = starts_after(leg, shape_.stages);
  }

  void cut(Cut& here) const {
    here.done = b_.done, here.placed = b_.placed;
    here.clock.clear();
    for (const StagePlan& stage : b_.stages) here.clock.push_back(stage.last);
  }

  // Called whenever a microbatch has entered. Tests whether all legs are as far from each other as at an
  // earlier cut; if so, lets that stretch repeat and returns the number of microbatches that need not be
  // simulated.
  std::int32_t fold() {
    const std::int32_t entered = b_.done[0], settled = 2 * shape_.stages;
    if (entered < settled || b_.done[at(2 * shape_.chunks - 1)] == 0) return 0;
    if (!b_.before.placed.empty()) {
      const std::int32_t since = entered - b_.before.done[0];
      bool same = true;
      for (std::size_t leg = 0; same && leg < b_.done.size(); ++leg)
        same = b_.done[leg] - b_.before.done[leg] == since;
      if (same) {
        may_fold_ = false;
        advance_ = since;
        repeats_ = (microbatches_ - entered - 1) / advance_;
        if (repeats_ > 0) cut(b_.after);
        microbatches_ -= repeats_ * advance_;
        return repeats_ * advance_;
      }
      if (since < shape_.stages) return 0;
    }
    cut(b_.before);
    return 0;
  }

  // Once settled, all stages run at the pace of the slowest: repeats are charged to all at that pace.
  [[nodiscard]] Turn turn() const {
    SimTime pace{};
    for (std::size_t s = 0; repeats_ > 0 && s < b_.stages.size(); ++s)
      pace = std::max(pace, b_.after.clock[s] - b_.before.clock[s]);
    Turn turn;
    for (const StagePlan& stage : b_.stages) {
      turn.longest = std::max(turn.longest, stage.last - stage.first + repeats_ * pace);
      turn.end = std::max(turn.end, stage.last + repeats_ * pace);
    }
    return turn;
  }

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

  // Whether the leg's next task has its input; notes when it will, where that is known.
  bool has_input(std::int32_t leg, SimTime now) {
    const std::int32_t microbatch = b_.done[at(leg)];
    if (microbatch == microbatches_) return false;
    if (leg == 0) return true;
    if (b_.done[at(leg - 1)] <= microbatch) return false;
    const SimTime there = b_.ready[at((leg - 1) * shape_.microbatches + microbatch)];
    if (there <= now) return true;
    soonest_ = std::min(soonest_, there);
    return false;
  }

  std::int32_t paced(const Rule& rule, std::int32_t stage, SimTime now) {
    const StagePlan& own = b_.stages[at(stage)];
    const std::int32_t chunk = chunks_of(stage).front(), m = microbatches_;
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
    std::array<std::int64_t, 4> due{};
    for (std::size_t i = 0; i < legs.size(); ++i) {  // sorted by insertion, what is due first to the front
      const std::int32_t leg = legs[i];
      const std::int64_t when = b_.starts[at(leg)] + std::int64_t{6} * b_.done[at(leg)];
      std::size_t place = i;
      for (; place > 0 && due[place - 1] > when; --place)
        due[place] = due[place - 1], legs[place] = legs[place - 1];
      due[place] = when, legs[place] = leg;
    }
    const std::int32_t weights = oldest_weights(stage), held = own.forwards - own.weights;
    for (const std::int32_t leg : legs) {
      if (b_.done[at(leg)] == microbatches_) continue;
      if (leg < shape_.chunks && held == limit_) {
        if (weights >= 0) return weights;
        continue;
      }
      if (has_input(leg, now)) return leg;
      break;
    }
    // One place is reserved for a forward on the way up.
    if (rule.fills_warm_up && own.backwards == 0 && held + 2 <= limit_ && has_input(forward_leg(down), now))
      return forward_leg(down);
    const bool waits = weights >= 0 && rule.patient && soonest_ != never;
    return waits && soonest_ - now < duration(weights) ? -1 : weights;
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
    own.last = end;
    b_.wake.set(stage, end);
    b_.tasks[at(row(stage) + b_.placed[at(stage)]++)] = task_of(kind, chunk, microbatch);
    if (leg >= 2 * shape_.chunks) return;
    b_.ready[at(leg * shape_.microbatches + microbatch)] = end;
    if (leg + 1 == 2 * shape_.chunks) return;
    // A stage that sleeps until its input is known decides again when the input is there.
    const std::int32_t next = shape_.stage_of_chunk[at(chunk_of(leg + 1, shape_.chunks))];
    const SimTime wake = std::max(b_.stages[at(next)].last, end);
    if (wake < b_.wake.time(next)) b_.wake.set(next, wake);
  }

  const PipelineShape& shape_;
  const std::span<const ChunkTimes> times_;
  const std::int32_t limit_;
  const Folding folding_;
  Buffers& b_;
  std::int32_t microbatches_ = 0;  // played
  bool may_fold_ = false;
  std::int32_t repeats_ = 0, advance_ = 0;  // taken over of the stretch between the cuts; its microbatches
  SimTime soonest_{never};                  // when the next input that is known of is there
};

}  // namespace

void order_planned(const PipelineShape& shape, std::span<const ChunkTimes> times, std::int32_t limit,
                   std::span<const Rule> rules, Csr<Task>& out) {
  static thread_local Buffers buffers;
  Planner planner(shape, times, limit, folding_of_plans, buffers);
  Turn best;
  SimTime latest{};
  for (const Rule& rule : rules) {
    const bool is_first = &rule == rules.data();
    const Turn turn = planner.plan(rule, is_first);
    if (is_first) latest = turn.end;
    if (is_first) ECHO_EXPECT(turn.end != never);
    const bool better = turn.longest < best.longest || (turn.longest == best.longest && turn.end < best.end);
    if (!is_first && (turn.end > latest || !better)) continue;
    best = turn;
    planner.read_out(out);
  }
}

}  // namespace echo::timeline
