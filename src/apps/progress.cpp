#include "apps/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "apps/json.hpp"
#include "apps/show_quantity.hpp"
#include "parallel/journal.hpp"
#include "training/feasibility.hpp"

namespace echo::apps {

constexpr int bar_width = 20;
constexpr double redraw_seconds = 0.2;

ProgressStyle progress_style(const std::string& name, bool on_terminal) {
  if (name == "none") return ProgressStyle::none;
  if (name == "bar") return ProgressStyle::bar;
  if (name == "line") return ProgressStyle::line;
  if (name == "json") return ProgressStyle::json;
  return on_terminal ? ProgressStyle::bar : ProgressStyle::line;
}

namespace {

// The numbers every form shows.
struct Pace {
  std::int64_t done, ok, infeasible, failed;
  double share, rate,
      remaining;  // of the space; points a second in this launch; seconds, infinite when unknown
};

Pace pace_of(const ProgressFacts& facts) {
  const auto& counts = facts.progress.by_status;
  const auto count = [&counts](training::Status status) { return counts[static_cast<std::size_t>(status)]; };
  Pace pace{.done = facts.resumed + facts.progress.ids,
            .ok = count(training::Status::ok),
            .infeasible = count(training::Status::infeasible),
            .failed = count(training::Status::failed)};
  pace.share = facts.total > 0 ? static_cast<double>(pace.done) / static_cast<double>(facts.total) : 1.0;
  pace.rate = facts.elapsed > 0.0 ? static_cast<double>(facts.progress.ids) / facts.elapsed : 0.0;
  const auto left = static_cast<double>(std::max<std::int64_t>(facts.total - pace.done, 0));
  pace.remaining = left == 0.0       ? 0.0
                   : pace.rate > 0.0 ? left / pace.rate
                                     : std::numeric_limits<double>::infinity();
  return pace;
}

double monotonic_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

std::string progress_bar(const ProgressFacts& facts) {
  const Pace pace = pace_of(facts);
  const std::string full = show_bar(pace.share, bar_width);
  return fmt::format(
      "echo-sweep  {}  [{:.<{}}]  {} / {}  {:3.0f} %  {} pt/s  {} elapsed  ETA {} · feasible {}", facts.name,
      full, bar_width, show_count(pace.done), show_count(facts.total), 100.0 * pace.share,
      show_count(static_cast<std::int64_t>(pace.rate)), show_duration(facts.elapsed),
      show_duration(pace.remaining), show_count(pace.ok));
}

std::string progress_line(const ProgressFacts& facts, const std::string& now) {
  const Pace pace = pace_of(facts);
  return fmt::format(
      "{} progress done={} total={} pct={:.0f} rate={:.0f}/s elapsed={:.0f}s eta={} ok={} infeasible={} "
      "failed={}\n",
      now, pace.done, facts.total, 100.0 * pace.share, pace.rate, facts.elapsed,
      pace.remaining < 1e9 ? fmt::format("{:.0f}s", pace.remaining) : "?", pace.ok, pace.infeasible,
      pace.failed);
}

std::string progress_json(const ProgressFacts& facts, const std::string& now) {
  const Pace pace = pace_of(facts);
  return fmt::format(
      "{{\"time\": {}, \"done\": {}, \"total\": {}, \"pct\": {:.1f}, \"rate\": {:.1f}, \"elapsed\": {:.1f}, "
      "\"eta\": {}, \"ok\": {}, \"infeasible\": {}, \"failed\": {}}}\n",
      json_text(now), pace.done, facts.total, 100.0 * pace.share, pace.rate, facts.elapsed,
      json_number(pace.remaining), pace.ok, pace.infeasible, pace.failed);
}

ProgressReporter::ProgressReporter(ProgressStyle style, double interval, ProgressFacts start)
    : style_(style),
      interval_(style == ProgressStyle::bar ? redraw_seconds : interval),
      facts_(std::move(start)),
      began_(monotonic_seconds()),
      printed_(began_) {}

void ProgressReporter::see(const parallel::Progress& progress) {
  facts_.progress = progress;
  if (monotonic_seconds() - printed_ >= interval_) print();
}

void ProgressReporter::finish(const parallel::Progress& whole) {
  facts_.progress = whole;
  print();
  if (style_ == ProgressStyle::bar) fmt::print(stderr, "\n");
}

void ProgressReporter::print() {
  printed_ = monotonic_seconds();
  facts_.elapsed = printed_ - began_;
  switch (style_) {
    case ProgressStyle::none:
      return;
    case ProgressStyle::bar:
      fmt::print(stderr, "\r\x1b[K{}", progress_bar(facts_));
      break;
    case ProgressStyle::line:
      fmt::print(stderr, "{}", progress_line(facts_, parallel::utc_now()));
      break;
    case ProgressStyle::json:
      fmt::print(stderr, "{}", progress_json(facts_, parallel::utc_now()));
      break;
  }
  std::fflush(stderr);
}

}  // namespace echo::apps
