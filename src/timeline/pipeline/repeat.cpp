// The steady state of a pipeline, run only until it is proven to repeat.
//
// Problem. A step has 2 * chunks * microbatches tasks, nearly all of them in a steady state that repeats.
//
// Idea. All times are maxima of sums of earlier times and constants, so if every time that the rest of the
// step can still read shifts by one constant, all later times shift by it too. Cut the step where every
// stage has run the same number of repeats. The times that can still be read there are each stage's clock,
// the ends of its transfers, and the arrivals not yet consumed. If all of these equal those at an earlier
// cut, `cycle` repeats ago, plus one constant `shift`, then by induction every later `cycle` repeats add
// `shift` once more: all remaining whole cycles are skipped by one multiplication, and the time waited grows
// in each as it grew in the cycle seen. The result equals the plain loop's to the picosecond. Integer time
// makes the comparison exact.
//
// Two times are compared as the stage that reads them sees them: one older than that stage's clock counts as
// the clock, since the stage cannot act before it.
//
// The cycle need not be one repeat: with overlapped hops 1F1B runs in bursts of up to `stages` microbatches.
// It is found by Brent's method (BIT 20, 1980): compare with one saved cut, and save a new one each time the
// distance doubles. Max-plus systems end in such a regime (cyclicity; Baccelli et al. 1992, chapter 3), but
// near-ties between stages may take long to fade; then all repeats are run, at the plain loop's cost.
//
// Pairs change nothing: a pair is one step of a stage, whose start and two outputs are maxima and sums like
// any others.
//
// Microbatches after the skip are renumbered to follow those before it, so arrivals stay in a dense table of
// which only the part in use is touched.
#include "timeline/pipeline/repeat.hpp"

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {
namespace {

template <bool overlapped>
class Repeater {
 public:
  Repeater(const PipelineShape& shape, const Schedule& schedule, PipelineScratch& scratch, Trail* trail)
      : shape_(shape),
        scratch_(scratch),
        trail_(trail),
        orders_(scratch.orders.of(schedule, shape, true)),
        stretch_(schedule.steady(shape, 0)) {}

  void run() {
    scratch_.cursor.assign(at(shape_.stages), 0);
    scratch_.ready.resize(std::max(scratch_.ready.size(), row_ * at(microbatches_per_chunk(shape_))));
    run_lists(orders_.start, Until::prologue, 0);
    bool proven = false;
    // The stretch contains no first forward, so nothing in it refers to an instant of the step: the cut
    // before it counts.
    std::int32_t saved = -1, renew = 0,
                 skipped = 0;  // saved: the cut after that repeat; -1: before the first
    scratch_.earlier = scratch_.stages;
    for (std::int32_t repeat = 0; repeat < stretch_.repeats; ++repeat) {
      for (std::int32_t s = 0; s < shape_.stages; ++s) scratch_.cursor[at(s)] = first(s);
      run_lists(orders_.start, Until::end, repeat * stretch_.advance - skipped);
      if (proven) continue;
      const std::int32_t cycle = repeat - saved;
      if (repeats_since(cycle * stretch_.advance)) {
        const std::int32_t times = (stretch_.repeats - 1 - repeat) / cycle;
        skip(times);
        count_skipped_pairs(times * cycle);
        skipped = times * cycle * stretch_.advance;
        if (trail_ != nullptr) note_skip(skipped, cycle * stretch_.advance);
        repeat += times * cycle;
        proven = true;
      } else if (repeat == renew) {
        scratch_.earlier = scratch_.stages;
        saved = repeat;
        renew = 2 * repeat + 1;
      }
    }
    follow_skip(skipped);
    scratch_.cursor.assign(at(shape_.stages), 0);
    run_lists(orders_.rest, Until::end, -skipped);
  }

 private:
  enum class Until : std::int8_t { prologue, end };

  [[nodiscard]] std::int32_t first(std::int32_t stage) const {
    return static_cast<std::int32_t>(orders_.start.row(stage).size()) - stretch_.length;
  }

  // The special tasks of the legs, which the skip leaves behind, count from where the lists do.
  void follow_skip(std::int32_t skipped) {
    for (Leg& leg : scratch_.legs) leg.special_at -= leg.special_at > 0 ? skipped : 0;
  }

  // Runs every stage to the end of its list or of its prologue.
  void run_lists(const Csr<Task>& lists, Until until, std::int32_t offset) {
    bool missing = true;
    for (bool down = true; missing; down = !down) {
      bool moved = false;
      missing = false;
      for (std::int32_t i = 0; i < shape_.stages; ++i) {
        const std::int32_t stage = down ? i : shape_.stages - 1 - i;
        const std::span<const Task> list = lists.row(stage);
        const std::int32_t size = static_cast<std::int32_t>(list.size());
        const std::int32_t end = until == Until::end ? size : size - stretch_.length;
        std::int32_t& cursor = scratch_.cursor[at(stage)];
        if (cursor == end) continue;
        const Task& next = list[at(cursor)];
        if (has_input(next, offset) && (!next.with_next || has_input(list[at(cursor + 1)], offset))) {
          cursor = run_stage(stage, list, cursor, end, offset);
          moved = true;
        }
        missing |= cursor < end;
      }
      ECHO_EXPECT(moved || !missing);  // the stages can run repeat by repeat
    }
  }

  [[nodiscard]] bool has_input(const Task& task, std::int32_t offset) const {
    const std::int32_t index = route_.leg_of(task);
    return !scratch_.legs[at(index)].reads ||
           scratch_.legs[at(index - 1)].done > (task.microbatch + offset).index();
  }

  std::int32_t run_stage(std::int32_t stage, std::span<const Task> list, std::int32_t cursor,
                         std::int32_t end, std::int32_t offset) {
    Leg* const legs = scratch_.legs.data();
    SimTime* const arrivals = scratch_.ready.data();
    StageState& state = scratch_.stages[at(stage)];
    for (; cursor < end; ++cursor) {
      const Task& task = list[at(cursor)];
      const std::int32_t index = route_.leg_of(task);
      const MicrobatchId microbatch = task.microbatch + offset;
      Leg& leg = legs[index];
      if (leg.reads && legs[index - 1].done <= microbatch.index()) break;
      SimTime* const ready = arrivals + at(microbatch) * row_ + at(index);
      const SimTime arrival = leg.reads ? *ready : SimTime::zero();
      if (task.with_next) {
        const Task& partner = list[at(cursor + 1)];
        if (!has_input(partner, offset)) break;
        const std::int32_t back = route_.leg_of(partner);
        SimTime* const back_ready = arrivals + at(partner.microbatch + offset) * row_ + at(back);
        const PairRan ran = run_pair<overlapped>(state, leg, legs[back],
                                                 scratch_.pairs[route_.pair_of(task.chunk, partner.chunk)],
                                                 arrival, *back_ready);
        ++legs[route_.weights_of(partner.chunk)].done;
        ready[1] = ran.forward_handed_on;
        if (legs[back].passes_on) back_ready[1] = ran.backward_handed_on;
        if (trail_ != nullptr)
          trail_->note_pair(stage, trail_->place(microbatch, index),
                            trail_->place(partner.microbatch + offset, back), ran);
        ++cursor;
        continue;
      }
      const Ran ran = run_task<overlapped>(state, leg, task.kind, arrival);
      if (leg.passes_on) ready[1] = ran.handed_on;
      count_weights(task, route_, legs);
      if (trail_ != nullptr) trail_->note(stage, trail_->place(microbatch, index), task, ran);
    }
    return cursor;
  }

  void note_skip(std::int32_t skipped, std::int32_t cycle) {
    trail_->skipped = skipped, trail_->cycle = cycle;
    for (std::size_t leg = 0; leg < scratch_.legs.size(); ++leg) trail_->ran[leg] = scratch_.legs[leg].done;
  }

  // Whether every time that can still be read is what it was `microbatches` ago, plus shift_.
  bool repeats_since(std::int32_t microbatches) {
    const std::vector<StageState>&now = scratch_.stages, &then = scratch_.earlier;
    shift_ = now[0].clock - then[0].clock;
    for (std::size_t s = 0; s < now.size(); ++s) {
      if (now[s].clock - then[s].clock != shift_) return false;
    }
    for (std::size_t s = 0; s < now.size(); ++s) {
      const auto same = [&](SimTime StageState::*time) {
        return std::max(now[s].*time, now[s].clock) - std::max(then[s].*time, then[s].clock) == shift_;
      };
      if (!same(&StageState::sent) || !same(&StageState::link_forward) || !same(&StageState::link_backward)) {
        return false;
      }
    }
    return each_arrival([&](SimTime& arrival, std::int32_t stage) {
      const SimTime before = *(&arrival - at(microbatches) * row_);
      return std::max(arrival, now[at(stage)].clock) - std::max(before, then[at(stage)].clock) == shift_;
    });
  }

  void skip(std::int32_t times) {
    each_arrival([&](SimTime& arrival, std::int32_t) { return arrival += times * shift_, true; });
    for (std::size_t s = 0; s < scratch_.stages.size(); ++s) {
      StageState& now = scratch_.stages[s];
      const StageState& then = scratch_.earlier[s];
      now.waited += times * (now.waited - then.waited);
      for (SimTime* time : {&now.clock, &now.sent, &now.link_forward, &now.link_backward})
        *time += times * shift_;
    }
  }

  void count_skipped_pairs(std::int32_t repeats) {
    for (std::int32_t s = 0; s < shape_.stages; ++s) {
      const std::span<const Task> list = orders_.start.row(s).subspan(at(first(s)));
      for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].with_next)
          scratch_.pairs[route_.pair_of(list[i].chunk, list[i + 1].chunk)].runs += repeats;
    }
  }

  // Visits every arrival not yet consumed, with the stage at which it waits, until `visit` returns false.
  template <class Visit>
  bool each_arrival(Visit visit) {
    for (std::int32_t index = 1; index < 2 * shape_.chunks; ++index) {
      if (!scratch_.legs[at(index)].reads) continue;
      const std::int32_t stage = shape_.stage_of_chunk[at(route_.chunk_of(index))];
      const std::int32_t sent = scratch_.legs[at(index - 1)].done;
      for (std::int32_t i = scratch_.legs[at(index)].done; i < sent; ++i) {
        if (!visit(scratch_.ready[at(i) * row_ + at(index)], stage)) return false;
      }
    }
    return true;
  }

  const PipelineShape& shape_;
  PipelineScratch& scratch_;
  Trail* const trail_;
  const OrderMemo::Orders& orders_;
  const SteadyStretch stretch_;  // of stage 0; `first` differs by stage
  const Route route_{shape_};
  const std::size_t row_ = 2 * at(shape_.chunks) + 1;
  SimTime shift_{};
};

}  // namespace

bool run_repeating(const PipelineShape& shape, const Schedule& schedule, bool overlapped,
                   PipelineScratch& scratch, Trail* trail) {
  constexpr std::int32_t fewest_repeats = 2;  // one to compare with the cut before it, one to skip
  if (schedule.steady == nullptr || shape.given != nullptr ||
      schedule.steady(shape, 0).repeats < fewest_repeats)
    return false;
  if (overlapped) {
    Repeater<true>(shape, schedule, scratch, trail).run();
  } else {
    Repeater<false>(shape, schedule, scratch, trail).run();
  }
  return true;
}

}  // namespace echo::timeline
