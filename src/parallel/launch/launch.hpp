// One launch of a sweep on all workers: finds existing rows, runs the missing points, assembles the file.
// Everything that `run` does except reading the sweep and printing.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "parallel/dispatch/shard.hpp"
#include "parallel/dispatch/work_dispatch.hpp"
#include "parallel/launch/carry_over.hpp"
#include "parallel/launch/launch_lock.hpp"
#include "parallel/launch/snapshot_writer.hpp"
#include "parallel/platform/surroundings.hpp"
#include "parallel/session.hpp"
#include "results/write/result_file.hpp"
#include "simulate/catalog.hpp"
#include "sweep/run/row.hpp"

namespace echo::parallel {

struct LaunchRequest {
  std::filesystem::path file;  // FILE.h5
  results::FileHeader
      header;  // its keys decide whether old rows may be kept; ids and shard are filled in here
  results::Provenance provenance;  // launches, failures and mpi are filled in here
  results::NearestFinder nearest;  // for the file of all points; may be empty
  SpaceView space;                 // ids are [0, space.size)
  Shard shard;                     // only these
  sweep::PointIndex limit = 0;     // only ids below; 0 = all. The file is then partial, and its journals stay
  bool fresh = false;              // forget journals; an old file is replaced when the new one is complete
  bool extend = false;             // keep points of an older space that are in this one
  bool retry_failed = false;       // simulate points with status failed again
  std::int64_t most_failures = -1;  // stop at the first failed row beyond; -1 = go on
  std::optional<std::chrono::steady_clock::time_point> deadline;  // no points are handed out after it
  Fsync fsync = Fsync::never;
  SnapshotPace snapshots;
  LockOptions lock;
  DispatchOptions dispatch;
};

// On the steady clock, which nobody sets; ten years at most.
[[nodiscard]] std::chrono::steady_clock::time_point seconds_from_now(double seconds);

struct LaunchOutcome {
  // limited: all below the limit is done, others are not; the file is partial.
  enum class Kind : std::int8_t { already_complete, done, limited, stopped };
  Kind kind = Kind::done;
  StopReason stop_reason = StopReason::none;
  std::int64_t resumed_rows = 0;  // found in journals and in an older file at the start
  results::WriteSummary summary;  // of the file; of all rows so far when stopped
  Progress progress;              // on worker 0: of this launch
  double seconds = 0.0;           // from the first claim to the last row
};

// The findings of worker 0 before the first claim, for the progress line.
struct LaunchStart {
  std::int64_t total = 0, resumed = 0;  // requested points; those finished before
  std::int64_t suspects = 0, poisoned = 0;
};

// On worker 0 while it runs. Any may be empty.
struct LaunchWatch {
  std::function<void(const LaunchStart&)> on_start;
  std::function<void(const Progress&)> on_progress;
  std::function<void(const std::string&)>
      on_warning;  // a snapshot failed, a point was quarantined; any thread
};

// Work on claimed ids until there are none: sweep::run_sweep with its space and catalogue bound. Calls
// begin() before each point, honours is_poisoned() and is_stopping_now().
using RunRows = std::function<void(sweep::WorkSource&, sweep::RowSink&)>;

// Collective; every worker gets the same outcome or throws a UserError of the same exit code (file of another
// sweep, another launch at work, disk full: 5; a bug: 1). Kind::stopped means exit code 75: journals stay,
// and a relaunch continues from them.
LaunchOutcome launch(const Session&, const LaunchRequest&, const simulate::Catalog&, const RunRows&,
                     LaunchWatch = {});
// The same in other surroundings than the real ones.
LaunchOutcome launch(const Surroundings&, const LaunchRequest&, const RunRows&, LaunchWatch = {});

}  // namespace echo::parallel
