// Blocks: a worker that packs all rows of one chunk of the result file spares the end of the sweep that work.
// So ids are reserved for a worker up to the next border of a block, or as many whole blocks as it does in
// four ranges, so that few ranges end early at a border, though no more than an even share of those left; it
// gets ranges of them. When nothing is left to reserve, the farther half of the largest reservation goes to
// who asks.
//
// Range sizes: a quarter of an even share of the remaining ids, at least the number that the requesting
// worker simulates in `shortest_range_seconds` and at most that of `range_seconds`: large while many remain,
// small at the end, one by one where points are slow, and never long between two checks of the stop flag.
//
// Suspects (quarantine.hpp) come last, one at a time: the next is handed out only while every other worker is
// known to be idle, so that a crash is attributed to the right point. Workers request ranges ahead while they
// work; near the end they are asked to repeat the request when idle, and those that did are kept waiting.
//
// Where worker 0 becomes the bottleneck: it serves a request in 1 microsecond of CPU (measured with a
// simulation that does nothing, 32 workers on one node; 3 are assumed over a network): 3 * 10^5 a second.
// Workers send one request a range, so the load is workers / range_seconds: 4 000 a second on 1 000 workers
// (1 %); on 10 000 workers ranges grow to 0.3 s and the load is 33 000 a second (10 %). The measurement:
// tests/mpi/engine_benchmark.cpp.
#include "parallel/dispatch/hand_out.hpp"

#include <algorithm>
#include <iterator>

#include "base/at.hpp"

namespace echo::parallel {

using sweep::IdRange;

constexpr std::int64_t first_range = 8;  // before a worker's speed is known

std::int64_t Progress::rows() const {
  std::int64_t sum = 0;
  for (const std::int64_t n : by_status) sum += n;
  return sum;
}

HandOut::HandOut(WorkPlan plan, int workers, DispatchOptions options)
    : plan_(std::move(plan)),
      workers_(workers),
      options_(options),
      left_(plan_.missing.count()),
      unreserved_(left_),
      reserved_(static_cast<std::size_t>(workers)) {
  options_.range_seconds = std::max(options_.range_seconds, workers * options_.range_seconds_per_worker);
  if (left_ > 0) next_id_ = plan_.missing.ranges().front().begin;
}

std::unique_ptr<HandOut> make_hand_out(WorkPlan plan, int workers, const DispatchOptions& options) {
  return std::make_unique<HandOut>(std::move(plan), workers, options);
}

void HandOut::stop(StopReason reason) {
  const bool anything_left = left_ > 0 || has_suspects();
  if (anything_left || reason == StopReason::gave_up) stopped_ = std::max(stopped_, reason);
}

void HandOut::add(const Request& request) {
  for (std::size_t i = 0; i < request.by_status.size(); ++i) progress_.by_status[i] += request.by_status[i];
  progress_.ids += request.ids;
  progress_.best.see(request.best);
  if (request.wants_stop != 0) stop(StopReason::signal);
  if (request.gave_up != 0) stop(StopReason::gave_up);
  const std::int64_t failed = progress_.by_status[at(training::Status::failed)];
  if (plan_.most_failures >= 0 && failed > plan_.most_failures) stop(StopReason::failures);
}

constexpr std::int64_t ranges_a_reservation = 4;

// Ids for a worker that has none reserved and does `most` in a range. Contract: some are left.
IdRange HandOut::reserve(std::int64_t most) {
  if (unreserved_ == 0) {  // all are some worker's
    const auto [size, worker] = *by_size_.rbegin();
    by_size_.erase(std::prev(by_size_.end()));
    IdRange& whole = reserved_[at(worker)];
    const IdRange half{whole.begin + size / 2, whole.end};
    whole.end = half.begin;
    if (whole.begin < whole.end) by_size_.emplace(whole.end - whole.begin, worker);
    return half;
  }
  const IdRange& range = plan_.missing.ranges()[next_range_];
  const std::int64_t share = std::max<std::int64_t>(1, unreserved_ / workers_);
  const std::int64_t blocks =
      std::max(next_id_ / options_.block + 1, (next_id_ + ranges_a_reservation * most) / options_.block);
  const sweep::PointIndex border = blocks * options_.block;
  const IdRange taken{next_id_, std::min({range.end, border, next_id_ + share})};
  next_id_ = taken.end;
  unreserved_ -= taken.end - taken.begin;
  if (next_id_ == range.end && unreserved_ > 0) next_id_ = plan_.missing.ranges()[++next_range_].begin;
  return taken;
}

IdRange HandOut::take(int worker, double seconds, double per_id) {
  const std::int64_t most = count_within(seconds, per_id);
  if (left_ == 0 || stopped_ != StopReason::none) return {};
  IdRange& own = reserved_[at(worker)];
  if (own.begin == own.end)
    own = reserve(most);
  else
    by_size_.erase({own.end - own.begin, worker});
  const std::int64_t least = per_id > 0.0 ? count_within(options_.shortest_range_seconds, per_id) : 1;
  const std::int64_t quarter = std::max(left_ / (4 * std::int64_t{workers_}), least);
  const std::int64_t count = std::min({quarter, most, own.end - own.begin});
  const IdRange taken{own.begin, own.begin + count};
  own.begin = taken.end;
  left_ -= count;
  if (own.begin < own.end) by_size_.emplace(own.end - own.begin, worker);
  return taken;
}

std::int64_t HandOut::count_within(double seconds, double per_id) const {
  if (per_id <= 0.0) return first_range;
  const double most = seconds / per_id;
  return most < static_cast<double>(options_.largest_range) ? std::max<std::int64_t>(1, std::int64_t(most))
                                                            : options_.largest_range;
}

IdRange HandOut::take_own(double seconds_per_id) {
  const bool is_only = workers_ == 1;
  const double seconds = is_only ? options_.range_seconds : options_.first_worker_seconds;
  const IdRange own = take(0, seconds, seconds_per_id);
  if (own.begin < own.end || !is_only || !has_suspects() || stopped_ != StopReason::none) return own;
  const sweep::PointIndex suspect = plan_.suspects[next_suspect_++];
  return {suspect, suspect + 1};
}

std::optional<Answer> HandOut::answer(int worker, const Request& request) {
  if (alone_ == worker) alone_ = -1;
  const double per_id = request.ids > 0 ? request.seconds / static_cast<double>(request.ids) : 0.0;
  const IdRange range = take(worker, options_.range_seconds, per_id);
  if (range.begin < range.end) return Answer{Answer::Kind::work, range.begin, range.end, stopped_};
  if (!has_suspects() || stopped_ != StopReason::none) return Answer{.stopped = stopped_};
  if (request.is_idle == 0) return Answer{.kind = Answer::Kind::ask_when_idle};
  waiting_.insert(worker);
  return std::nullopt;
}

std::vector<std::pair<int, Answer>> HandOut::release() {
  std::vector<std::pair<int, Answer>> answers;
  if (!has_suspects() || stopped_ != StopReason::none) {
    for (const int worker : waiting_) answers.emplace_back(worker, Answer{.stopped = stopped_});
    waiting_.clear();
  } else if (alone_ < 0 && !waiting_.empty() && std::ssize(waiting_) == workers_ - 1) {
    alone_ = *waiting_.begin();
    waiting_.erase(waiting_.begin());
    const sweep::PointIndex suspect = plan_.suspects[next_suspect_++];
    answers.emplace_back(alone_, Answer{Answer::Kind::alone, suspect, suspect + 1, stopped_});
  }
  return answers;
}

}  // namespace echo::parallel
