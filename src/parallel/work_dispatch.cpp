// The protocol. A worker holds one range and has already asked for the next, so that an answer is under way
// while it works. Each request carries what happened since the last: rows by status, ids and seconds of the
// finished range, and whether the worker wants all to stop. Worker 0 answers requests whenever it is asked
// for its own next range; its own ranges are short for that reason. A worker that hears "no more" sends one
// last report, which needs no answer: when worker 0 has them all, every row is finished and everybody knows.
//
// Range sizes: a quarter of an even share of what is left, at least one id, at most what the asking worker
// does in `range_seconds`: large while much is left, one by one at the end, and never long between two looks
// at the stop flag.
#include "parallel/work_dispatch.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/contract.hpp"
#include "parallel/stop_signal.hpp"

namespace echo::parallel {
namespace {

using Clock = std::chrono::steady_clock;
using sweep::IdRange;

constexpr int request_tag = 71, answer_tag = 72;
constexpr std::chrono::microseconds nap(50);  // while waiting for a message: leaves the core to others
constexpr std::chrono::milliseconds progress_gap(200);
constexpr std::int64_t first_range = 8;  // before a worker's speed is known

// Plain integers and doubles only: sent as bytes between like machines.
struct Request {
  std::array<std::int64_t, 5> by_status{};
  std::int64_t ids = 0;  // of the finished range
  double seconds = 0.0;  // it took
  std::int64_t wants_stop = 0;
  std::int64_t gave_up = 0;  // ids it was handed stay undone
  std::int64_t is_last = 0;  // a report, not a question
};
struct Answer {
  std::int64_t begin = 0, end = 0;  // begin == end: no more
  std::int64_t stopped = 0;         // ids are left over on purpose
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

std::int64_t Progress::rows() const {
  std::int64_t sum = 0;
  for (const std::int64_t n : by_status) sum += n;
  return sum;
}

std::vector<IdRange> missing_ranges(std::span<const sweep::PointIndex> done, sweep::PointIndex size) {
  std::vector<IdRange> missing;
  sweep::PointIndex next = 0;
  for (const sweep::PointIndex id : done) {
    if (id > next) missing.push_back({next, id});
    next = std::max(next, id + 1);
  }
  if (next < size) missing.push_back({next, size});
  return missing;
}

struct WorkDispatch::State {
  const Session& session;
  std::function<void(const Progress&)> on_progress;
  DispatchOptions options;

  // Of this worker.
  Request since_last;            // rows noted since the last request
  std::int64_t ids_in_hand = 0;  // of the range being worked on
  Clock::time_point started{};   // when that range was claimed
  bool has_asked = false, is_told = false, was_stopped = false, gave_up = false;
  double seconds_per_id = 0.0;  // worker 0's own speed

  // Of worker 0 only.
  std::vector<IdRange> missing;
  std::size_t next_range = 0;
  std::int64_t left = 0;
  int finished = 1;  // workers whose last report is in; itself included
  Progress progress;
  Clock::time_point last_progress = Clock::now();

  [[nodiscard]] bool is_first() const { return session.is_first(); }

  IdRange take(std::int64_t most) {
    if (next_range == missing.size() || was_stopped) return {};
    IdRange& range = missing[next_range];
    const std::int64_t count = std::clamp<std::int64_t>(left / (4 * std::int64_t{session.workers()}), 1,
                                                        std::min(most, range.end - range.begin));
    const IdRange taken{range.begin, range.begin + count};
    range.begin = taken.end;
    left -= count;
    if (range.begin == range.end) ++next_range;
    return taken;
  }

  [[nodiscard]] std::int64_t most_within(double seconds, double per_id) const {
    if (per_id <= 0.0) return first_range;
    const double most = seconds / per_id;
    return std::max<std::int64_t>(1, most < static_cast<double>(options.largest_range)
                                         ? static_cast<std::int64_t>(most)
                                         : options.largest_range);
  }

  void add(const Request& request) {
    for (std::size_t i = 0; i < request.by_status.size(); ++i) progress.by_status[i] += request.by_status[i];
    progress.ids += request.ids;
    if (request.wants_stop != 0) stop_handing_out();
    if (request.gave_up != 0) was_stopped = true;
  }

  void stop_handing_out() {
    if (left > 0) was_stopped = true;
  }

  void answer_one(int worker) {
    Request request;
    MPI_Recv(&request, sizeof request, MPI_BYTE, worker, request_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add(request);
    if (request.is_last != 0) {
      ++finished;
      return;
    }
    const double per_id = request.ids > 0 ? request.seconds / static_cast<double>(request.ids) : 0.0;
    const IdRange range = take(most_within(options.range_seconds, per_id));
    const Answer answer{range.begin, range.end, was_stopped ? 1 : 0};
    MPI_Send(&answer, sizeof answer, MPI_BYTE, worker, answer_tag, MPI_COMM_WORLD);
  }

  // Answers everyone who has asked by now; true when anyone had.
  bool answer_all() {
    bool any = false;
    if (stop_requested()) stop_handing_out();
    for (;;) {
      int waiting = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, request_tag, MPI_COMM_WORLD, &waiting, &status);
      if (waiting == 0) break;
      answer_one(status.MPI_SOURCE);
      any = true;
    }
    if (on_progress && Clock::now() - last_progress >= progress_gap) {
      last_progress = Clock::now();
      on_progress(progress);
    }
    return any;
  }

  // Until every other worker has sent its last report.
  void answer_to_the_end() {
    while (finished < session.workers())
      if (!answer_all()) std::this_thread::sleep_for(nap);
    is_told = true;
  }

  void finish_range() {
    since_last.ids = ids_in_hand;
    since_last.seconds = ids_in_hand > 0 ? seconds_since(started) : 0.0;
    ids_in_hand = 0;
  }

  // --- worker 0
  std::optional<IdRange> claim_own() {
    finish_range();
    if (since_last.ids > 0) seconds_per_id = since_last.seconds / static_cast<double>(since_last.ids);
    add(std::exchange(since_last, {}));
    answer_all();
    if (session.workers() > options.dispatcher_only_above) answer_to_the_end();
    const bool alone = session.workers() == 1;
    const IdRange own =
        take(most_within(alone ? options.range_seconds : options.first_worker_seconds, seconds_per_id));
    if (own.begin == own.end) {
      answer_to_the_end();
      return std::nullopt;
    }
    return own;
  }

  // --- the others
  void tell_first() {
    since_last.wants_stop = stop_requested() ? 1 : 0;
    since_last.gave_up = gave_up ? 1 : 0;
    MPI_Send(&since_last, sizeof since_last, MPI_BYTE, 0, request_tag, MPI_COMM_WORLD);
    since_last = {};
  }

  void ask() {
    tell_first();
    has_asked = true;
  }

  Answer hear() {
    int here = 0;
    for (;;) {
      MPI_Iprobe(0, answer_tag, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE);
      if (here != 0) break;
      std::this_thread::sleep_for(nap);
    }
    Answer answer;
    MPI_Recv(&answer, sizeof answer, MPI_BYTE, 0, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    has_asked = false;
    return answer;
  }

  std::optional<IdRange> claim_from_first() {
    finish_range();
    if (!has_asked) ask();
    const Answer answer = hear();
    if (answer.begin == answer.end) {
      since_last.is_last = 1;
      tell_first();
      is_told = true;
      was_stopped = answer.stopped != 0;
      return std::nullopt;
    }
    ask();
    return IdRange{answer.begin, answer.end};
  }
};

WorkDispatch::WorkDispatch(const Session& session, std::vector<IdRange> missing,
                           std::function<void(const Progress&)> on_progress, DispatchOptions options)
    : state_(new State{.session = session,
                       .on_progress = std::move(on_progress),
                       .options = options,
                       .missing = std::move(missing)}) {
  for (const IdRange& range : state_->missing) state_->left += range.end - range.begin;
}

WorkDispatch::~WorkDispatch() = default;

std::optional<IdRange> WorkDispatch::claim() {
  State& s = *state_;
  if (s.is_told) return std::nullopt;
  const auto range = s.is_first() ? s.claim_own() : s.claim_from_first();
  if (range) {
    s.ids_in_hand = range->end - range->begin;
    s.started = Clock::now();
  }
  return range;
}

void WorkDispatch::note(std::span<const sweep::Row> rows) {
  for (const sweep::Row& row : rows)
    ++state_->since_last.by_status.at(static_cast<std::size_t>(row.report.status));
}

void WorkDispatch::give_up() {
  State& s = *state_;
  if (s.is_told) return;
  s.gave_up = true;
  if (s.is_first()) s.was_stopped = true;
  s.ids_in_hand = 0;  // the range in hand was not finished
  while (claim()) s.ids_in_hand = 0;
}

bool WorkDispatch::stopped_early() const { return state_->was_stopped; }
const Progress& WorkDispatch::progress() const { return state_->progress; }

}  // namespace echo::parallel
