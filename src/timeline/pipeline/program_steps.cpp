// The rules are those of run_task (stage.hpp): of the times that a task's start or transfer is the latest of,
// which one it is.
//
// Where repeats were skipped, times before the skip count from the step's start, and those after it are later
// by what was skipped, so that a time of a task before the skip, seen by one after it, is shifted. An arrival
// has the times of the task that reads it: those that waited at the skip were shifted in their places.
#include "timeline/pipeline/program_steps.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {

ProgramSteps::ProgramSteps(const PipelineShape& shape, const ProgramRun& run, const Trail& trail)
    : run_(run),
      program_(run.program),
      ran_(trail.ran.data()),
      gathered_(trail.gathered.data()),
      stage_of_chunk_(shape.stage_of_chunk.data()),
      slots_(run.slots.data()),
      ready_(run.ready.data()),
      width_(run.width()),
      last_case_(run.cases - 1),
      chunks_(shape.chunks),
      last_microbatch_(shape.microbatches - 1 - run.skipped),
      row_(3 * shape.chunks),
      advance_(run.program == nullptr ? 1 : std::max(1, run.program->advance)) {}

ProgramSteps::Task ProgramSteps::task_at(std::int32_t place) const {
  const std::int32_t microbatch = row_.quotient(place), leg = place - microbatch * 3 * chunks_;
  return {place, microbatch, leg, run_.skipped > 0 && microbatch >= ran_[leg]};
}

std::int32_t ProgramSteps::last_of(std::int32_t stage) const {
  if (program_->repeats == 0) return program_->prologue.last[at(stage)];
  const std::int32_t last = program_->rest.last[at(stage)];
  ECHO_EXPECT(last >= 0);  // last backwards are in no repeat
  return last - run_.skipped * program_->row;
}

std::int32_t ProgramSteps::before(const Task& task) const {
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
double ProgramSteps::handed_on(const Task& task, bool for_late) const {
  const bool is_read = task.leg + 1 < 2 * chunks_;
  const bool is_of_late = is_read ? run_.skipped > 0 && task.microbatch >= ran_[task.leg + 1] : task.is_late;
  const double time = arrival_at(task.place + 1);
  if (for_late == is_of_late) return time;
  return time + (for_late ? run_.skipped_time : -run_.skipped_time);
}

double ProgramSteps::end_of(const Task& task, bool for_late) const {
  if (!run_.overlapped) return handed_on(task, for_late);
  return run_.ends.data()[task.place] + (for_late && !task.is_late ? run_.skipped_time : 0.0);
}

Step ProgramSteps::at_place(std::int32_t place) {
  const Task task = place == previous_.place ? previous_ : task_at(place);
  Step step{.before = before(task)};
  Cause& cause = step.cause;
  double clock = 0.0, sent = 0.0;
  if (step.before >= 0) {
    previous_ = task_at(step.before);
    clock = end_of(previous_, task.is_late);
    if (!run_.overlapped) sent = clock + hop(previous_.leg, 1);
  }
  const bool is_backward = task.leg >= chunks_ && task.leg < 2 * chunks_;
  const double arrival = task.leg != 0 && task.leg < 2 * chunks_ ? arrival_at(place) : 0.0;
  if (run_.overlapped) {
    if (arrival > clock) cause.began = Began::arrival;
  } else {
    cause.received = std::max(clock, arrival) + hop(task.leg, 0) > sent;
    cause.sent = !cause.received && sent > clock;
    if (cause.received && arrival > clock) cause.began = Began::arrival;
  }
  cause.split = is_backward && program_->splits_backward;
  if (is_forward(task.leg)) {
    cause.special = task.microbatch == 0;
    cause.gathered = cause.special && gathered_[task.leg] != 0;
  } else {
    cause.special = !cause.split && task.microbatch == last_microbatch_;
  }
  return step;
}

void ProgramSteps::add_flight(std::int32_t place, Step& step) const {
  const Task task = task_at(place);
  if (!run_.overlapped || hop(task.leg, 1) <= 0.0) return;
  step.cause.flies = true;
  for (std::int32_t other = step.before; other >= 0;) {
    const Task earlier = task_at(other);
    if (is_forward(earlier.leg) == is_forward(task.leg) && hop(earlier.leg, 1) > 0.0) {
      step.link_before = other;
      step.cause.queued = handed_on(earlier, task.is_late) > end_of(task, task.is_late);
      return;
    }
    other = before(earlier);
  }
}

}  // namespace echo::timeline
