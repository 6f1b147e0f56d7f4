// [reliability]: how often machines fail under a training, and what a failure and a checkpoint cost. Nothing
// has a default that stands for a measurement: what is not given comes from the named preset, or is missing.
#pragma once

#include <cstdint>
#include <string>

namespace echo::campaign {

// blocking: training waits until the checkpoint is on storage. async: it waits for the copy to host memory;
// the rest is written while it goes on.
enum class CheckpointMode : std::int8_t { blocking, async };

// Times in seconds, bandwidths in bytes per second; -1 = not given.
struct Reliability {
  std::string preset;                                         // name; empty: none
  double gpu_mtbf = -1.0, node_mtbf = -1.0, job_mtbf = -1.0;  // mean time between failures; one is given
  double detection = -1.0, restart = -1.0;
  double repair = -1.0;      // of a node, mean; -1: a node always stands by
  std::int64_t spares = -1;  // nodes that stand by beyond those of the job; -1 with repair -1
  double every = -1.0;       // of work, between checkpoints; 0: the best
  CheckpointMode mode = CheckpointMode::blocking;
  bool mode_is_given = false;
  double write_bandwidth = -1.0;       // of the storage, all nodes together
  double node_write_bandwidth = -1.0;  // of one node to it
  double write_time = -1.0;            // instead of bandwidths: until a checkpoint is on storage
  double stall = -1.0;                 // of async: the copy to host memory; -1: at the GPU's host link
  double read_bandwidth = -1.0;        // at a restart; -1: `restart` includes reading the checkpoint

  [[nodiscard]] bool is_given() const { return gpu_mtbf > 0.0 || node_mtbf > 0.0 || job_mtbf > 0.0; }
  friend bool operator==(const Reliability&, const Reliability&) = default;
};

// What `own` leaves open, as the preset has it: the mean time between failures, how fast a checkpoint is
// written, and the repair with its spares each as a whole.
[[nodiscard]] Reliability filled_up(Reliability own, const Reliability& preset);

// One line for a reader of the result file; "" where nothing is given.
[[nodiscard]] std::string describe(const Reliability&);

}  // namespace echo::campaign
