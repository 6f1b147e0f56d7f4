// Hands out ranges of point ids to workers that ask (two-sided messages; worker 0 answers between its own
// points).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "parallel/session.hpp"
#include "sweep/row.hpp"

namespace echo::parallel {

// Ids of [0, size) that are not among `done` (ascending), as ranges.
[[nodiscard]] std::vector<sweep::IdRange> missing_ranges(std::span<const sweep::PointIndex> done,
                                                         sweep::PointIndex size);

// Rows finished in this launch, all workers, as far as worker 0 has heard.
struct Progress {
  std::array<std::int64_t, 5> by_status{};  // [training::Status]
  std::int64_t ids = 0;                     // ids whose ranges are finished (rows, and ids that gave none)
  [[nodiscard]] std::int64_t rows() const;
};

struct DispatchOptions {
  std::int64_t largest_range = 4096;
  double range_seconds = 0.25;  // a range should take no longer than this: the reaction time to a stop
  double first_worker_seconds = 0.002;  // worker 0's own ranges: how long others may wait for an answer
  int dispatcher_only_above = 32;       // workers; beyond, worker 0 simulates nothing
};

class WorkDispatch : public sweep::WorkSource {
 public:
  // `missing` matters on worker 0 only. `on_progress` is called there, at most five times a second.
  WorkDispatch(const Session&, std::vector<sweep::IdRange> missing,
               std::function<void(const Progress&)> on_progress = {}, DispatchOptions = {});
  ~WorkDispatch() override;
  WorkDispatch(const WorkDispatch&) = delete;
  WorkDispatch& operator=(const WorkDispatch&) = delete;

  // The next range for this worker; nothing when all is handed out or a stop was asked for. After nothing, on
  // worker 0, every worker has been told.
  std::optional<sweep::IdRange> claim() override;
  // Rows this worker finished, for progress. The sink calls it.
  void note(std::span<const sweep::Row>);
  // This worker cannot go on (its disk is full): ends the dispatch for all. Call it instead of further
  // claims.
  void give_up();
  // After the last claim: ids were left over on purpose. Worker 0 knows; another may have ended before the
  // stop.
  [[nodiscard]] bool stopped_early() const;
  [[nodiscard]] const Progress& progress() const;  // worker 0: of all workers; complete after the last claim

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace echo::parallel
