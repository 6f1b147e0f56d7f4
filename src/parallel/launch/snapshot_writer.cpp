#include "parallel/launch/snapshot_writer.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace echo::parallel {

using std::chrono::milliseconds;

milliseconds next_wait(const SnapshotPace& pace, milliseconds last) {
  const double idle = static_cast<double>(last.count()) * (1.0 - pace.most_share) / pace.most_share;
  return std::max(pace.every, milliseconds(static_cast<std::int64_t>(idle)));
}

SnapshotWriter::SnapshotWriter(SnapshotPace pace, std::function<void(const std::stop_token&)> write,
                               std::function<void(const std::string&)> on_warning, Host& host)
    : pace_(pace), write_(std::move(write)), on_warning_(std::move(on_warning)), host_(host) {
  if (pace_.every > milliseconds::zero())
    ticker_ = host.every(next_wait(pace_, milliseconds(0)),
                         [this](const std::stop_token& stop) { return act(stop); });
}

Host::Wait SnapshotWriter::act(const std::stop_token& stop) {
  const auto start = host_.now();
  try {
    write_(stop);
  } catch (const SnapshotBrokenOff&) {
    return Host::Wait(-1);
  } catch (const std::exception& error) {
    if (on_warning_) on_warning_(std::string("no snapshot this time: ") + error.what());
  }
  return next_wait(pace_, std::chrono::duration_cast<milliseconds>(host_.now() - start));
}

}  // namespace echo::parallel
