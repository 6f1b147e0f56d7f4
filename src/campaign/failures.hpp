// A training that machines interrupt: how long a segment between two checkpoints takes.
#pragma once

#include <cstdint>

#include "campaign/cumulants.hpp"

namespace echo::campaign {

// The process. Failures come as a Poisson process of `rate` whenever the job is not waiting for a repair:
// while it trains, writes, is diagnosed and restarts. A failure costs `downtime` (detection, restart, reading
// the checkpoint), which begins again where another failure comes meanwhile, and the work since the last
// durable checkpoint. It takes one node out for a time of mean `repair`; the job waits where all `spares` are
// out already. All times are in seconds.
struct FailureProcess {
  double rate = 0.0;      // failures of the job per second
  double stall = 0.0;     // training stands still for each checkpoint
  double durable = 0.0;   // from the end of the stall until the checkpoint can be restarted from
  double downtime = 0.0;  // of a failure, without waiting for a node
  double repair = 0.0;    // mean; 0: a node always stands by
  std::int64_t spares = 0;
  friend bool operator==(const FailureProcess&, const FailureProcess&) = default;
};

// Share of all time in which the job waits for a repair because more than `spares` nodes are out.
[[nodiscard]] double waiting_share(const FailureProcess&);

// Wall time from one durable checkpoint to the next with `work` seconds of training between them, all
// failures included. Infinite where failures leave no time for it. Contract: work > 0.
[[nodiscard]] Cumulants segment_time(const FailureProcess&, double work);

// Share of the wall time that advances training: work over the mean of segment_time; 0 where that is
// infinite.
[[nodiscard]] double goodput_of(const FailureProcess&, double work);

// The chance that `time` seconds pass without a failure.
[[nodiscard]] double chance_of_none(const FailureProcess&, double time);

}  // namespace echo::campaign
