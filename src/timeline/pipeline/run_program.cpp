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

// Times of all cases lie side by side, with room for one more: a place is found by a shift.
constexpr std::size_t stride = 4;
static_assert(most_cases <= stride);

SimTime hop_at(std::span<const SimTime> times, std::int32_t border) {
  return times.empty() ? SimTime::zero() : times[at(border)];
}

// Between chunk and chunk + 1: blocking transfers occupy both ends, overlapped ones the link.
void lay_hops(const PipelineShape& shape, const Hops& hops, std::vector<LegHops>& out) {
  const std::int32_t chunks = shape.chunks;
  out.assign(at(3 * chunks), LegHops{});
  for (std::int32_t c = 0; c + 1 < chunks; ++c) {
    if (shape.stage_of_chunk[at(c)] == shape.stage_of_chunk[at(c + 1)]) continue;
    const std::int32_t forward = c, backward = 2 * chunks - 2 - c;
    const SimTime down = hop_at(hops.forward, c), up = hop_at(hops.backward, c);
    ECHO_EXPECT(down >= SimTime::zero() && up >= SimTime::zero());
    out[at(forward)].after = down, out[at(backward)].after = up;
    if (hops.overlapped) continue;
    out[at(forward + 1)].before = down, out[at(backward + 1)].before = up;
  }
}

// [3 * legs][stride]: usual, special, without weight gradients; as lay_legs says.
void lay_durations(const PipelineShape& shape, const Schedule& schedule, std::span<const PipelineCase> cases,
                   std::vector<SimTime>& out) {
  const std::int32_t chunks = shape.chunks;
  out.resize(at(9 * chunks) * stride);
  const auto put = [&](std::int32_t leg, std::size_t k, SimTime usual, SimTime special, SimTime split) {
    SimTime* const slot = out.data() + at(3 * leg) * stride + k;
    slot[0] = usual, slot[stride] = special, slot[2 * stride] = split;
  };
  for (std::size_t k = 0; k < cases.size(); ++k) {
    for (std::int32_t c = 0; c < chunks; ++c) {
      const ChunkTimes& time = cases[k].times[at(c)];
      const SimTime rest = std::max(SimTime::zero(), time.last_backward - time.backward_input);
      put(c, k, time.forward, std::max(time.forward, time.first_forward), {});
      put(2 * chunks - 1 - c, k, time.backward_input + time.backward_weight, time.last_backward,
          time.backward_input);
      put(2 * chunks + c, k, time.backward_weight, schedule.splits_backward ? rest : SimTime::zero(), {});
    }
  }
}

template <bool overlapped, std::size_t cases>
class Runner {
 public:
  Runner(const PipelineShape& shape, const Program& program, std::span<const PipelineCase> given,
         PipelineScratch& scratch, Trail* trail)
      : shape_(shape), program_(program), given_(given), scratch_(scratch), trail_(trail) {
    scratch.case_stages.assign(at(shape.stages) * stride, StageState{});
    const std::size_t places = at(program.row) * at(shape.microbatches + 1);
    if (scratch.ready.size() < places * stride) scratch.ready.resize(places * stride);
  }

  void run() {
    run_moves(program_.prologue, 0);
    const std::int32_t skipped = run_repeats();
    run_moves(program_.rest, -skipped * program_.row);
    scratch_.stages.resize(at(shape_.stages));
    for (std::size_t s = 0; s < scratch_.stages.size(); ++s)
      scratch_.stages[s] = scratch_.case_stages[s * stride + cases - 1];
  }

 private:
  // Returns the number of microbatches skipped.
  std::int32_t run_repeats() {
    std::int32_t skipped = 0;
    bool proven = false;
    std::int32_t saved = -1, renew = 0;  // saved: the cut after that repeat; -1: before the first
    scratch_.earlier = scratch_.case_stages;
    for (std::int32_t repeat = 0; repeat < program_.repeats; ++repeat) {
      run_moves(program_.repeat, (repeat * program_.advance - skipped) * program_.row);
      if (proven) continue;
      const std::int32_t cycle = repeat - saved;
      if (repeats_since(cycle, repeat)) {
        const std::int32_t times = (program_.repeats - 1 - repeat) / cycle;
        skip(times, repeat);
        skipped = times * cycle * program_.advance;
        if (trail_ != nullptr) note_skip(skipped, cycle, repeat);
        repeat += times * cycle;
        proven = true;
      } else if (repeat == renew) {
        scratch_.earlier = scratch_.case_stages;
        saved = repeat;
        renew = 2 * repeat + 1;
      }
    }
    return skipped;
  }

  void run_moves(std::span<const Move> moves, std::int32_t base) {
    scratch_.tasks_run += static_cast<std::int64_t>(moves.size());
    if (trail_ != nullptr)
      run_moves<true>(moves, base);
    else
      run_moves<false>(moves, base);
  }

  template <bool noted>
  void run_moves(std::span<const Move> moves, std::int32_t base) {
    StageState* const stages = scratch_.case_stages.data();
    SimTime* const ready = scratch_.ready.data();
    const SimTime* const durations = scratch_.durations.data();
    const LegHops* const hops = scratch_.hops.data();
    Notes notes;
    if constexpr (noted) notes = trail_->notes();
    for (const Move& move : moves) {
      const std::int32_t place = base + move.at;
      SimTime* const input = ready + at(place) * stride;
      StageState* const own = stages + at(move.stage) * stride;
      const SimTime* const duration = durations + at(move.slot) * stride;
      const LegHops hop = hops[at(move.leg)];
      const bool special = move.lasts == Lasts::special;
      for (std::size_t k = 0; k < cases; ++k) {
        const bool is_last = k + 1 == cases;
        StageState& stage = own[k];
        const SimTime arrival = move.reads ? input[k] : SimTime::zero();
        Cause cause;
        const SimTime start = begin(stage, arrival, hop, is_last, cause);
        SimTime end = start + duration[k];
        if (special) [[unlikely]] {
          const SpecialEnd found = end_special(move, k, start, end, stage);
          end = found.end;
          cause.gathered = found.gathered, cause.data = found.data;
        }
        stage.clock = end;
        input[stride + k] = hand_on(stage, end, hop, move.is_forward, cause);
        if (noted && is_last) note(move, place, notes, cause);
      }
    }
  }

  // As run_task of stage.hpp. Where a stage waited is asked of the last case alone.
  [[gnu::always_inline]] static SimTime begin(StageState& stage, SimTime arrival, const LegHops& hop,
                                              bool is_last, Cause& cause) {
    const SimTime clock = stage.clock;
    if constexpr (overlapped) {
      if (arrival > clock) cause.began = Began::arrival;
      return std::max(clock, arrival);
    } else {
      const SimTime meet = std::max(clock, arrival), sent = stage.sent;
      const SimTime start = std::max(sent, meet + hop.before);
      if (is_last) stage.waited += std::max(meet, sent) - sent;
      cause.received = start > sent;
      cause.sent = !cause.received && sent > clock;
      if (cause.received && arrival > clock) cause.began = Began::arrival;
      return start;
    }
  }

  [[gnu::always_inline]] static SimTime hand_on(StageState& stage, SimTime end, const LegHops& hop,
                                                bool is_forward, Cause& cause) {
    if constexpr (overlapped) {
      if (hop.after <= SimTime::zero()) return end;
      SimTime& link = is_forward ? stage.link_forward : stage.link_backward;
      cause.flies = true;
      cause.queued = link > end;
      return link = std::max(end, link) + hop.after;
    } else {
      stage.sent = end + hop.after;
      return end;
    }
  }

  struct SpecialEnd {
    SimTime end;
    bool gathered = false;
    DataEnd data = DataEnd::none;
  };
  // The end of a chunk's first forward, which may wait for weights, or of the task that ends its last
  // backward. Returns by value: a cause whose address is known elsewhere would live in memory for every task.
  [[gnu::noinline]] SpecialEnd end_special(const Move& move, std::size_t k, SimTime start, SimTime end,
                                           StageState& stage) const {
    const ChunkId chunk(chunk_of(move.leg, shape_.chunks));
    if (!move.is_forward && !given_[k].data.empty())
      return {end, false, add_data(stage, given_[k].data[at(chunk)], start, end)};
    const SimTime gathered = given_[k].times[at(chunk)].gathered;
    if (!move.is_forward || gathered <= end) return {end};
    stage.gather_wait += gathered - end;
    return {gathered, true};
  }

  [[gnu::always_inline]] void note(const Move& move, std::int32_t place, const Notes& notes, Cause cause) {
    cause.split = move.lasts == Lasts::split;
    if (move.lasts == Lasts::special) [[unlikely]] {
      cause.special = true;
      trail_->note_special(move.stage, ChunkId(chunk_of(move.leg, shape_.chunks)), place, cause);
    }
    notes.note(move.stage, place, move.is_forward, cause);
  }

  void note_skip(std::int32_t skipped, std::int32_t cycle, std::int32_t repeat) {
    trail_->skipped = skipped, trail_->cycle = cycle * program_.advance;
    for (std::size_t leg = 0; leg < trail_->ran.size(); ++leg)
      trail_->ran[leg] = program_.ran[leg] + (repeat + 1) * program_.advance;
  }

  // Whether every time that can still be read after `repeat` is what it was `cycle` repeats ago, plus one
  // shift for each case.
  bool repeats_since(std::int32_t cycle, std::int32_t repeat) {
    const std::vector<StageState>&now = scratch_.case_stages, &then = scratch_.earlier;
    for (std::size_t k = 0; k < cases; ++k) shift_[k] = now[k].clock - then[k].clock;
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i].clock - then[i].clock != shift_[i % stride]) return false;
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto same = [&](SimTime StageState::*time) {
        return std::max(now[i].*time, now[i].clock) - std::max(then[i].*time, then[i].clock) ==
               shift_[i % stride];
      };
      if (!same(&StageState::sent) || !same(&StageState::link_forward) || !same(&StageState::link_backward))
        return false;
    }
    const std::size_t ago = at(cycle * program_.advance * program_.row) * stride;
    return each_arrival(repeat, [&](SimTime& arrival, std::size_t i) {
      const SimTime before = *(&arrival - ago);
      return std::max(arrival, now[i].clock) - std::max(before, then[i].clock) == shift_[i % stride];
    });
  }

  void skip(std::int32_t times, std::int32_t repeat) {
    each_arrival(repeat, [&](SimTime& arrival, std::size_t i) {
      arrival += times * shift_[i % stride];
      return true;
    });
    for (std::size_t i = 0; i < scratch_.case_stages.size(); ++i) {
      StageState& now = scratch_.case_stages[i];
      now.waited += times * (now.waited - scratch_.earlier[i].waited);
      for (SimTime* time : {&now.clock, &now.sent, &now.link_forward, &now.link_backward})
        *time += times * shift_[i % stride];
    }
  }

  // Visits every arrival not yet read after `repeat`, with its reader, until `visit` returns false.
  template <class Visit>
  bool each_arrival(std::int32_t repeat, Visit visit) {
    const std::int32_t base = (repeat + 1) * program_.advance * program_.row;
    for (const Waiting& waiting : program_.waiting)
      for (std::size_t k = 0; k < cases; ++k)
        if (!visit(scratch_.ready[at(base + waiting.at) * stride + k], at(waiting.stage) * stride + k))
          return false;
    return true;
  }

  const PipelineShape& shape_;
  const Program& program_;
  const std::span<const PipelineCase> given_;
  PipelineScratch& scratch_;
  Trail* const trail_;
  std::array<SimTime, stride> shift_{};  // [cases]; zero for those that do not exist
};

// Every task ran once, so busy time needs no loop over tasks; time that is neither busy nor waiting was
// spent in transfers.
void read_case(const PipelineShape& shape, const Schedule& schedule, bool overlapped, std::size_t k,
               bool is_last, const PipelineScratch& scratch, PipelineTimes& out) {
  const std::int32_t chunks = shape.chunks, microbatches = shape.microbatches;
  const auto duration = [&](std::int32_t leg, std::int32_t kind) {
    return scratch.durations[at(3 * leg + kind) * stride + k];
  };
  out.stages.assign(at(shape.stages), StageTimes{});
  out.pairs.clear();
  out.apart.assign(at(chunks), schedule.splits_backward ? microbatches - 1 : 0);
  for (std::int32_t c = 0; c < chunks; ++c) {
    const std::int32_t backward = 2 * chunks - 1 - c, weight = 2 * chunks + c;
    SimTime& busy = out.stages[at(shape.stage_of_chunk[at(c)])].busy;
    busy += (microbatches - 1) * duration(c, 0) + duration(c, 1);
    busy += schedule.splits_backward ? (microbatches - 1) * (duration(backward, 2) + duration(weight, 0)) +
                                           duration(backward, 2) + duration(weight, 1)
                                     : (microbatches - 1) * duration(backward, 0) + duration(backward, 1);
  }
  out.end = SimTime::zero();
  for (std::size_t s = 0; s < out.stages.size(); ++s) {
    const StageState& state = scratch.case_stages[s * stride + k];
    StageTimes& stage = out.stages[s];
    stage.compute_end = std::max(state.sent, state.clock);
    stage.data_end = state.data_end;
    stage.gather_wait = state.gather_wait;
    // Waits were noted for the last case alone.
    if (!overlapped && is_last)
      stage.hop_wait = stage.compute_end - stage.busy - state.waited - stage.gather_wait;
    out.end = std::max({out.end, stage.compute_end, stage.data_end});
  }
}

template <bool overlapped>
void run_cases(const PipelineShape& shape, const Program& program, std::span<const PipelineCase> cases,
               PipelineScratch& scratch, Trail* trail) {
  static_assert(most_cases == 3);
  switch (cases.size()) {
    case 1:
      return Runner<overlapped, 1>(shape, program, cases, scratch, trail).run();
    case 2:
      return Runner<overlapped, 2>(shape, program, cases, scratch, trail).run();
    default:
      return Runner<overlapped, 3>(shape, program, cases, scratch, trail).run();
  }
}

}  // namespace

void run_program(const PipelineShape& shape, const Schedule& schedule, std::span<const PipelineCase> cases,
                 const Hops& hops, PipelineScratch& scratch, Trail* trail) {
  ECHO_EXPECT(!cases.empty() && cases.size() <= most_cases);
  const Program& program = scratch.programs.of(schedule, shape);
  lay_hops(shape, hops, scratch.hops);
  lay_durations(shape, schedule, cases, scratch.durations);
  scratch.tasks_run = 0;
  scratch.pairs.clear();
  if (hops.overlapped)
    run_cases<true>(shape, program, cases, scratch, trail);
  else
    run_cases<false>(shape, program, cases, scratch, trail);
  for (std::size_t k = 0; k < cases.size(); ++k)
    read_case(shape, schedule, hops.overlapped, k, k + 1 == cases.size(), scratch, *cases[k].out);
}

}  // namespace echo::timeline
