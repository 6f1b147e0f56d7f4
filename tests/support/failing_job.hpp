// The slow twin of campaign/failures.hpp: one training, failure by failure, as an event loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>
#include <random>
#include <vector>

#include "campaign/failures.hpp"

namespace echo::campaign {

// How long a repair takes that has this mean.
enum class Repairs { exponential, fixed };

class FailingJob {
 public:
  FailingJob(const FailureProcess& process, std::uint64_t seed, Repairs repairs = Repairs::exponential)
      : process_(process), random_(seed), repairs_(repairs) {
    next_failure_ = until_failure();
  }

  // Wall time until `segments` checkpoints are durable that have `work` seconds of training between them. The
  // training starts from a durable one.
  double run(double work, int segments) {
    const double segment = work + process_.stall;
    int durable = 0;
    double clock = 0.0;    // wall time
    double trained = 0.0;  // time since the last restart, stalls included
    int since_restart = 0;
    double behind = 0.0;  // from the restart to its first durable checkpoint, beyond a segment
    while (durable < segments) {
      const double due = (since_restart + 1) * segment + behind;  // on the clock of `trained`
      if (advance(due - trained, clock)) {
        trained = due;
        ++since_restart, ++durable;
        continue;
      }
      restart(clock);
      trained = 0.0, since_restart = 0;
      behind = process_.durable;
    }
    return clock;
  }

  [[nodiscard]] double waited() const { return waited_; }

 private:
  double until_failure() {
    if (process_.rate <= 0.0) return std::numeric_limits<double>::infinity();
    return std::exponential_distribution<double>(process_.rate)(random_);
  }

  // Lets the job live for `time`; false where a failure comes first.
  bool advance(double time, double& clock) {
    if (next_failure_ > time) {
      next_failure_ -= time, clock += time;
      return true;
    }
    clock += next_failure_;
    next_failure_ = until_failure();
    return false;
  }

  // From a failure until the job trains again.
  void restart(double& clock) {
    do {
      take_out_a_node(clock);
    } while (!advance(process_.downtime, clock));
  }

  void take_out_a_node(double& clock) {
    if (process_.repair <= 0.0) return;
    while (!out_.empty() && out_.top() <= clock) out_.pop();
    const double takes = repairs_ == Repairs::fixed
                             ? process_.repair
                             : std::exponential_distribution<double>(1.0 / process_.repair)(random_);
    out_.push(clock + takes);
    if (static_cast<std::int64_t>(out_.size()) <= process_.spares) return;
    const double back = out_.top();
    out_.pop();
    waited_ += back - clock;
    clock = back;
  }

  FailureProcess process_;
  std::mt19937_64 random_;
  Repairs repairs_;
  double next_failure_ = 0.0, waited_ = 0.0;
  std::priority_queue<double, std::vector<double>, std::greater<>> out_;  // when each node comes back
};

}  // namespace echo::campaign
