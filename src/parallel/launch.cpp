#include "parallel/launch.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/journal.hpp"
#include "parallel/journal_sink.hpp"

namespace echo::parallel {
namespace {

// What worker 0 finds before the first claim; all workers need it.
struct Before {
  bool is_complete = false;
  std::int32_t launch = 0;
  std::int64_t resumed_rows = 0;
  std::string start;
  results::WriteSummary summary;  // of a complete file

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& is_complete& launch& resumed_rows& start& summary.rows_digest& summary.rows;
    for (auto& count : summary.by_status) archive& count;
  }
};

void forget(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove(file, error);
  if (!error) std::filesystem::remove_all(journal_folder(file), error);
  if (error)
    throw UserError("cannot remove \"" + file.string() + "\": " + error.message(), "choose another -o", 5);
}

// On worker 0. `missing` gets the ids still to do.
Before look_back(const LaunchRequest& request, std::vector<sweep::IdRange>& missing) {
  if (request.fresh) forget(request.file);
  Before before{.start = utc_now()};
  if (const auto state = results::read_state(request.file)) {
    if (state->sweep_key != request.header.sweep_key)
      throw UserError("\"" + request.file.string() + "\" holds another sweep (key " + state->sweep_key +
                          ", now " + request.header.sweep_key + ")",
                      "give this sweep its own file with -o, or replace the old one with --fresh", 5);
    std::error_code error;
    std::filesystem::remove_all(journal_folder(request.file), error);  // killed between rename and clean-up
    before.is_complete = true;
    before.summary = {state->rows_digest, state->rows, state->by_status};
    return before;
  }
  const JournalRows rows(journal_folder(request.file), request.header.sweep_key);
  before.resumed_rows = rows.size();
  before.launch = rows.next_launch();
  missing = missing_ranges(rows.ids(), request.size);
  return before;
}

// Claims and runs until there is no more; the text of this worker's failure, or "".
std::string work(const LaunchRequest& request, const JournalHeader& header, WorkDispatch& dispatch,
                 const RunRows& run) {
  std::string failure;
  try {
    Journal journal(journal_folder(request.file), header);
    JournalSink sink(journal, dispatch);
    run(dispatch, sink);
    journal.close(dispatch.stopped_early() ? "stopped" : "done");
  } catch (const UserError& error) {
    failure = describe(error);
  } catch (const std::exception& error) {
    failure = describe(
        UserError(error.what(), "this is a bug; please report it with the command and the sweep", 1));
  }
  dispatch.give_up();  // no effect after the last claim
  return failure;
}

std::array<std::int64_t, 5> count_by_status(results::RowStream& rows) {
  std::array<std::int64_t, 5> counts{};
  std::vector<results::FinishedRow> one(1);
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    rows.read(i, one);
    ++counts.at(static_cast<std::size_t>(one.front().row.report.status));
  }
  return counts;
}

// On worker 0, when every worker has ended in order.
results::WriteSummary conclude(const LaunchRequest& request, const simulate::Catalog& catalog,
                               bool is_stopped) {
  const auto folder = journal_folder(request.file);
  results::WriteSummary summary;
  {
    JournalRows rows(folder, request.header.sweep_key);
    if (is_stopped) return {.rows = rows.size(), .by_status = count_by_status(rows)};
    results::Provenance provenance = request.provenance;
    provenance.launches = rows.launches();
    provenance.mpi = Session::library_version();
    summary = results::write_results(request.file, rows, catalog, request.header, provenance);
  }
  std::error_code error;
  std::filesystem::remove_all(folder, error);  // what is left is harmless: the file is complete
  return summary;
}

}  // namespace

LaunchOutcome launch(const Session& session, const LaunchRequest& request, const simulate::Catalog& catalog,
                     const RunRows& run, std::function<void(const Progress&)> on_progress) {
  std::vector<sweep::IdRange> missing;
  const Before before = from_first_worker(session, [&] { return look_back(request, missing); });
  LaunchOutcome outcome{.resumed_rows = before.resumed_rows, .summary = before.summary};
  if (before.is_complete) {
    outcome.kind = LaunchOutcome::Kind::already_complete;
    return outcome;
  }

  const auto start = std::chrono::steady_clock::now();
  WorkDispatch dispatch(session, std::move(missing), std::move(on_progress), request.dispatch);
  std::string failure = work(request,
                             {.sweep_key = request.header.sweep_key,
                              .launch = before.launch,
                              .worker = session.worker(),
                              .workers = session.workers(),
                              .ids = request.size,
                              .start = before.start},
                             dispatch, run);
  session.share_failure(failure);
  if (!failure.empty()) throw_described(failure);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  Before after = from_first_worker(session, [&] {
    return Before{.is_complete = !dispatch.stopped_early(),
                  .summary = conclude(request, catalog, dispatch.stopped_early())};
  });
  outcome.kind = after.is_complete ? LaunchOutcome::Kind::done : LaunchOutcome::Kind::stopped;
  outcome.summary = std::move(after.summary);
  return outcome;
}

}  // namespace echo::parallel
