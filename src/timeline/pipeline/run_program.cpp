// Cases lie side by side in registers, so that a task of all of them costs little more than that of one: a
// place in a list, some loads, and maxima and sums. What a task waited for is not noted; the search for the
// critical path works it out from the times, for the few tasks that it meets (program_steps.cpp).
//
// The steady state is run only until it is proven to repeat, by the argument of repeat.cpp. All cases run to
// the same cut, and each has its own shift: a number of repeats after which every case repeats is a cycle of
// all of them. Where one case takes long to settle, the others run on beside it, which changes no time.
#include "timeline/pipeline/run_program.hpp"

#include <algorithm>
#include <array>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/pipeline/stage.hpp"

namespace echo::timeline {
namespace {

double hop_at(std::span<const SimTime> times, std::int32_t border) {
  if (times.empty()) return 0.0;
  ECHO_EXPECT(times[at(border)] >= SimTime::zero());
  return to_lane(times[at(border)]);
}

// [3 * legs][width + 2]: usual, special, without weight gradients; durations as lay_legs says. Between chunk
// and chunk + 1 blocking transfers occupy both ends, overlapped ones the link.
class SlotLayer {
 public:
  SlotLayer(const PipelineShape& shape, const Schedule& schedule, std::size_t cases,
            std::vector<TimePair>& slots)
      : shape_(shape), schedule_(schedule), width_(width_of(cases)), slots_(slots) {
    slots_.assign(at(9 * shape.chunks) * (width_ + 2), TimePair{});
  }

  void lay_hops(const Hops& hops) {
    const std::int32_t chunks = shape_.chunks;
    for (std::int32_t c = 0; c + 1 < chunks; ++c) {
      if (shape_.stage_of_chunk[at(c)] == shape_.stage_of_chunk[at(c + 1)]) continue;
      const std::int32_t forward = c, backward = 2 * chunks - 2 - c;
      put_hop(forward, 1, hop_at(hops.forward, c));
      put_hop(backward, 1, hop_at(hops.backward, c));
      if (hops.overlapped) continue;
      put_hop(forward + 1, 0, hop_at(hops.forward, c));
      put_hop(backward + 1, 0, hop_at(hops.backward, c));
    }
  }

  void lay_durations(std::size_t k, std::span<const ChunkTimes> times) {
    const std::int32_t chunks = shape_.chunks;
    for (std::int32_t c = 0; c < chunks; ++c) {
      const ChunkTimes& time = times[at(c)];
      const SimTime rest = std::max(SimTime::zero(), time.last_backward - time.backward_input);
      put(c, k, time.forward, std::max(time.forward, time.first_forward), {});
      put(2 * chunks - 1 - c, k, time.backward_input + time.backward_weight, time.last_backward,
          time.backward_input);
      put(2 * chunks + c, k, time.backward_weight, schedule_.splits_backward ? rest : SimTime::zero(), {});
    }
  }

 private:
  [[nodiscard]] TimePair* slot(std::int32_t leg) { return slots_.data() + at(3 * leg) * (width_ + 2); }
  void put(std::int32_t leg, std::size_t k, SimTime usual, SimTime special, SimTime split) {
    TimePair* to = slot(leg) + k / 2;
    for (const SimTime time : {usual, special, split}) to->times[k % 2] = to_lane(time), to += width_ + 2;
  }
  void put_hop(std::int32_t leg, std::size_t after, double time) {
    TimePair* to = slot(leg) + width_ + after;
    for (int lasts = 0; lasts < 3; ++lasts, to += width_ + 2) to->times = TwoTimes{time, time};
  }

  const PipelineShape& shape_;
  const Schedule& schedule_;
  const std::size_t width_;
  std::vector<TimePair>& slots_;
};

// A stage has three times in each case: its clock and the ends of its overlapped transfers forward and
// backward, or its clock, the end of the blocking transfer after it, and the time waited (StageState).
template <bool overlapped, std::size_t width>
class Runner {
 public:
  Runner(const PipelineShape& shape, std::span<const PipelineCase> given, ProgramRun& run, Trail* trail)
      : shape_(shape), program_(*run.program), given_(given), run_(run), trail_(trail) {
    run.stages.assign(at(shape.stages) * stage_pairs, TimePair{});
    run.states.assign(at(shape.stages) * most_cases, StageState{});
    const std::size_t places = at(program_.row) * at(shape.microbatches + 1);
    ready_ = run.ready.with_room_for(places * width);
    if constexpr (overlapped) ends_ = run.ends.with_room_for(places);
  }

  // Returns the number of tasks run.
  std::int64_t run() {
    run_moves(program_.prologue.moves, 0);
    run_repeats();
    run_moves(program_.rest.moves, -run_.skipped * program_.row);
    read_stages();
    return tasks_;
  }

 private:
  static constexpr std::size_t stage_pairs = 3 * width;

  void run_repeats() {
    run_.skipped = 0, run_.skipped_time = 0.0, run_.repeats_run = 0;
    bool proven = false;
    std::int32_t saved = -1, renew = 0;  // saved: the cut after that repeat; -1: before the first
    run_.earlier = run_.stages;
    for (std::int32_t repeat = 0; repeat < program_.repeats; ++repeat) {
      run_moves(program_.repeat.moves, (repeat * program_.advance - run_.skipped) * program_.row);
      ++run_.repeats_run;
      if (proven) continue;
      const std::int32_t cycle = repeat - saved;
      if (repeats_since(cycle, repeat)) {
        const std::int32_t times = (program_.repeats - 1 - repeat) / cycle;
        skip(times, repeat);
        run_.skipped = times * cycle * program_.advance;
        run_.skipped_time = times * shift_[given_.size() - 1];
        if (trail_ != nullptr) note_skip(cycle, repeat);
        repeat += times * cycle;
        proven = true;
      } else if (repeat == renew) {
        run_.earlier = run_.stages;
        saved = repeat;
        renew = 2 * repeat + 1;
      }
    }
  }

  void run_moves(std::span<const Move> moves, std::int32_t base) {
    tasks_ += static_cast<std::int64_t>(moves.size());
    TimePair* const stages = run_.stages.data();
    TimePair* const ready = ready_;
    const TimePair* const slots = run_.slots.data();
    const std::size_t last = given_.size() - 1;
    const TimePair none[width] = {};
    for (const Move& move : moves) {
      const std::int32_t place = base + move.at;
      TimePair* const own = stages + at(move.stage) * stage_pairs;
      TimePair* const output = ready + at(place + 1) * width;
      const TimePair* const input = move.reads ? output - width : none;
      const TimePair* const slot = slots + at(move.slot) * (width + 2);
      const auto clock = load<width>(own), arrival = load<width>(input);
      Lanes<width> start = latest(clock, arrival);
      if constexpr (!overlapped) {
        const auto sent = load<width>(own + width);
        const auto waited = load<width>(own + 2 * width) + (latest(start, sent) - sent);
        store(waited, own + 2 * width);
        start = latest(start + slot[width], sent);
      }
      Lanes<width> end = start + load<width>(slot);
      if (move.lasts == Lasts::special) [[unlikely]]
        end = end_special(move, place, start, end);
      store(end, own);
      if constexpr (overlapped) {
        ends_[place] = end[last];
        if (slot[width + 1].times[0] > 0.0) {
          TimePair* const link = own + (move.is_forward ? width : 2 * width);
          end = latest(end, load<width>(link)) + slot[width + 1];
          store(end, link);
        }
      } else {
        store(end + slot[width + 1], own + width);
      }
      store(end, output);
    }
  }

  // The end of a chunk's first forward, which may wait for weights, or of the task that ends its last
  // backward. Takes and returns values: times whose address is known elsewhere would live in memory for every
  // task.
  [[gnu::noinline]] Lanes<width> end_special(const Move& move, std::int32_t place, Lanes<width> start,
                                             Lanes<width> end) {
    const ChunkId chunk(chunk_of(move.leg, shape_.chunks));
    for (std::size_t k = 0; k < given_.size(); ++k) {
      StageState& stage = run_.states[at(move.stage) * most_cases + k];
      Trail* const trail = k + 1 == given_.size() ? trail_ : nullptr;
      if (move.is_forward) {
        const double gathered = to_lane(given_[k].times[at(chunk)].gathered);
        if (gathered <= end[k]) continue;
        stage.gather_wait += from_lane(gathered) - from_lane(end[k]);
        end.set(k, gathered);
        if (trail != nullptr) trail->note_gathered(chunk);
      } else if (!given_[k].data.empty()) {
        const DataEnd cause =
            add_data(stage, given_[k].data[at(chunk)], from_lane(start[k]), from_lane(end[k]));
        if (trail != nullptr) trail->note_data(move.stage, chunk, place, cause);
      }
    }
    return end;
  }

  void note_skip(std::int32_t cycle, std::int32_t repeat) {
    trail_->skipped = run_.skipped, trail_->cycle = cycle * program_.advance;
    for (std::size_t leg = 0; leg < trail_->ran.size(); ++leg)
      trail_->ran[leg] = program_.ran[leg] + (repeat + 1) * program_.advance;
  }

  // Whether every time that can still be read after `repeat` is what it was `cycle` repeats ago, plus one
  // shift for each case.
  bool repeats_since(std::int32_t cycle, std::int32_t repeat) {
    constexpr std::size_t times = overlapped ? 3 : 2;  // not the time waited
    const TimePair *const now = run_.stages.data(), *const then = run_.earlier.data();
    for (std::size_t k = 0; k < given_.size(); ++k) shift_[k] = time_at(now, k) - time_at(then, k);
    for (std::size_t first = 0; first < run_.stages.size(); first += stage_pairs) {
      for (std::size_t k = 0; k < given_.size(); ++k) {
        const double clock = time_at(now + first, k), before = time_at(then + first, k);
        if (clock - before != shift_[k]) return false;
        for (std::size_t i = 1; i < times; ++i) {
          const std::size_t other = first + i * width;
          if (std::max(time_at(now + other, k), clock) - std::max(time_at(then + other, k), before) !=
              shift_[k])
            return false;
        }
      }
    }
    const std::size_t ago = at(cycle * program_.advance * program_.row) * width;
    return each_arrival(repeat, [&](TimePair* arrival, std::size_t stage) {
      for (std::size_t k = 0; k < given_.size(); ++k)
        if (std::max(time_at(arrival, k), time_at(now + stage, k)) -
                std::max(time_at(arrival - ago, k), time_at(then + stage, k)) !=
            shift_[k])
          return false;
      return true;
    });
  }

  void skip(std::int32_t times, std::int32_t repeat) {
    Lanes<width> shift{};
    for (std::size_t k = 0; k < given_.size(); ++k) shift.set(k, times * shift_[k]);
    each_arrival(repeat, [&](TimePair* arrival, std::size_t) {
      store(load<width>(arrival) + shift, arrival);
      return true;
    });
    for (std::size_t i = 0; i < run_.stages.size(); i += width) {
      TimePair* const now = run_.stages.data() + i;
      if (overlapped || i % stage_pairs != 2 * width) {
        store(load<width>(now) + shift, now);
        continue;
      }
      for (std::size_t k = 0; k < 2 * width; ++k)
        now[k / 2].times[k % 2] += times * (time_at(now, k) - time_at(run_.earlier.data() + i, k));
    }
  }

  // Visits every arrival not yet read after `repeat`, with the place of its reader's clock, until `visit`
  // returns false.
  template <class Visit>
  bool each_arrival(std::int32_t repeat, Visit visit) {
    const std::int32_t base = (repeat + 1) * program_.advance * program_.row;
    for (const Waiting& waiting : program_.waiting)
      if (!visit(ready_ + at(base + waiting.at) * width, at(waiting.stage) * stage_pairs)) return false;
    return true;
  }

  // Into run_.states.
  void read_stages() {
    for (std::size_t i = 0; i < run_.states.size(); ++i) {
      const std::size_t k = i % most_cases;
      if (k >= given_.size()) continue;
      StageState& state = run_.states[i];
      const TimePair* const own = run_.stages.data() + i / most_cases * stage_pairs;
      state.clock = from_lane(time_at(own, k));
      (overlapped ? state.link_forward : state.sent) = from_lane(time_at(own + width, k));
      (overlapped ? state.link_backward : state.waited) = from_lane(time_at(own + 2 * width, k));
    }
  }

  const PipelineShape& shape_;
  const Program& program_;
  const std::span<const PipelineCase> given_;
  ProgramRun& run_;
  Trail* const trail_;
  TimePair* ready_ = nullptr;
  double* ends_ = nullptr;
  std::int64_t tasks_ = 0;
  std::array<double, most_cases> shift_{};  // [cases]
};

std::int64_t run_cases(const PipelineShape& shape, std::span<const PipelineCase> cases, ProgramRun& run,
                       Trail* trail) {
  static_assert(width_of(most_cases) == 2);
  if (run.overlapped) {
    return run.width() == 1 ? Runner<true, 1>(shape, cases, run, trail).run()
                            : Runner<true, 2>(shape, cases, run, trail).run();
  }
  return run.width() == 1 ? Runner<false, 1>(shape, cases, run, trail).run()
                          : Runner<false, 2>(shape, cases, run, trail).run();
}

// Every task ran once, so busy time needs no loop over tasks; time that is neither busy nor waiting was
// spent in transfers.
void read_case(const PipelineShape& shape, const Schedule& schedule, std::size_t k, const ProgramRun& run,
               PipelineTimes& out) {
  const std::int32_t chunks = shape.chunks, microbatches = shape.microbatches;
  const auto duration = [&](std::int32_t leg, Lasts lasts) {
    const std::size_t slot = at(3 * leg + static_cast<std::int32_t>(lasts));
    return from_lane(time_at(run.slots.data() + slot * (run.width() + 2), k));
  };
  out.stages.assign(at(shape.stages), StageTimes{});
  out.pairs.clear();
  out.apart.assign(at(chunks), schedule.splits_backward ? microbatches - 1 : 0);
  for (std::int32_t c = 0; c < chunks; ++c) {
    const std::int32_t backward = 2 * chunks - 1 - c, weight = 2 * chunks + c;
    SimTime& busy = out.stages[at(shape.stage_of_chunk[at(c)])].busy;
    busy += (microbatches - 1) * duration(c, Lasts::usual) + duration(c, Lasts::special);
    if (schedule.splits_backward)
      busy += microbatches * duration(backward, Lasts::split) +
              (microbatches - 1) * duration(weight, Lasts::usual) + duration(weight, Lasts::special);
    else
      busy += (microbatches - 1) * duration(backward, Lasts::usual) + duration(backward, Lasts::special);
  }
  out.end = SimTime::zero();
  for (std::size_t s = 0; s < out.stages.size(); ++s) {
    const StageState& state = run.states[s * most_cases + k];
    StageTimes& stage = out.stages[s];
    stage.compute_end = std::max(state.sent, state.clock);
    stage.data_end = state.data_end;
    stage.gather_wait = state.gather_wait;
    if (!run.overlapped) stage.hop_wait = stage.compute_end - stage.busy - state.waited - stage.gather_wait;
    out.end = std::max({out.end, stage.compute_end, stage.data_end});
  }
}

// Whether no time was too late to be exact. The outputs of tasks are read by tasks that end later.
bool is_exact(const ProgramRun& run) {
  const SimTime limit = from_lane(exact_times);
  return std::ranges::none_of(
      run.states, [&](const StageState& state) { return std::max(state.clock, state.sent) >= limit; });
}

}  // namespace

bool run_program(const PipelineShape& shape, const Schedule& schedule, std::span<const PipelineCase> cases,
                 const Hops& hops, PipelineScratch& scratch, Trail* trail) {
  ECHO_EXPECT(!cases.empty() && cases.size() <= most_cases);
  ProgramRun& run = scratch.run;
  run.program = &run.programs.of(schedule, shape);
  run.cases = cases.size();
  run.overlapped = hops.overlapped;
  SlotLayer slots(shape, schedule, cases.size(), run.slots);
  slots.lay_hops(hops);
  for (std::size_t k = 0; k < cases.size(); ++k) slots.lay_durations(k, cases[k].times);
  if (trail != nullptr) trail->start_program(shape);
  scratch.tasks_run = run_cases(shape, cases, run, trail);
  if (!is_exact(run)) return false;
  scratch.pairs.clear();
  for (std::size_t k = 0; k < cases.size(); ++k) read_case(shape, schedule, k, run, *cases[k].out);
  scratch.stages.resize(at(shape.stages));
  for (std::size_t s = 0; s < scratch.stages.size(); ++s)
    scratch.stages[s] = run.states[s * most_cases + cases.size() - 1];
  return true;
}

}  // namespace echo::timeline
