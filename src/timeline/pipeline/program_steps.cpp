// The rules are those of run_task (stage.hpp): of the times that a task's start or transfer is the latest of,
// which one it is.
//
// Where repeats were skipped, times before the skip count from the step's start, and those after it are later
// by what was skipped, so that a time of a task before the skip, seen by one after it, is shifted. An arrival
// has the times of the task that reads it: those that waited at the skip were shifted in their places.
#include "timeline/pipeline/program_steps.hpp"

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
      width_(run.width),
      pair_(run.path_lane / 2),
      lane_(run.path_lane % 2),
      chunks_(shape.chunks),
      last_microbatch_(shape.microbatches - 1 - run.skipped),
      has_skipped_(run.skipped > 0),
      row_(3 * shape.chunks),
      advance_(run.program == nullptr ? 1 : std::max(1, run.program->advance)) {}

std::int32_t ProgramSteps::last_of(std::int32_t stage) const {
  if (program_->repeats == 0) return program_->prologue.last[at(stage)];
  const std::int32_t last = program_->rest.last[at(stage)];
  ECHO_EXPECT(last >= 0);  // last backwards are in no repeat
  return last - run_.skipped * program_->row;
}

Flight ProgramSteps::flight(const TaskPlace& task) const {
  if (!run_.overlapped || hop(task.leg, 1) <= 0.0) return {};
  for (std::int32_t other = before(task); other >= 0;) {
    const TaskPlace earlier = place_of(other);
    if (is_forward(earlier.leg) == is_forward(task.leg) && hop(earlier.leg, 1) > 0.0) {
      const bool for_late = is_late(task);
      return {true, handed_on(earlier, for_late) > end_of(task, for_late), other};
    }
    other = before(earlier);
  }
  return {.flies = true};
}

}  // namespace echo::timeline
