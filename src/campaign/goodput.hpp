// What failures make of a training of known length: goodput, the checkpoint interval, and the spread of its
// wall time.
#pragma once

#include <cstdint>

#include "campaign/failures.hpp"
#include "campaign/reliability.hpp"

namespace echo::campaign {

// The job that fails. Times in seconds; NaN = unknown.
struct Job {
  std::int64_t gpus = 1, nodes = 1;
  double step = 0.0;  // without checkpoints
  double step_p90 =
      0.0;  // a run's steps are longer than step e^step_p90, or shorter than step over it, 1 in 10 each
  double whole_work = 0.0;  // all steps; 0 = not known
  double checkpoint_bytes = 0.0;
  double host_link = 0.0;  // of one GPU to host memory, bytes per second; 0 = unknown
};

struct Goodput {
  double goodput = 0.0;                               // share of the wall time that advances training
  double interval = 0.0;                              // of work between two checkpoints, seconds
  double train_time = 0.0;                            // mean over failures, at the predicted step, seconds
  double train_time_p50 = 0.0, train_time_p90 = 0.0;  // over failures and the step's own error
};

// The rates and times of this job; NaN where something is unknown.
[[nodiscard]] FailureProcess failure_process(const Reliability&, const Job&);

// All NaN where something is unknown; where failures leave no time to advance, goodput is 0 and the times are
// infinite. Without the length of the training its times are NaN. Contract: reliability.is_given().
[[nodiscard]] Goodput goodput(const Reliability&, const Job&);

}  // namespace echo::campaign
