// What each task of a program waited for, worked out from the times that its run left. Only tasks on the
// critical path are asked for, so that a run need not note it for all of them. Explained in
// program_steps.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/at.hpp"
#include "timeline/pipeline/program_run.hpp"
#include "timeline/pipeline/trail.hpp"
#include "timeline/schedule.hpp"

namespace echo::timeline {

// Division of numbers in 0 .. 2^31 - 1 by one divisor (> 0), as a product: exact, since the error of the
// inverse, less than one part in 2^32 * divisor, adds less than 1 / divisor (Granlund and Montgomery 1994).
class Divisor {
 public:
  explicit Divisor(std::int32_t divisor)
      : shift_(32 + std::bit_width(static_cast<std::uint32_t>(divisor))),
        inverse_((std::uint64_t{1} << shift_) / static_cast<std::uint32_t>(divisor) + 1) {}
  [[nodiscard]] std::int32_t quotient(std::int32_t number) const {
    return static_cast<std::int32_t>(static_cast<std::uint64_t>(number) * inverse_ >> shift_);
  }

 private:
  int shift_;
  std::uint64_t inverse_;
};

// What a step of a critical path reads of a task: Step and Cause, spelled out for speed.
struct Waited {
  std::int32_t before = -1, partner = -1;
  Began began = Began::own;
  bool sent = false, received = false, partner_received = false;
  bool special = false, split = false, gathered = false, is_second = false;
};
// The overlapped transfer after a task; `before`: the one that was on the link before it, or -1.
struct Flight {
  bool flies = false, queued = false;
  std::int32_t before = -1;
};

// A task of a trail: microbatch * 3 * chunks + leg.
struct TaskPlace {
  std::int32_t at = -1, microbatch = 0, leg = 0;
};

// Contract: the trail is that of the run, which has not been changed since.
class ProgramSteps {
 public:
  ProgramSteps(const PipelineShape&, const ProgramRun&, const Trail&);

  // The last task of a stage.
  [[nodiscard]] std::int32_t last_of(std::int32_t stage) const;
  [[nodiscard]] Waited waited(const TaskPlace&) const;
  [[nodiscard]] Flight flight(const TaskPlace&) const;
  // Whether the task is in the body: all that it waited for is, then, and was the same in other runs with it.
  [[nodiscard]] bool is_in_body(const TaskPlace& task) const {
    return task.microbatch + run_.skipped < program_->before_tail[at(task.leg)];
  }

 private:
  [[nodiscard]] TaskPlace place_of(std::int32_t at) const {
    const std::int32_t microbatch = row_.quotient(at);
    return {at, microbatch, at - microbatch * 3 * chunks_};
  }
  // Whether it ran after repeats were skipped, if they were.
  [[nodiscard]] bool is_late(const TaskPlace& task) const {
    return has_skipped_ && task.microbatch >= ran_[task.leg];
  }
  [[nodiscard]] bool is_forward(std::int32_t leg) const { return leg < chunks_; }
  [[nodiscard]] double hop(std::int32_t leg, std::size_t after) const {
    return slots_[static_cast<std::size_t>(3 * leg) * (width_ + 2) + width_ + after].times[0];
  }
  [[nodiscard]] double arrival_at(std::int32_t at) const {
    return ready_[static_cast<std::size_t>(at) * width_ + pair_].times[lane_];
  }
  [[nodiscard]] std::int32_t before(const TaskPlace&) const;  // on its stage; -1: none
  [[nodiscard]] double end_of(const TaskPlace&, bool for_late) const;
  [[nodiscard]] double handed_on(const TaskPlace&, bool for_late) const;

  const ProgramRun& run_;
  const Program* program_;
  const std::int32_t* ran_;       // [3 * chunks] Trail::ran
  const std::uint8_t* gathered_;  // [chunks] Trail::gathered
  const std::int32_t* stage_of_chunk_;
  const TimePair *slots_, *ready_;
  std::size_t width_, pair_, lane_;  // pair_, lane_: of the path
  std::int32_t chunks_, last_microbatch_;
  bool has_skipped_;
  Divisor row_, advance_;
};

inline std::int32_t ProgramSteps::before(const TaskPlace& task) const {
  const Program& program = *program_;
  const auto own = [&](const MoveList& list, std::int32_t number) {
    return list.before[at(list.first[at(task.leg)] + number)];
  };
  const std::int32_t after = task.microbatch - program.ran[at(task.leg)];
  if (after < 0) return own(program.prologue, task.microbatch);
  const std::int32_t repeat = std::min(run_.repeats_run, advance_.quotient(after));
  const bool is_repeat = repeat < run_.repeats_run;
  const std::int32_t found = own(is_repeat ? program.repeat : program.rest, after - repeat * program.advance);
  if (found >= 0) return found + (is_repeat ? repeat * program.advance : -run_.skipped) * program.row;
  const auto stage = at(stage_of_chunk_[chunk_of(task.leg, chunks_)]);
  if (repeat == 0) return program.prologue.last[stage];
  return program.repeat.last[stage] + (repeat - 1) * program.advance * program.row;
}

// When the output of a task could be taken: an arrival at the place of its reader, if it has one.
inline double ProgramSteps::handed_on(const TaskPlace& task, bool for_late) const {
  const double time = arrival_at(task.at + 1);
  if (!has_skipped_) return time;
  const bool is_read = task.leg + 1 < 2 * chunks_;
  const bool is_of_late = is_read ? task.microbatch >= ran_[task.leg + 1] : is_late(task);
  if (for_late == is_of_late) return time;
  return time + (for_late ? run_.skipped_time : -run_.skipped_time);
}

inline double ProgramSteps::end_of(const TaskPlace& task, bool for_late) const {
  if (!run_.overlapped) return handed_on(task, for_late);
  return run_.ends.data()[task.at] + (for_late && !is_late(task) ? run_.skipped_time : 0.0);
}

inline Waited ProgramSteps::waited(const TaskPlace& task) const {
  Waited out{.before = before(task)};
  double clock = 0.0, sent = 0.0;
  if (out.before >= 0) {
    const TaskPlace previous = place_of(out.before);
    clock = end_of(previous, is_late(task));
    if (!run_.overlapped) sent = clock + hop(previous.leg, 1);
  }
  const double arrival = task.leg != 0 && task.leg < 2 * chunks_ ? arrival_at(task.at) : 0.0;
  if (run_.overlapped) {
    out.began = arrival > clock ? Began::arrival : Began::own;
  } else {
    out.received = std::max(clock, arrival) + hop(task.leg, 0) > sent;
    out.sent = !out.received && sent > clock;
    out.began = out.received && arrival > clock ? Began::arrival : Began::own;
  }
  if (is_forward(task.leg)) {
    out.special = task.microbatch == 0;
    out.gathered = out.special && gathered_[task.leg] != 0;
  } else {
    out.split = task.leg < 2 * chunks_ && program_->splits_backward;
    out.special = !out.split && task.microbatch == last_microbatch_;
  }
  return out;
}

}  // namespace echo::timeline
