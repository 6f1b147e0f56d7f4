// echo-sweep status FILE.h5: reports the progress of a sweep and whether it is complete; batch scripts use it
// instead of $?.
#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <thread>

#include "cli/command.hpp"
#include "cli/slurm/time_budget.hpp"
#include "cli/terminal/say.hpp"
#include "parallel/launch/stop_signal.hpp"
#include "parallel/launch/sweep_status.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli::commands {

namespace {

using parallel::SweepStatus;
using State = SweepStatus::State;

struct StatusOptions {
  std::string file, every = "5s";
  bool json = false, exit_code = false, watch = false;
};

const char* name_of(State state) {
  switch (state) {
    case State::absent:
      return "absent";
    case State::resumable:
      return "resumable";
    case State::running:
      return "running";
    case State::complete:
      return "complete";
  }
  return "";
}

const char* name_of(parallel::Holder holder) {
  switch (holder) {
    case parallel::Holder::alive:
      return "alive";
    case parallel::Holder::gone:
      return "gone";
    case parallel::Holder::unknown:
      return "on another host";
  }
  return "";
}

std::string counts_text(const SweepStatus& status) {
  const auto& n = status.by_status;
  std::string text = fmt::format("feasible {} · infeasible {} · failed {}", text::show_count(n[0]),
                                 text::show_count(n[1]), text::show_count(n[2]));
  if (n[3] > 0) text += fmt::format(" · over budget {}", text::show_count(n[3]));
  return text + "\n";
}

std::string journals_text(const SweepStatus& status) {
  std::string text = fmt::format("journals {} MB", status.journal_bytes / 1'000'000);
  if (status.journal_age) text += fmt::format(", {} old", text::show_duration(*status.journal_age));
  if (status.torn_bytes > 0) text += fmt::format(", {} torn bytes", text::show_count(status.torn_bytes));
  text += "\n";
  for (const results::Launch& launch : status.launches)
    text += fmt::format("launch {}: {} workers, from {}{}, {} points, {}\n", launch.number, launch.workers,
                        launch.start, launch.end.empty() ? "" : " to " + launch.end,
                        text::show_count(launch.points), launch.stop_reason);
  return text;
}

std::string status_text(const SweepStatus& status) {
  if (status.state == State::absent) return "absent  nothing has been run yet\n";
  const double share =
      status.total > 0 ? static_cast<double>(status.done) / static_cast<double>(status.total) : 1.0;
  std::string text =
      fmt::format("{}  {}{}  {} of {} points ({:.1f} %)\n", name_of(status.state), status.name,
                  status.shard.empty() ? "" : " shard " + status.shard, text::show_count(status.done),
                  text::show_count(status.total), 100.0 * share);
  text += counts_text(status);
  if (status.state == State::complete) return text + "digest " + status.rows_digest + "\n";
  if (const auto rate = rate_of(status))
    text += fmt::format("{:.0f} points/s, {} left at this rate\n", *rate,
                        text::show_duration(*seconds_left(status)));
  text += journals_text(status);
  if (status.lock)
    text += fmt::format("lock: {} ({})\n", describe_holder(*status.lock), name_of(status.holder));
  if (!status.damage.empty())
    text += fmt::format("the file is damaged, the next launch puts it aside: {}\n", status.damage);
  for (const sweep::Failure& failure : status.quarantine.poisoned)
    text += fmt::format("quarantined: point {} {}\n", failure.id, failure.message);
  if (!status.quarantine.suspects.empty())
    text += fmt::format("suspects: {} points, tried last\n", status.quarantine.suspects.size());
  if (status.state == State::resumable) text += "run the same command again to continue\n";
  return text;
}

void add_launches(text::Json& json, const SweepStatus& status) {
  json.key("launches").open_array();
  for (const results::Launch& launch : status.launches) {
    json.open_object().member("number", launch.number).member("workers", launch.workers);
    json.member("start", launch.start).member("end", launch.end).member("points", launch.points);
    json.member("stop_reason", launch.stop_reason).close();
  }
  json.close();
}

std::string status_json(const std::string& file, const SweepStatus& status) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();  // null in JSON
  const auto& n = status.by_status;
  text::Json json;
  json.open_object().member("file", file).member("state", name_of(status.state)).member("name", status.name);
  json.member("shard", status.shard).member("total", status.total).member("done", status.done);
  json.member("rows", status.done).member("feasible", n[0]).member("infeasible", n[1]).member("failed", n[2]);
  json.member("over_budget", n[3]).member("rows_digest", status.rows_digest);
  json.member("rate", rate_of(status).value_or(unknown))
      .member("eta", seconds_left(status).value_or(unknown));
  json.member("journal_bytes", status.journal_bytes).member("torn_bytes", status.torn_bytes);
  json.member("journal_age", status.journal_age.value_or(unknown)).member("damage", status.damage);
  add_launches(json, status);
  if (status.lock) {
    json.key("lock").open_object().member("host", status.lock->holder.host);
    json.member("pid", status.lock->holder.pid).member("job", status.lock->holder.job);
    json.member("since", status.lock->since).member("beat", status.lock->beat);
    json.member("holder", name_of(status.holder)).close();
  }
  json.key("quarantined").open_array();
  for (const sweep::Failure& failure : status.quarantine.poisoned)
    json.open_object().member("id", failure.id).member("message", failure.message).close();
  json.close().key("suspects").open_array();
  for (const sweep::PointIndex point : status.quarantine.suspects) json.value(point);
  json.close().close();
  return json.text();
}

int exit_code_of(State state) {
  switch (state) {
    case State::complete:
      return 0;
    case State::absent:
      return 5;
    case State::resumable:
    case State::running:
      break;
  }
  return parallel::exit_resumable;
}

int run_status(const StatusOptions& options) {
  const double every = parse_seconds(options.every, "--every");
  for (;;) {
    const SweepStatus status = parallel::look_at(options.file);
    say("{}", options.json ? status_json(options.file, status) : status_text(status));
    std::fflush(stdout);
    const bool is_over = status.state == State::complete || status.state == State::resumable;
    if (!options.watch || is_over) return options.exit_code ? exit_code_of(status.state) : 0;
    std::this_thread::sleep_for(std::chrono::duration<double>(every));
    if (!options.json) say("\n");
  }
}

std::function<int(Invocation&)> declare_status(Options& options) {
  auto chosen = std::make_shared<StatusOptions>();
  options.argument(chosen->file, "FILE", "result file, which need not exist yet");
  options.flag(chosen->watch, "--watch", "repeat until the sweep ends");
  options.value(chosen->every, "--every", "interval between reports: 5s");
  options.flag(chosen->exit_code, "--exit-code",
               "exit with 0 if complete, 75 if running or resumable, 5 if absent");
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) { return run_status(*chosen); };
}

}  // namespace

extern const Command status{
    .name = "status", .summary = "report the progress of a sweep", .declare = declare_status};

}  // namespace echo::cli::commands
