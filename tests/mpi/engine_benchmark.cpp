// What the engine itself costs, with a simulation that does nothing. Prints; judges nothing.
//   mpirun -n WORKERS engine_benchmark FOLDER [POINTS]
// hand-out alone: points/s through the dispatch, ranges as in a sweep. with journals: the same, every row
// written. one by one: ranges of a single point, so that every point is a request to worker 0, which does
// nothing else: requests/s it serves, and how long a worker waits for an answer. journals: bytes of index a
// row, and rows/s in order.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "parallel/dispatch/work_dispatch.hpp"
#include "parallel/journal/journal_rows.hpp"
#include "parallel/journal/journal_sink.hpp"
#include "parallel/session.hpp"
#include "tests/support/sample_rows.hpp"

namespace echo::parallel {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct CountingSink : sweep::RowSink {
  WorkDispatch& dispatch;
  explicit CountingSink(WorkDispatch& to) : dispatch(to) {}
  void accept(std::span<const sweep::Row> rows) override { dispatch.note(rows); }
};

// Seconds of this worker that it spent in claim(), and how often it was there.
struct Claims {
  double seconds = 0.0;
  std::int64_t count = 0;
};

Claims run_nothing(WorkDispatch& source, sweep::RowSink& sink) {
  Claims claims;
  sweep::Row row = results::sample_row(0).row;
  for (;;) {
    const auto start = Clock::now();
    const auto range = source.claim();
    claims.seconds += seconds_since(start);
    if (!range) return claims;
    ++claims.count;
    for (sweep::PointIndex id = range->begin; id < range->end && !source.is_stopping_now(); ++id) {
      source.begin(id);
      row.id = id;
      if (!source.is_poisoned(id)) sink.accept({&row, 1});
    }
  }
}

// Returns what worker 1 (the only one: worker 0) saw of claim().
void measure(const Session& session, const char* name, std::int64_t points, const DispatchOptions& options,
             const std::function<Claims(WorkDispatch&)>& work) {
  session.wait_for_all();
  const auto start = Clock::now();
  WorkDispatch dispatch(session, {.missing = IdSet({{0, points}})}, {}, options);
  const std::clock_t before = std::clock();
  const Claims claims = work(dispatch);
  const double cpu = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  session.wait_for_all();
  const double seconds = seconds_since(start);
  char line[256];
  std::snprintf(line, sizeof line,
                "%-16s %3d workers  %11.0f points/s  %10.0f per worker  claim() %8.2f us x %lld", name,
                session.workers(), static_cast<double>(points) / seconds,
                static_cast<double>(points) / seconds / session.workers(),
                1e6 * claims.seconds / static_cast<double>(std::max<std::int64_t>(claims.count, 1)),
                static_cast<long long>(claims.count));
  std::string text = line;
  session.broadcast_bytes(text, session.workers() > 1 ? 1 : 0);
  if (session.is_first())
    std::printf("%s  worker 0: %.2f us of CPU a point\n", text.c_str(),
                1e6 * cpu / static_cast<double>(points));
}

void read_back(const std::filesystem::path& folder) {
  const auto start = Clock::now();
  JournalRows rows(folder, "key");
  const double indexed = seconds_since(start);
  std::vector<results::FinishedRow> batch;
  for (std::int64_t first = 0; first < rows.size(); first += std::ssize(batch)) {
    batch.resize(static_cast<std::size_t>(std::min<std::int64_t>(16384, rows.size() - first)));
    rows.read(first, batch);
  }
  const double all = seconds_since(start) - indexed;
  std::printf(
      "journals         %lld rows of %zu bytes: indexed in %.2f s (%.0f rows/s), index %zu bytes (%.4f a "
      "row), "
      "read in order in %.2f s (%.0f rows/s)\n",
      static_cast<long long>(rows.size()), sizeof(sweep::Row), indexed,
      static_cast<double>(rows.size()) / indexed, rows.index_bytes(),
      static_cast<double>(rows.index_bytes()) / static_cast<double>(std::max<std::int64_t>(rows.size(), 1)),
      all, static_cast<double>(rows.size()) / all);
}

int run(int argc, char** argv) {
  const Session session(argc, argv);
  if (argc < 2) return 2;
  const std::filesystem::path folder = std::filesystem::path(argv[1]) / "engine_benchmark.journal";
  const std::int64_t points = argc > 2 ? std::stoll(argv[2]) : 1'000'000;

  if (session.is_first()) std::filesystem::remove_all(folder);
  session.wait_for_all();
  measure(session, "hand-out alone", 20 * points, {}, [](WorkDispatch& dispatch) {
    CountingSink sink(dispatch);
    return run_nothing(dispatch, sink);
  });
  measure(session, "with journals", points, {}, [&](WorkDispatch& dispatch) {
    Journal journal(folder, {.sweep = {.sweep_key = "key", .ids = points},
                             .worker = session.worker(),
                             .workers = session.workers()});
    JournalSink sink(journal, dispatch);
    const Claims claims = run_nothing(dispatch, sink);
    journal.close("done");
    return claims;
  });
  measure(session, "one by one", 20'000, {.largest_range = 1, .dispatcher_only_above = 1},
          [](WorkDispatch& dispatch) {
            CountingSink sink(dispatch);
            return run_nothing(dispatch, sink);
          });
  if (session.is_first()) {
    read_back(folder);
    std::filesystem::remove_all(folder);
  }
  return 0;
}

}  // namespace
}  // namespace echo::parallel

int main(int argc, char** argv) { return echo::parallel::run(argc, argv); }
