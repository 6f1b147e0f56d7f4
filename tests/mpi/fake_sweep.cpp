// The whole of a launch but for simulation: rows follow from their ids alone. Prints what the real program
// would.
//   fake_sweep FILE.h5 IDS [--microseconds N] [--key K] [--fresh] [--stop-after ROWS] [--fail-on WORKER]
//              [--drop-odd-ids] [--dispatcher-only]
// With --fail-on, that worker fails in the middle as a full disk would.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "parallel/broadcast.hpp"
#include "parallel/launch.hpp"
#include "parallel/shared_table.hpp"
#include "parallel/stop_signal.hpp"
#include "tests/support/sample_rows.hpp"

namespace echo {
namespace {

struct Settings {
  std::string file, key = "key";
  std::int64_t ids = 0, microseconds = 0, stop_after = -1, fail_on = -1;
  bool fresh = false, drop_odd_ids = false, dispatcher_only = false;

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& file& key& ids& microseconds& stop_after& fail_on& fresh& drop_odd_ids& dispatcher_only;
  }
};

Settings read_settings(int argc, char** argv) {
  if (argc < 3) throw UserError("usage: fake_sweep FILE.h5 IDS [options]", "see the head of fake_sweep.cpp");
  Settings settings{.file = argv[1], .ids = std::stoll(argv[2])};
  for (int i = 3; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&] { return std::string(++i < argc ? argv[i] : "0"); };
    if (option == "--microseconds")
      settings.microseconds = std::stoll(value());
    else if (option == "--key")
      settings.key = value();
    else if (option == "--stop-after")
      settings.stop_after = std::stoll(value());
    else if (option == "--fail-on")
      settings.fail_on = std::stoll(value());
    else if (option == "--fresh")
      settings.fresh = true;
    else if (option == "--drop-odd-ids")
      settings.drop_odd_ids = true;
    else if (option == "--dispatcher-only")
      settings.dispatcher_only = true;
    else
      throw UserError("unknown option " + option, "see the head of fake_sweep.cpp");
  }
  return settings;
}

parallel::RunRows run_with(const Settings& settings, int worker) {
  return [&settings, worker](sweep::WorkSource& source, sweep::RowSink& sink) {
    std::int64_t done = 0;
    while (const auto range = source.claim()) {
      for (sweep::PointIndex id = range->begin; id < range->end; ++id) {
        if (settings.drop_odd_ids && id % 2 == 1) continue;  // a rule dropped the point: no row
        if (settings.microseconds > 0)
          std::this_thread::sleep_for(std::chrono::microseconds(settings.microseconds));
        const sweep::Row row = results::sample_row(id).row;
        sink.accept({&row, 1});
        ++done;
        if (settings.fail_on == worker && done == 20) throw UserError("no space left", "make room", 5);
        if (settings.stop_after >= 0 && done == settings.stop_after) parallel::request_stop();
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

int run(const parallel::Session& session, int argc, char** argv) {
  const Settings settings = parallel::from_first_worker(session, [&] { return read_settings(argc, argv); });
  check_shared_table(session);
  parallel::watch_stop_signals();
  parallel::DispatchOptions dispatch;
  if (settings.dispatcher_only) dispatch.dispatcher_only_above = 1;
  const parallel::LaunchRequest request{
      .file = settings.file,
      .size = settings.ids,
      .header = {.name = "fake", .title = "Made of ids", .sweep_key = settings.key},
      .provenance = {.program = "fake_sweep", .sweep_toml = "schema = 1\n"},
      .fresh = settings.fresh,
      .dispatch = dispatch};
  const auto outcome =
      parallel::launch(session, request, results::sample_catalog(), run_with(settings, session.worker()));
  using Kind = parallel::LaunchOutcome::Kind;
  if (session.is_first())
    std::printf("%s resumed %lld rows %lld\nrows_digest %s\n",
                outcome.kind == Kind::already_complete ? "complete"
                : outcome.kind == Kind::done           ? "done"
                                                       : "stopped",
                static_cast<long long>(outcome.resumed_rows), static_cast<long long>(outcome.summary.rows),
                outcome.summary.rows_digest.c_str());
  return outcome.kind == Kind::stopped ? parallel::exit_resumable : 0;
}

}  // namespace
}  // namespace echo

int main(int argc, char** argv) {
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
