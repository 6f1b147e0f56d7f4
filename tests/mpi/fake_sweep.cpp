// The whole of a launch but for simulation: a row follows from its point's value alone. Prints what the real
// program would.
//   fake_sweep FILE.h5 IDS [--microseconds N] [--key K] [--from V] [--fresh] [--extend] [--retry-failed]
//              [--limit N] [--shard I/N] [--seconds S] [--most-failures N] [--snapshot-ms N]
//              [--stop-after ROWS] [--fail-on WORKER] [--largest-file BYTES] [--dispatcher-only]
//              [--host NAME] [--beat-ms N]
//              [--throw-at VALUE] [--segfault-at VALUE] [--kill-at VALUE] [--over-budget-at VALUE]
// The space is the values V .. V + IDS - 1, numbered from 0. With --fail-on, that worker fails in the middle
// as a full disk would. VALUE 7 of an --*-at option is that value, "*7" every one that ends so.
#include <sys/resource.h>

#include <algorithm>
#include <boost/serialization/map.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/launch/crash_signal.hpp"
#include "parallel/launch/launch.hpp"
#include "parallel/launch/stop_signal.hpp"
#include "parallel/shared_table.hpp"
#include "tests/support/sample_rows.hpp"

namespace echo {
namespace {

using Settings = std::map<std::string, std::string>;  // option -> value

std::int64_t number(const Settings& settings, const std::string& name, std::int64_t otherwise) {
  const auto found = settings.find(name);
  return found == settings.end() ? otherwise : std::stoll(found->second);
}
std::string text(const Settings& settings, const std::string& name, const std::string& otherwise = "") {
  const auto found = settings.find(name);
  return found == settings.end() ? otherwise : found->second;
}

Settings read_settings(int argc, char** argv) {
  static const std::map<std::string, bool> takes_value{{"microseconds", true},
                                                       {"key", true},
                                                       {"from", true},
                                                       {"limit", true},
                                                       {"shard", true},
                                                       {"seconds", true},
                                                       {"most-failures", true},
                                                       {"snapshot-ms", true},
                                                       {"stop-after", true},
                                                       {"largest-file", true},
                                                       {"fail-on", true},
                                                       {"throw-at", true},
                                                       {"segfault-at", true},
                                                       {"kill-at", true},
                                                       {"over-budget-at", true},
                                                       {"fresh", false},
                                                       {"extend", false},
                                                       {"retry-failed", false},
                                                       {"dispatcher-only", false},
                                                       {"host", true},
                                                       {"beat-ms", true}};
  const UserError usage("usage: fake_sweep FILE.h5 IDS [options]", "see the head of fake_sweep.cpp");
  if (argc < 3) throw usage;
  Settings settings{{"file", argv[1]}, {"ids", argv[2]}};
  for (int i = 3; i < argc; ++i) {
    const std::string name = std::string(argv[i]).substr(std::min<std::size_t>(2, std::strlen(argv[i])));
    const auto known = takes_value.find(name);
    if (known == takes_value.end() || (known->second && i + 1 == argc)) throw usage;
    settings[name] = known->second ? argv[++i] : "";
  }
  return settings;
}

// "7" is that value; "*7" is every value that ends so.
bool is_at(const Settings& settings, const std::string& name, std::int64_t value) {
  const std::string wanted = text(settings, name);
  if (wanted.empty()) return false;
  return wanted[0] == '*' ? std::to_string(value).ends_with(wanted.substr(1))
                          : std::to_string(value) == wanted;
}

sweep::Row row_of(sweep::PointIndex id, std::int64_t value) {
  sweep::Row row = results::sample_row(value).row;
  row.id = id;
  return row;
}

void fail_row(sweep::Row& row, training::Reason reason) {
  row.report = {};
  row.report.status = training::Status::failed;
  row.report.reason = reason;
}

// What a simulator does at one point, faults included.
sweep::Row simulate(const Settings& settings, sweep::PointIndex id, std::int64_t value) {
  std::this_thread::sleep_for(std::chrono::microseconds(number(settings, "microseconds", 0)));
  if (is_at(settings, "throw-at", value)) throw std::runtime_error("no such luck");
  if (is_at(settings, "segfault-at", value)) {
    volatile int* const nowhere = nullptr;
    *nowhere = 1;
  }
  if (is_at(settings, "kill-at", value)) std::raise(SIGKILL);
  sweep::Row row = row_of(id, value);
  if (is_at(settings, "over-budget-at", value)) {
    row.report = {};
    row.report.status = training::Status::over_budget;
    row.report.reason = training::Reason::work_budget;
  }
  return row;
}

sweep::Row run_point(const Settings& settings, sweep::PointIndex id, std::int64_t value,
                     sweep::WorkSource& source, sweep::RowSink& sink) {
  source.begin(id);
  sweep::Row row = row_of(id, value);
  if (source.is_poisoned(id)) {
    fail_row(row, training::Reason::crashed);
    return row;
  }
  try {
    return simulate(settings, id, value);
  } catch (const std::exception& error) {
    sink.note_failure({id, error.what()});
    fail_row(row, training::Reason::internal_error);
    return row;
  }
}

parallel::RunRows run_with(const Settings& settings, int worker) {
  return [&settings, worker](sweep::WorkSource& source, sweep::RowSink& sink) {
    const std::int64_t from = number(settings, "from", 0), stop_after = number(settings, "stop-after", -1);
    const bool fails = number(settings, "fail-on", -1) == worker;
    std::int64_t done = 0;
    while (const auto range = source.claim()) {
      for (sweep::PointIndex id = range->begin; id < range->end && !source.is_stopping_now(); ++id) {
        const sweep::Row row = run_point(settings, id, from + id, source, sink);
        sink.accept({&row, 1});
        ++done;
        if (fails && done == 20) throw UserError("no space left", "make room", 5);
        if (done == stop_after) parallel::request_stop();
      }
    }
  };
}

// Every worker must see the same bytes of a shared table.
void check_shared_table(const parallel::Session& session) {
  std::string bytes;
  if (session.is_first())
    for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(mix(static_cast<std::uint64_t>(i)));
  const parallel::SharedTable table(session, bytes);
  std::string failure;
  if (table.bytes().size() != 100'000u) failure = "size";
  for (std::size_t i = 0; i < table.bytes().size() && failure.empty(); ++i)
    if (static_cast<char>(table.bytes()[i]) != static_cast<char>(mix(i)))
      failure = "byte " + std::to_string(i);
  session.share_failure(failure);
  if (!failure.empty())
    throw UserError("the shared table is wrong: " + failure, "this is a bug in parallel/shared_table.cpp", 1);
}

parallel::LaunchRequest request_of(const Settings& settings) {
  const std::int64_t from = number(settings, "from", 0), ids = number(settings, "ids", 0);
  const std::string key = text(settings, "key", "key");
  const std::string space = std::to_string(from) + "+" + std::to_string(ids);
  parallel::LaunchRequest request{
      .file = text(settings, "file"),
      .header = {.name = "fake",
                 .title = "Made of ids",
                 .sweep_key = key + "/" + space,
                 .row_key = key,
                 .code_key = key,
                 .space_key = space},
      .provenance = {.program = "fake_sweep", .sweep_toml = "schema = 1\n"},
      .space = {.size = ids,
                .config_id = [from](sweep::PointIndex id) { return row_of(id, from + id).config_id; },
                .config = [from](sweep::PointIndex id) { return row_of(id, from + id).config; }},
      .shard = parallel::parse_shard(text(settings, "shard")),
      .limit = number(settings, "limit", 0),
      .fresh = settings.contains("fresh"),
      .extend = settings.contains("extend"),
      .retry_failed = settings.contains("retry-failed"),
      .most_failures = number(settings, "most-failures", -1),
      .snapshots = {.every = std::chrono::milliseconds(number(settings, "snapshot-ms", 0)),
                    .most_share = 0.5}};
  if (settings.contains("seconds"))
    request.deadline = parallel::seconds_from_now(std::stod(settings.at("seconds")));
  request.lock.beat = std::chrono::milliseconds(number(settings, "beat-ms", request.lock.beat.count()));
  if (settings.contains("dispatcher-only")) request.dispatch.dispatcher_only_above = 1;
  return request;
}

// This host under another name; "" = its own.
class NamedHost : public parallel::Host {
 public:
  explicit NamedHost(std::string name) : name_(std::move(name)) {}
  parallel::ProcessPlace place() override {
    auto place = real_.place();
    if (!name_.empty()) place.host = name_;
    return place;
  }
  bool is_running(const parallel::ProcessPlace& process) override { return real_.is_running(process); }
  Time now() override { return real_.now(); }
  std::string utc() override { return real_.utc(); }
  std::string token() override { return real_.token(); }
  void sleep(Wait wait) override { real_.sleep(wait); }
  std::unique_ptr<parallel::Ticker> every(Wait first, Act act) override {
    return real_.every(first, std::move(act));
  }
  bool stop_requested() override { return real_.stop_requested(); }
  bool stop_now_requested() override { return real_.stop_now_requested(); }
  void note_crashes_in(volatile std::int32_t* place) override { real_.note_crashes_in(place); }

 private:
  parallel::Host& real_ = parallel::real_host();
  std::string name_;
};

const char* name_of(parallel::LaunchOutcome::Kind kind) {
  using Kind = parallel::LaunchOutcome::Kind;
  switch (kind) {
    case Kind::already_complete:
      return "complete";
    case Kind::done:
      return "done";
    case Kind::limited:
      return "limited";
    case Kind::stopped:
      return "stopped";
  }
  return "";
}

// As if the disk were full beyond that size: MPI is up by then and has its own files.
void limit_files(std::int64_t bytes) {
  if (bytes == 0) return;
  const auto size = static_cast<rlim_t>(bytes);
  const rlimit limit{size, size};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0)
    throw UserError("cannot limit file sizes", "run it elsewhere", 1);
}

int run(const parallel::Session& session, int argc, char** argv) {
  const Settings settings = parallel::from_first_worker(session, [&] { return read_settings(argc, argv); });
  check_shared_table(session);
  limit_files(number(settings, "largest-file", 0));
  parallel::LaunchWatch watch;
  watch.on_warning = [](const std::string& warning) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  };
  watch.on_start = [](const parallel::LaunchStart& start) {
    std::printf("start total %lld resumed %lld suspects %lld poisoned %lld\n",
                static_cast<long long>(start.total), static_cast<long long>(start.resumed),
                static_cast<long long>(start.suspects), static_cast<long long>(start.poisoned));
    std::fflush(stdout);
  };
  const auto catalog = results::sample_catalog();
  const parallel::Hdf5ResultFiles files(catalog);
  NamedHost host(text(settings, "host"));
  parallel::watch_crashes();
  const auto outcome = parallel::launch({session, parallel::real_disk(), host, files}, request_of(settings),
                                        run_with(settings, session.worker()), watch);
  if (session.is_first())
    std::printf("%s resumed %lld rows %lld failed %lld seconds %.3f\nrows_digest %s\n", name_of(outcome.kind),
                static_cast<long long>(outcome.resumed_rows), static_cast<long long>(outcome.summary.rows),
                static_cast<long long>(outcome.summary.by_status[2]), outcome.seconds,
                outcome.summary.rows_digest.c_str());
  return outcome.kind == parallel::LaunchOutcome::Kind::stopped ? parallel::exit_resumable : 0;
}

}  // namespace
}  // namespace echo

int main(int argc, char** argv) {
  echo::parallel::watch_stop_signals();
  const echo::parallel::Session session(argc, argv);
  int code = 0;
  try {
    code = echo::run(session, argc, argv);
  } catch (const echo::UserError& error) {
    if (session.is_first()) std::fprintf(stderr, "error: %s\n", error.what());
    code = error.exit_code();
  }
  return session.agree_on_exit_code(code);
}
