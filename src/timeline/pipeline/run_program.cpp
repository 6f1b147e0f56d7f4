// Lanes lie side by side in registers, so that a task of all of them costs little more than that of one: a
// place in a list, some loads, and maxima and sums. What a task waited for is not noted; the search for the
// critical path works it out from the times, for the few tasks that it meets (program_steps.cpp).
//
// Up to the first last backward nothing depends on how a step ends: on the sharding of optimizer states, on
// what happens to gradients, on where the optimizer runs. Neighbouring points of a sweep, and often the cases
// of one point, differ in nothing else. So the times of stages are kept as they are at the end of the body,
// and only the tail is run again; it writes the places of its own tasks, so that those of the body stay.
//
// The steady state is run only until it is proven to repeat, by the argument of repeat.cpp. All lanes run to
// the same cut, and each has its own shift: a number of repeats after which every lane repeats is a cycle of
// all of them. Where one lane takes long to settle, the others run on beside it, which changes no time.
#include "timeline/pipeline/run_program.hpp"

#include <algorithm>
#include <array>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/pipeline/lane_cases.hpp"
#include "timeline/pipeline/stage.hpp"

namespace echo::timeline {
namespace {

// A stage has three times in each lane: its clock and the ends of its overlapped transfers forward and
// backward, or its clock, the end of the blocking transfer after it, and the time waited (StageState).
template <bool overlapped, std::size_t width>
class Runner {
 public:
  Runner(const PipelineShape& shape, const LaneCases& cases, ProgramRun& run)
      : shape_(shape), program_(*run.program), cases_(cases), run_(run) {
    const std::size_t places = at(program_.row) * at(shape.microbatches + 1);
    ready_ = run.ready.with_room_for(places * width);
    if constexpr (overlapped) ends_ = run.ends.with_room_for(places);
  }

  void run_body() {
    run_.stages.assign(at(shape_.stages) * stage_pairs, TimePair{});
    run_.states.assign(at(shape_.stages) * lanes, StageState{});
    run_.gathered.assign(at(shape_.chunks) * lanes, 0);
    run_.skipped = 0, run_.skipped_time = 0.0, run_.repeats_run = 0, run_.cycle = 0;
    tasks_ = 0, in_tail_ = false;
    if (program_.repeats > 0) {
      run_moves(program_.prologue.moves, 0);
      run_repeats();
    }
    run_moves(std::span(last_moves()).first(program_.tail_from), last_base());
    run_.body_tasks = tasks_;
    run_.stages_after = run_.stages;
    run_.gather_wait.resize(run_.states.size());
    for (std::size_t i = 0; i < run_.states.size(); ++i) run_.gather_wait[i] = run_.states[i].gather_wait;
  }

  // What follows the body, in one turn of the lanes. trail: may be null.
  void run_tail(std::size_t turn, Trail* trail) {
    turn_ = turn, trail_ = trail, in_tail_ = true;
    run_.stages = run_.stages_after;
    run_.states.assign(run_.gather_wait.size(), StageState{});
    for (std::size_t i = 0; i < run_.states.size(); ++i) run_.states[i].gather_wait = run_.gather_wait[i];
    run_moves(std::span(last_moves()).subspan(program_.tail_from), last_base());
    read_stages();
  }

 private:
  static constexpr std::size_t lanes = 2 * width, stage_pairs = 3 * width;

  [[nodiscard]] const std::vector<Move>& last_moves() const { return program_.last_list().moves; }
  [[nodiscard]] std::int32_t last_base() const { return -run_.skipped * program_.row; }

  void run_repeats() {
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
        run_.skipped_time = times * shift_[run_.path_lane];
        run_.cycle = cycle * program_.advance, run_.run_before = repeat + 1;
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
    const std::size_t path_lane = run_.path_lane;
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
        ends_[place] = end[path_lane];
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
    ECHO_EXPECT(in_tail_ != move.is_forward);  // first forwards are in the body, last backwards are not
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      StageState& stage = run_.states[at(move.stage) * lanes + lane];
      const PipelineCase& runs = cases_.of(turn_, lane);
      if (move.is_forward) {
        const double gathered = to_lane(runs.times[at(chunk)].gathered);
        if (gathered <= end[lane]) continue;
        stage.gather_wait += from_lane(gathered) - from_lane(end[lane]);
        end.set(lane, gathered);
        run_.gathered[at(chunk) * lanes + lane] = 1;
      } else if (!runs.data.empty()) {
        const DataEnd cause =
            add_data(stage, runs.data[at(chunk)], from_lane(start[lane]), from_lane(end[lane]));
        if (trail_ != nullptr && lane == run_.path_lane) trail_->note_data(move.stage, chunk, place, cause);
      }
    }
    return end;
  }

  // Whether every time that can still be read after `repeat` is what it was `cycle` repeats ago, plus one
  // shift for each case.
  bool repeats_since(std::int32_t cycle, std::int32_t repeat) {
    constexpr std::size_t times = overlapped ? 3 : 2;  // not the time waited
    const TimePair *const now = run_.stages.data(), *const then = run_.earlier.data();
    for (std::size_t k = 0; k < lanes; ++k) shift_[k] = time_at(now, k) - time_at(then, k);
    for (std::size_t first = 0; first < run_.stages.size(); first += stage_pairs) {
      for (std::size_t k = 0; k < lanes; ++k) {
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
      for (std::size_t k = 0; k < lanes; ++k)
        if (std::max(time_at(arrival, k), time_at(now + stage, k)) -
                std::max(time_at(arrival - ago, k), time_at(then + stage, k)) !=
            shift_[k])
          return false;
      return true;
    });
  }

  void skip(std::int32_t times, std::int32_t repeat) {
    Lanes<width> shift{};
    for (std::size_t k = 0; k < lanes; ++k) shift.set(k, times * shift_[k]);
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
      const std::size_t lane = i % lanes;
      StageState& state = run_.states[i];
      const TimePair* const own = run_.stages.data() + i / lanes * stage_pairs;
      state.clock = from_lane(time_at(own, lane));
      (overlapped ? state.link_forward : state.sent) = from_lane(time_at(own + width, lane));
      (overlapped ? state.link_backward : state.waited) = from_lane(time_at(own + 2 * width, lane));
    }
  }

  const PipelineShape& shape_;
  const Program& program_;
  const LaneCases& cases_;
  ProgramRun& run_;
  Trail* trail_ = nullptr;
  TimePair* ready_ = nullptr;
  double* ends_ = nullptr;
  std::size_t turn_ = 0;
  bool in_tail_ = false;
  std::int64_t tasks_ = 0;
  std::array<double, lanes> shift_{};
};

// Every task ran once, so busy time needs no loop over tasks; time that is neither busy nor waiting was
// spent in transfers.
void read_case(const PipelineShape& shape, const Schedule& schedule, std::size_t lane, const ProgramRun& run,
               PipelineTimes& out) {
  const std::int32_t chunks = shape.chunks, microbatches = shape.microbatches;
  const auto duration = [&](std::int32_t leg, Lasts lasts) {
    const std::size_t slot = at(3 * leg + static_cast<std::int32_t>(lasts));
    return from_lane(time_at(run.slots.data() + slot * (run.width + 2), lane));
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
    const StageState& state = run.states[s * run.lanes() + lane];
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

// What the trail says of the body.
void note_body(const PipelineShape& shape, const ProgramRun& run, Trail& trail) {
  trail.start_program(shape);
  for (std::size_t chunk = 0; chunk < trail.gathered.size(); ++chunk)
    trail.gathered[chunk] = run.gathered[chunk * run.lanes() + run.path_lane];
  trail.skipped = run.skipped;
  if (run.cycle == 0) return;
  trail.cycle = run.cycle;
  for (std::size_t leg = 0; leg < trail.ran.size(); ++leg)
    trail.ran[leg] = run.program->ran[leg] + run.run_before * run.program->advance;
}

// One run of a program: its body, where the run before had another one, and each turn of its tail.
template <bool overlapped, std::size_t width>
bool run_lanes(const PipelineShape& shape, const Schedule& schedule, std::span<const PipelineCase> given,
               const LaneCases& cases, const Hops& hops, PipelineScratch& scratch, Trail* trail) {
  ProgramRun& run = scratch.runs[at(overlapped)];
  Runner<overlapped, width> runner(shape, cases, run);
  if (run.body_of != run.program->number || run.body != run.asked) {
    run.body_of = -1;  // until it has run: memory may be refused
    run.walks_known = 0;
    lay_body_slots(shape, schedule, cases, hops, run.slots);
    runner.run_body();
    run.body = run.asked;
    run.body_of = run.program->number;
  }
  if (trail != nullptr) note_body(shape, run, *trail);
  for (std::size_t turn = 0; turn < cases.turns(); ++turn) {
    lay_tail_slots(shape, schedule, cases, turn, run.slots);
    runner.run_tail(turn, turn + 1 == cases.turns() ? trail : nullptr);
    if (!is_exact(run)) return false;
    for (std::size_t k = 0; k < given.size(); ++k)
      if (const LaneCases::Place place = cases.place_of(k); place.turn == turn)
        read_case(shape, schedule, place.lane, run, *given[k].out);
  }
  scratch.stages.resize(at(shape.stages));
  for (std::size_t s = 0; s < scratch.stages.size(); ++s)
    scratch.stages[s] = run.states[s * run.lanes() + run.path_lane];
  return true;
}

}  // namespace

bool run_program(const PipelineShape& shape, const Schedule& schedule, std::span<const PipelineCase> cases,
                 const Hops& hops, PipelineScratch& scratch, Trail* trail) {
  ECHO_EXPECT(!cases.empty() && cases.size() <= most_cases);
  ProgramRun& run = scratch.runs[at(hops.overlapped)];
  scratch.overlapped = run.overlapped = hops.overlapped;
  run.program = &scratch.programs.of(schedule, shape);
  const LaneCases lanes(cases, hops, run.asked);
  run.width = lanes.width(), run.path_lane = lanes.path_lane();
  scratch.pairs.clear();
  static_assert(width_of(most_cases) == 2);
  const bool wide = run.width == 2;
  const auto run_it = hops.overlapped ? (wide ? run_lanes<true, 2> : run_lanes<true, 1>)
                                      : (wide ? run_lanes<false, 2> : run_lanes<false, 1>);
  if (!run_it(shape, schedule, cases, lanes, hops, scratch, trail)) return false;
  const auto tail = run.program->last_list().moves.size() - run.program->tail_from;
  scratch.tasks_run = run.body_tasks + static_cast<std::int64_t>(tail);
  return true;
}

}  // namespace echo::timeline
