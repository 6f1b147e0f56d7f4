// The protocol. A worker has one range and has already requested the next, so that the reply travels while it
// works. Each request carries the events since the last: rows by status, ids and seconds of the finished
// range, and whether the worker wants all to stop. Worker 0 answers requests whenever it needs its own next
// range; its own ranges are short for that reason. A worker that receives "over" sends one last report, which
// needs no reply: when worker 0 has all of them, every row is finished and every worker has been notified.
#include "parallel/dispatch/work_dispatch.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "parallel/launch/stop_signal.hpp"

namespace echo::parallel {
namespace {

using Clock = std::chrono::steady_clock;
using sweep::IdRange;

constexpr int request_tag = 71, answer_tag = 72;
constexpr std::chrono::microseconds nap(50);  // while waiting for a message: leaves the core to others
constexpr std::chrono::milliseconds progress_gap(200);

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

struct WorkDispatch::State {
  const Session& session;
  std::function<bool(const Progress&)> on_progress;
  DispatchOptions options;
  HandOut ledger;  // worker 0's

  // State of this worker.
  std::function<void()> on_idle = [] {};
  Request since_last;            // events since the last request
  std::int64_t ids_in_hand = 0;  // of the range being worked on
  Clock::time_point started{};   // when that range was claimed
  bool has_asked = false, is_told = false, gave_up = false;
  StopReason heard = StopReason::none;
  double seconds_per_id = 0.0;  // worker 0's own speed

  // State of worker 0 only.
  int finished = 1;  // workers whose last report is in; itself included
  Clock::time_point last_progress = Clock::now();

  void send(int worker, const Answer& answer) const {
    MPI_Send(&answer, sizeof answer, MPI_BYTE, worker, answer_tag, MPI_COMM_WORLD);
  }

  void answer_one(int worker) {
    Request request;
    MPI_Recv(&request, sizeof request, MPI_BYTE, worker, request_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ledger.add(request);
    if (request.is_last != 0) {
      ++finished;
    } else if (const auto answer = ledger.answer(worker, request)) {
      send(worker, *answer);
    }
  }

  void look_for_stops() {
    if (stop_requested()) ledger.stop(StopReason::signal);
    const auto& deadline = ledger.plan().deadline;
    if (deadline && Clock::now() >= *deadline) ledger.stop(StopReason::time_budget);
    if (!on_progress || Clock::now() - last_progress < progress_gap) return;
    last_progress = Clock::now();
    if (!on_progress(ledger.progress())) ledger.stop(StopReason::gave_up);
  }

  // Answers all pending requests; true if there were any.
  bool answer_all() {
    bool any = false;
    look_for_stops();
    for (;;) {
      int waiting = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, request_tag, MPI_COMM_WORLD, &waiting, &status);
      if (waiting == 0) break;
      answer_one(status.MPI_SOURCE);
      any = true;
    }
    for (const auto& [worker, answer] : ledger.release()) send(worker, answer);
    return any;
  }

  // Until every other worker has sent its last report.
  void answer_to_the_end() {
    while (finished < session.workers())
      if (!answer_all()) std::this_thread::sleep_for(nap);
    is_told = true;
  }

  void finish_range() {
    since_last.ids += ids_in_hand;
    since_last.seconds += ids_in_hand > 0 ? seconds_since(started) : 0.0;
    ids_in_hand = 0;
    // The rest of the current range, if any, is not simulated.
    if (stop_now_requested()) since_last.gave_up = 1;
  }

  // --- worker 0
  std::optional<IdRange> claim_own() {
    finish_range();
    if (since_last.ids > 0) seconds_per_id = since_last.seconds / static_cast<double>(since_last.ids);
    ledger.add(std::exchange(since_last, {}));
    answer_all();
    const bool hands_out_only = session.workers() > options.dispatcher_only_above;
    const IdRange own = hands_out_only ? IdRange{} : ledger.take_own(seconds_per_id);
    if (own.begin == own.end || ledger.tries_suspects()) on_idle();
    if (own.begin < own.end) return own;
    answer_to_the_end();
    return std::nullopt;
  }

  // --- the others
  void tell_first() {
    since_last.wants_stop = stop_requested() ? 1 : 0;
    if (gave_up) since_last.gave_up = 1;
    MPI_Send(&since_last, sizeof since_last, MPI_BYTE, 0, request_tag, MPI_COMM_WORLD);
    since_last = {};
  }

  void ask(bool is_idle) {
    since_last.is_idle = is_idle ? 1 : 0;
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
    for (;;) {
      if (!has_asked) ask(true);
      const Answer answer = hear();
      switch (answer.kind) {
        case Answer::Kind::ask_when_idle:
          on_idle();
          continue;
        case Answer::Kind::work:
          ask(false);
          return IdRange{answer.begin, answer.end};
        case Answer::Kind::alone:
          on_idle();
          return IdRange{answer.begin, answer.end};
        case Answer::Kind::over:
          since_last.is_last = 1;
          tell_first();
          is_told = true;
          heard = answer.stopped;
          return std::nullopt;
      }
    }
  }
};

WorkDispatch::WorkDispatch(const Session& session, WorkPlan plan,
                           std::function<bool(const Progress&)> on_progress, DispatchOptions options)
    : state_(new State{.session = session,
                       .on_progress = std::move(on_progress),
                       .options = options,
                       .ledger = HandOut(std::move(plan), session.workers(), options)}) {}

WorkDispatch::~WorkDispatch() = default;

std::optional<IdRange> WorkDispatch::claim() {
  State& s = *state_;
  if (page_ != nullptr) page_->let_go();
  if (s.is_told) return std::nullopt;
  const auto range = s.session.is_first() ? s.claim_own() : s.claim_from_first();
  if (range) {
    s.ids_in_hand = range->end - range->begin;
    s.started = Clock::now();
  }
  return range;
}

void WorkDispatch::when_idle(std::function<void()> on_idle) { state_->on_idle = std::move(on_idle); }

bool WorkDispatch::is_poisoned(sweep::PointIndex id) const {
  const auto& poisoned = state_->ledger.plan().poisoned;
  return !poisoned.empty() && std::ranges::binary_search(poisoned, id);
}

bool WorkDispatch::is_stopping_now() const { return stop_now_requested(); }

void WorkDispatch::note(std::span<const sweep::Row> rows) {
  for (const sweep::Row& row : rows) ++state_->since_last.by_status.at(at(row.report.status));
}

void WorkDispatch::give_up() {
  State& s = *state_;
  if (s.is_told) return;
  s.gave_up = true;
  if (s.session.is_first()) s.ledger.stop(StopReason::gave_up);
  s.ids_in_hand = 0;  // the range in hand was not finished
  while (claim()) s.ids_in_hand = 0;
}

StopReason WorkDispatch::stopped() const {
  return state_->session.is_first() ? state_->ledger.stopped() : state_->heard;
}
const Progress& WorkDispatch::progress() const { return state_->ledger.progress(); }

}  // namespace echo::parallel
