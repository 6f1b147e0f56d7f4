// The protocol. A worker has one range and has already requested the next, so that the reply travels while it
// works. Each request carries the events since the last: rows by status, ids and seconds of the finished
// range, and whether the worker wants all to stop. Worker 0 answers requests whenever it needs its own next
// range; its own ranges are short for that reason. A worker that receives "over" sends one last report, which
// needs no reply: when worker 0 has all of them, every row is finished and every worker has been notified.
#include "parallel/dispatch/work_dispatch.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "simulate/report/memory_fit.hpp"

namespace echo::parallel {
namespace {

using sweep::IdRange;

constexpr int request_tag = 71, answer_tag = 72;
constexpr std::chrono::microseconds nap(50);  // while waiting for a message: leaves the core to others
constexpr std::chrono::milliseconds progress_gap(200);

template <class Message>
std::span<const std::byte> bytes_of(const Message& message) {
  return std::as_bytes(std::span(&message, 1));
}

}  // namespace

struct WorkDispatch::State {
  const Mail& mail;
  Host& host;
  std::function<bool(const Progress&)> on_progress;
  DispatchOptions options;
  std::unique_ptr<HandOut> ledger;  // worker 0's

  // State of this worker.
  std::function<void()> on_idle = [] {};
  Request since_last;            // events since the last request
  std::int64_t ids_in_hand = 0;  // of the range being worked on
  Host::Time started{};          // when that range was claimed
  bool has_asked = false, is_told = false, gave_up = false;
  StopReason heard = StopReason::none;
  double seconds_per_id = 0.0;  // worker 0's own speed

  // State of worker 0 only.
  int finished = 1;  // workers whose last report is in; itself included
  Host::Time last_progress = host.now();

  void send(int worker, const Answer& answer) const { mail.send(worker, answer_tag, bytes_of(answer)); }

  void answer_one(int worker) {
    Request request;
    mail.receive(worker, request_tag, std::as_writable_bytes(std::span(&request, 1)));
    ledger->add(request);
    if (request.is_last != 0) {
      ++finished;
    } else if (const auto answer = ledger->answer(worker, request)) {
      send(worker, *answer);
    }
  }

  void look_for_stops() {
    if (host.stop_requested()) ledger->stop(StopReason::signal);
    const auto& deadline = ledger->plan().deadline;
    if (deadline && host.now() >= *deadline) ledger->stop(StopReason::time_budget);
    if (!on_progress || host.now() - last_progress < progress_gap) return;
    last_progress = host.now();
    if (!on_progress(ledger->progress())) ledger->stop(StopReason::gave_up);
  }

  // Answers all pending requests; true if there were any.
  bool answer_all() {
    bool any = false;
    look_for_stops();
    while (const auto worker = mail.waiting(request_tag)) {
      answer_one(*worker);
      any = true;
    }
    for (const auto& [worker, answer] : ledger->release()) send(worker, answer);
    return any;
  }

  // Until every other worker has sent its last report.
  void answer_to_the_end() {
    while (finished < mail.workers())
      if (!answer_all()) host.sleep(nap);
    is_told = true;
  }

  void finish_range() {
    since_last.ids += ids_in_hand;
    since_last.seconds += ids_in_hand > 0 ? seconds_between(started, host.now()) : 0.0;
    ids_in_hand = 0;
    // The rest of the current range, if any, is not simulated.
    if (host.stop_now_requested()) since_last.gave_up = 1;
  }

  // --- worker 0
  std::optional<IdRange> claim_own() {
    finish_range();
    if (since_last.ids > 0) seconds_per_id = since_last.seconds / static_cast<double>(since_last.ids);
    ledger->add(std::exchange(since_last, {}));
    answer_all();
    const bool hands_out_only = mail.workers() > options.dispatcher_only_above;
    const IdRange own = hands_out_only ? IdRange{} : ledger->take_own(seconds_per_id);
    if (own.begin == own.end || ledger->tries_suspects()) on_idle();
    if (own.begin < own.end) return own;
    answer_to_the_end();
    return std::nullopt;
  }

  // --- the others
  void tell_first() {
    since_last.wants_stop = host.stop_requested() ? 1 : 0;
    if (gave_up) since_last.gave_up = 1;
    mail.send(0, request_tag, bytes_of(since_last));
    since_last = {};
  }

  void ask(bool is_idle) {
    since_last.is_idle = is_idle ? 1 : 0;
    tell_first();
    has_asked = true;
  }

  Answer hear() {
    while (!mail.waiting(answer_tag)) host.sleep(nap);
    Answer answer;
    mail.receive(0, answer_tag, std::as_writable_bytes(std::span(&answer, 1)));
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

WorkDispatch::WorkDispatch(const Mail& mail, WorkPlan plan, std::function<bool(const Progress&)> on_progress,
                           DispatchOptions options, Host& host)
    : state_(new State{.mail = mail,
                       .host = host,
                       .on_progress = std::move(on_progress),
                       .options = options,
                       .ledger = options.make_ledger(std::move(plan), mail.workers(), options)}) {}

WorkDispatch::~WorkDispatch() = default;

std::optional<IdRange> WorkDispatch::claim() {
  State& s = *state_;
  if (page_ != nullptr) page_->let_go();
  if (s.is_told) return std::nullopt;
  const auto range = s.mail.is_first() ? s.claim_own() : s.claim_from_first();
  if (range) {
    s.ids_in_hand = range->end - range->begin;
    s.started = s.host.now();
  }
  return range;
}

void WorkDispatch::when_idle(std::function<void()> on_idle) { state_->on_idle = std::move(on_idle); }

bool WorkDispatch::is_poisoned(sweep::PointIndex id) const {
  const auto& poisoned = state_->ledger->plan().poisoned;
  return !poisoned.empty() && std::ranges::binary_search(poisoned, id);
}

bool WorkDispatch::is_stopping_now() const { return state_->host.stop_now_requested(); }

void WorkDispatch::note(std::span<const sweep::Row> rows) {
  for (const sweep::Row& row : rows) {
    ++state_->since_last.by_status.at(at(row.report.status));
    const bool counts = row.report.status == training::Status::ok &&
                        row.report.fit_chance >= static_cast<float>(simulate::ranked_fit_chance);
    if (counts)
      state_->since_last.best.see(
          {row.report.tokens_per_second / training::gpus_of(row.config.degrees), row.config_id});
  }
}

void WorkDispatch::give_up() {
  State& s = *state_;
  if (s.is_told) return;
  s.gave_up = true;
  if (s.mail.is_first()) s.ledger->stop(StopReason::gave_up);
  s.ids_in_hand = 0;  // the range in hand was not finished
  while (claim()) s.ids_in_hand = 0;
}

StopReason WorkDispatch::stopped() const {
  return state_->mail.is_first() ? state_->ledger->stopped() : state_->heard;
}
const Progress& WorkDispatch::progress() const { return state_->ledger->progress(); }

}  // namespace echo::parallel
