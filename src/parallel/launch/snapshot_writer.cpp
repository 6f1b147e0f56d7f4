#include "parallel/launch/snapshot_writer.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace echo::parallel {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

milliseconds next_wait(const SnapshotPace& pace, milliseconds last) {
  const double idle = static_cast<double>(last.count()) * (1.0 - pace.most_share) / pace.most_share;
  return std::max(pace.every, milliseconds(static_cast<std::int64_t>(idle)));
}

SnapshotWriter::SnapshotWriter(SnapshotPace pace, std::function<void(const std::stop_token&)> write,
                               std::function<void(const std::string&)> on_warning)
    : pace_(pace), write_(std::move(write)), on_warning_(std::move(on_warning)) {
  if (pace_.every > milliseconds::zero())
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void SnapshotWriter::run(const std::stop_token& stop) {
  milliseconds took{0};
  for (;;) {
    std::unique_lock held(mutex_);
    wake_.wait_for(held, stop, next_wait(pace_, took), [] { return false; });
    if (stop.stop_requested()) return;
    const auto start = Clock::now();
    try {
      write_(stop);
    } catch (const SnapshotBrokenOff&) {
      return;
    } catch (const std::exception& error) {
      if (on_warning_) on_warning_(std::string("no snapshot this time: ") + error.what());
    }
    took = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  }
}

}  // namespace echo::parallel
