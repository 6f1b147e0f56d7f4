// Writes complete result files while the sweep runs, so that notebooks can read them: a thread of worker 0
// writes them from the journals, concurrently with the simulation. Only the main thread uses MPI; only this
// thread uses HDF5 while it exists.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "parallel/platform/host.hpp"
#include "results/write/row_stream.hpp"

namespace echo::parallel {

struct SnapshotPace {
  std::chrono::milliseconds every{300'000};  // zero = never
  double most_share = 0.1;                   // of the elapsed time
};

// How long to wait after a snapshot that took `last`.
[[nodiscard]] std::chrono::milliseconds next_wait(const SnapshotPace&, std::chrono::milliseconds last);

class SnapshotWriter {
 public:
  // `write` makes one; it should look at the token now and then, and may throw: that is a warning, and the
  // next one is tried in its turn.
  SnapshotWriter(SnapshotPace, std::function<void(const std::stop_token&)> write,
                 std::function<void(const std::string&)> on_warning, Host& = real_host());
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;
  ~SnapshotWriter() = default;  // breaks off one under way, and waits for it

 private:
  Host::Wait act(const std::stop_token&);
  SnapshotPace pace_;
  std::function<void(const std::stop_token&)> write_;
  std::function<void(const std::string&)> on_warning_;
  Host& host_;
  std::unique_ptr<Ticker> ticker_;  // the last member: starts after all others exist
};

// Thrown in the middle of a snapshot that is no longer wanted.
struct SnapshotBrokenOff {};

// Rows of another stream, until the token asks to stop.
class BreakableRows : public results::RowStream {
 public:
  BreakableRows(results::RowStream& rows, std::stop_token stop) : rows_(rows), stop_(std::move(stop)) {}
  [[nodiscard]] std::int64_t size() const override { return rows_.size(); }
  void read(std::int64_t first, std::span<results::FinishedRow> out) override {
    if (stop_.stop_requested()) throw SnapshotBrokenOff();
    rows_.read(first, out);
  }
  [[nodiscard]] bool has_block(std::int64_t first) override { return rows_.has_block(first); }
  [[nodiscard]] std::string block_part(std::int64_t first, std::int32_t part) override {
    if (stop_.stop_requested()) throw SnapshotBrokenOff();
    return rows_.block_part(first, part);
  }
  void skip_block(std::int64_t first) override { rows_.skip_block(first); }

 private:
  results::RowStream& rows_;
  std::stop_token stop_;
};

}  // namespace echo::parallel
