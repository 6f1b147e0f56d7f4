#include "parallel/launch/launch.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "base/unforeseen.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/journal/claim_page.hpp"
#include "parallel/journal/journal.hpp"
#include "parallel/journal/journal_rows.hpp"
#include "parallel/journal/journal_sink.hpp"
#include "parallel/launch/assemble.hpp"
#include "parallel/launch/crash_signal.hpp"
#include "parallel/launch/look_back.hpp"
#include "parallel/launch/publish.hpp"

namespace echo::parallel {
namespace {

// The findings of worker 0 that every worker needs.
struct Before {
  bool is_complete = false;
  std::int32_t launch = 0;
  std::int64_t resumed_rows = 0;
  std::string start, token;
  std::vector<sweep::PointIndex> poisoned;
  results::WriteSummary summary;  // of a complete file

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& is_complete& launch& resumed_rows& start& token& poisoned& summary.rows_digest& summary.rows;
    for (auto& count : summary.by_status) archive& count;
  }
};

// The outcome, known to worker 0.
struct After {
  std::int32_t kind = 0;
  std::int64_t stop_reason = 0;
  results::WriteSummary summary;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& kind& stop_reason& summary.rows_digest& summary.rows;
    for (auto& count : summary.by_status) archive& count;
  }
};

// Worker 0's part of a launch: the lock, the findings, and the snapshots.
class FirstWorker {
 public:
  FirstWorker(const Surroundings& around, const LaunchRequest& request, const LaunchWatch& watch)
      : around_(around), request_(request), watch_(watch) {}

  Before begin() {
    lock_.emplace(request_.file, request_.lock, around_.disk, around_.host);
    remove_unfinished(around_.disk, request_.file);
    found_ = look_back(around_, *lock_, request_);
    Before before{.launch = found_.launch,
                  .resumed_rows = found_.resumed_rows,
                  .start = around_.host.utc(),
                  .token = lock_->token()};
    if (found_.complete) {
      before.is_complete = true;
      before.summary = {found_.complete->rows_digest, found_.complete->rows, found_.complete->by_status};
      return before;
    }
    for (const std::string& warning : found_.warnings) warn(warning);
    for (const sweep::Failure& failure : found_.quarantine.poisoned) {
      before.poisoned.push_back(failure.id);
      warn("point " + std::to_string(failure.id) + " is quarantined: it " + failure.message);
    }
    if (watch_.on_start)
      watch_.on_start({.total = found_.wanted.count(),
                       .resumed = found_.resumed_rows,
                       .suspects = std::ssize(found_.quarantine.suspects),
                       .poisoned = std::ssize(found_.quarantine.poisoned)});
    return before;
  }

  WorkPlan plan() {
    return {.missing = found_.missing,
            .suspects = found_.quarantine.suspects,
            .most_failures = request_.most_failures,
            .deadline = request_.deadline};
  }

  void start_snapshots() {
    if (found_.replaces_another) return;
    snapshots_.emplace(
        request_.snapshots,
        [this](const std::stop_token& stop) {
          JournalRows rows = journals();
          if (rows.size() > 0) assemble(around_, *lock_, request_, found_, rows, stop);
        },
        [this](const std::string& text) { warn(text); }, around_.host);
  }
  void end_snapshots() { snapshots_.reset(); }

  bool see(const Progress& progress) {
    if (watch_.on_progress) watch_.on_progress(progress);
    return !lock_->is_lost();
  }
  void check_lock() const { lock_->check(); }
  void tell_poisoned(Journal& journal) const {
    for (const sweep::Failure& failure : found_.quarantine.poisoned) journal.append(failure);
  }

  After conclude(StopReason stopped) {
    const auto folder = journal_folder(request_.file);
    JournalRows rows = journals();
    const Tally now = tally(rows, found_);
    const bool is_done = stopped == StopReason::none || (!request_.retry_failed && is_nothing_left(now));
    After after{.stop_reason = static_cast<std::int64_t>(is_done ? StopReason::none : stopped)};
    if (!is_done) {
      after.kind = static_cast<std::int32_t>(LaunchOutcome::Kind::stopped);
      after.summary = {.rows = now.done.count(), .by_status = now.by_status};
      return after;
    }
    if (!is_nothing_left(now))
      throw UserError("rows of " + std::to_string(subtract(found_.wanted, now.done).count()) +
                          " points did not reach \"" + folder.string() + "\"",
                      "run the same command again: a network file system may need a moment to show them", 5);
    after.summary = assemble(around_, *lock_, request_, found_, rows);
    const bool is_all = subtract(ids_of(request_.shard, request_.space.size), now.done).count() == 0;
    after.kind = static_cast<std::int32_t>(is_all ? LaunchOutcome::Kind::done : LaunchOutcome::Kind::limited);
    if (!is_all) return after;
    around_.files.verify(request_.file, after.summary);
    // Leftovers are harmless now. Journals of another sweep may be of an extension that is under way.
    if (rows.others().empty()) static_cast<void>(remove_journals(around_.disk, *lock_, folder));
    return after;
  }

 private:
  [[nodiscard]] bool is_nothing_left(const Tally& now) const {
    return subtract(found_.wanted, now.done).count() == 0;
  }
  [[nodiscard]] JournalRows journals() const {
    return {journal_folder(request_.file),
            request_.header.sweep_key,
            {request_.space.size, request_.space.config_id, found_.foreign},
            around_.disk};
  }
  void warn(const std::string& text) const {
    if (watch_.on_warning) watch_.on_warning(text);
  }
  const Surroundings& around_;
  const LaunchRequest& request_;
  const LaunchWatch& watch_;
  std::optional<LaunchLock> lock_;
  LookBack found_;
  std::optional<SnapshotWriter> snapshots_;
};

// Claims and runs until there is no more; the text of this worker's failure, or "".
std::string work(const Surroundings& around, const LaunchRequest& request, const JournalHeader& header,
                 WorkDispatch& dispatch, const RunRows& run, FirstWorker* first) {
  const auto folder = journal_folder(request.file);
  std::string failure;
  std::optional<ClaimPage> page;
  try {
    Journal journal(folder, header, request.fsync, around.disk, around.host);
    page.emplace(folder, header, around.disk, around.host);
    dispatch.hold_claims_in(&*page);
    if (first != nullptr) first->tell_poisoned(journal), first->start_snapshots();
    dispatch.when_idle([&journal] { journal.flush(); });
    const auto blocks = around.files.make_blocks(request.header, header.launch, header.worker);
    JournalSink sink(journal, dispatch, blocks.get());
    run(dispatch, sink);
    if (first != nullptr) first->end_snapshots(), first->check_lock();
    journal.close(dispatch.stopped() == StopReason::none ? "done" : "stopped");
  } catch (const UserError& error) {
    failure = describe(error);
  } catch (const std::exception& error) {
    failure = describe(unforeseen(error));
  }
  dispatch.hold_claims_in(nullptr);
  dispatch.when_idle([] {});
  dispatch.give_up();  // no effect after the last claim
  if (first != nullptr) first->end_snapshots();
  return failure;
}

}  // namespace

std::chrono::steady_clock::time_point seconds_from_now(double seconds) {
  constexpr double ten_years = 3.2e8;
  using Clock = std::chrono::steady_clock;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, ten_years)));
}

LaunchOutcome launch(const Session& session, const LaunchRequest& asked, const simulate::Catalog& catalog,
                     const RunRows& run, LaunchWatch watch) {
  LaunchRequest request = asked;
  request.provenance.mpi = Session::library_version();
  const Hdf5ResultFiles files(catalog, request.nearest);
  watch_crashes();
  return launch({session, real_disk(), real_host(), files}, request, run, std::move(watch));
}

LaunchOutcome launch(const Surroundings& around, const LaunchRequest& asked, const RunRows& run,
                     LaunchWatch watch) {
  const Mail& mail = around.mail;
  LaunchRequest request = asked;
  request.header.ids = request.space.size;
  request.header.shard = text_of(request.shard);
  std::optional<FirstWorker> first;
  if (mail.is_first()) first.emplace(around, request, watch);
  const Before before = from_first_worker(mail, [&] { return first->begin(); });
  LaunchOutcome outcome{.resumed_rows = before.resumed_rows, .summary = before.summary};
  if (before.is_complete) {
    outcome.kind = LaunchOutcome::Kind::already_complete;
    return outcome;
  }

  const auto start = around.host.now();
  WorkPlan plan = first ? first->plan() : WorkPlan{};
  plan.poisoned = before.poisoned;
  WorkDispatch dispatch(
      mail, std::move(plan), [&first](const Progress& progress) { return first->see(progress); },
      request.dispatch, around.host);
  std::string failure = work(around, request,
                             {.sweep = request.header,
                              .launch = before.launch,
                              .worker = mail.worker(),
                              .workers = mail.workers(),
                              .start = before.start,
                              .token = before.token},
                             dispatch, run, first ? &*first : nullptr);
  mail.share_failure(failure);
  if (!failure.empty()) throw_described(failure);
  outcome.seconds = seconds_between(start, around.host.now());

  After after = from_first_worker(mail, [&] { return first->conclude(dispatch.stopped()); });
  outcome.kind = static_cast<LaunchOutcome::Kind>(after.kind);
  outcome.stop_reason = static_cast<StopReason>(after.stop_reason);
  outcome.summary = std::move(after.summary);
  outcome.progress = dispatch.progress();
  return outcome;
}

}  // namespace echo::parallel
