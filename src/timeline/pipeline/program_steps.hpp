// What each task of a program waited for, worked out from the times that its run left. Only tasks on the
// critical path are asked for, so that a run need not note it for all of them.
#pragma once

#include <bit>
#include <cstdint>

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

// Contract: the trail is that of the run, which has not been changed since.
class ProgramSteps {
 public:
  ProgramSteps(const PipelineShape&, const ProgramRun&, const Trail&);

  // The last task of a stage.
  [[nodiscard]] std::int32_t last_of(std::int32_t stage) const;
  // What the task waited for, without its transfer. Places are those of Trail.
  [[nodiscard]] Step at_place(std::int32_t place);
  // The overlapped transfer after it: Cause::flies, Cause::queued and Step::link_before.
  void add_flight(std::int32_t place, Step&) const;

 private:
  struct Task {
    std::int32_t place = -1, microbatch = 0, leg = 0;
    bool is_late = false;  // ran after repeats were skipped, if they were
  };
  [[nodiscard]] Task task_at(std::int32_t place) const;
  [[nodiscard]] std::int32_t before(const Task&) const;  // on its stage; -1: none
  [[nodiscard]] bool is_forward(std::int32_t leg) const { return leg < chunks_; }
  [[nodiscard]] double hop(std::int32_t leg, std::size_t after) const {
    const std::size_t slot = at(3 * leg) * (width_ + 2);
    return slots_[slot + width_ + after].times[0];
  }
  [[nodiscard]] double arrival_at(std::int32_t place) const {
    return time_at(ready_ + at(place) * width_, last_case_);
  }
  [[nodiscard]] double end_of(const Task& task, bool for_late) const;
  [[nodiscard]] double handed_on(const Task& task, bool for_late) const;

  const ProgramRun& run_;
  const Program* program_;
  const std::int32_t* ran_;       // [3 * chunks] Trail::ran
  const std::uint8_t* gathered_;  // [chunks] Trail::gathered
  const std::int32_t* stage_of_chunk_;
  const TimePair *slots_, *ready_;
  std::size_t width_, last_case_;
  std::int32_t chunks_, last_microbatch_;
  Divisor row_, advance_;
  Task previous_;  // of the task last asked for: mostly the next one
};

}  // namespace echo::timeline
