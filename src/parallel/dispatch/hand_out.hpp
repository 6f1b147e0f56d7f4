// Worker 0's record of the points still to be handed out, of the workers, and of stop requests. Independent
// of MPI.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "parallel/dispatch/dispatch_messages.hpp"
#include "parallel/dispatch/id_set.hpp"
#include "results/write/block.hpp"

namespace echo::parallel {

// Rows finished in this launch, all workers, as far as worker 0 has heard.
struct Progress {
  std::array<std::int64_t, 5> by_status{};  // [training::Status]
  std::int64_t ids = 0;                     // ids whose ranges are finished (rows, and ids that gave none)
  Best best;                                // of this launch
  [[nodiscard]] std::int64_t rows() const;
};

// The points to simulate, and the conditions for stopping.
struct WorkPlan {
  IdSet missing;                            // to be handed out, in order
  std::vector<sweep::PointIndex> suspects;  // ascending, not in `missing`; last, one at a time
  std::vector<sweep::PointIndex> poisoned;  // ascending, in `missing`: see is_poisoned(), on every worker
  std::int64_t most_failures = -1;          // stop at the first failed row beyond; -1 = never
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

class HandOut;
struct DispatchOptions;
[[nodiscard]] std::unique_ptr<HandOut> make_hand_out(WorkPlan, int workers, const DispatchOptions&);

struct DispatchOptions {
  std::int64_t largest_range = std::int64_t{1} << 20;
  std::int64_t block =
      results::block_rows;      // ids that one worker gets one after the other, if there are enough
  double range_seconds = 0.25;  // a range should take no longer than this: the reaction time to a stop
  // ... and, unless its reservation ends, no less: what workers may wait for the last one at the end.
  double shortest_range_seconds = 0.005;
  // ... but on many workers as long as keeps worker 0 nine tenths idle, at 3 microseconds a request.
  double range_seconds_per_worker = 30e-6;
  double first_worker_seconds = 0.002;  // worker 0's own ranges: how long others may wait for an answer
  int dispatcher_only_above = 32;       // workers; beyond, worker 0 simulates nothing
  // Makes worker 0's record; tests put one with a mistake in its place.
  std::unique_ptr<HandOut> (*make_ledger)(WorkPlan, int workers, const DispatchOptions&) = make_hand_out;
};

class HandOut {
 public:
  HandOut(WorkPlan plan, int workers, DispatchOptions options);
  virtual ~HandOut() = default;

  void add(const Request&);  // its counts, and whether it asks for a stop
  // For worker 0 itself; an empty range when there is nothing for it.
  [[nodiscard]] sweep::IdRange take_own(double seconds_per_id);
  // To another worker's request; nothing: it hears later, from release().
  [[nodiscard]] std::optional<Answer> answer(int worker, const Request&);
  // Answers to those who were kept waiting, now that things may have changed.
  [[nodiscard]] virtual std::vector<std::pair<int, Answer>> release();

  [[nodiscard]] bool tries_suspects() const { return next_suspect_ > 0; }

  void stop(StopReason);  // the gravest counts; no effect when everything is handed out, but for gave_up
  [[nodiscard]] StopReason stopped() const { return stopped_; }
  [[nodiscard]] const Progress& progress() const { return progress_; }
  [[nodiscard]] const WorkPlan& plan() const { return plan_; }

 private:
  [[nodiscard]] sweep::IdRange take(int worker, double seconds, double per_id);
  [[nodiscard]] sweep::IdRange reserve(std::int64_t most);
  [[nodiscard]] std::int64_t count_within(double seconds, double per_id) const;
  [[nodiscard]] bool has_suspects() const { return next_suspect_ < plan_.suspects.size(); }
  WorkPlan plan_;
  int workers_;
  DispatchOptions options_;
  std::size_t next_range_ = 0;
  sweep::PointIndex next_id_ = 0;                   // in that range
  std::int64_t left_ = 0;                           // ids, reserved or not
  std::int64_t unreserved_ = 0;                     // of them
  std::vector<sweep::IdRange> reserved_;            // [worker] what is left of its block
  std::set<std::pair<std::int64_t, int>> by_size_;  // of those that are not empty
  std::size_t next_suspect_ = 0;
  int alone_ = -1;         // the worker that tries a suspect
  std::set<int> waiting_;  // idle workers without an answer
  StopReason stopped_ = StopReason::none;
  Progress progress_;
};

}  // namespace echo::parallel
