#include "cli/terminal/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "cli/terminal/terminal.hpp"
#include "parallel/journal/journal.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "training/feasibility.hpp"

namespace echo::cli {

constexpr int bar_width = 20;
constexpr double redraw_seconds = 0.2;
constexpr double noted_seconds = 30.0;  // between lines in a log file while a bar is drawn

ProgressStyle progress_style(const std::string& name, bool on_terminal) {
  if (name == "none") return ProgressStyle::none;
  if (name == "bar") return ProgressStyle::bar;
  if (name == "line") return ProgressStyle::line;
  if (name == "json") return ProgressStyle::json;
  return on_terminal ? ProgressStyle::bar : ProgressStyle::line;
}

namespace {

// The numbers shown in every form.
struct Pace {
  std::int64_t done, ok, infeasible, failed;
  double share, rate,
      remaining;  // of the space; points a second in this launch; seconds, infinite when unknown
};

Pace pace_of(const ProgressFacts& facts) {
  const auto& counts = facts.progress.by_status;
  const auto count = [&counts](training::Status status) { return counts[at(status)]; };
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

// " · best 469.7 tokens/s/GPU 8384c9ad", nothing before the first.
static std::string best_so_far(const ProgressFacts& facts) {
  const parallel::Best& best = facts.progress.best;
  if (best.rate == 0.0) return "";
  return fmt::format(" · best {:.4g} tokens/s/GPU {}", best.rate,
                     fmt::format("{:016x}", best.config).substr(0, 8));
}

// The first `width` characters.
static std::string cut(const std::string& line, std::int64_t width) {
  std::size_t end = 0;
  for (std::int64_t i = 0; i < width && end < line.size(); ++i)
    end += std::max<std::size_t>(1, utf8_length(std::string_view(line).substr(end)));
  return line.substr(0, end);
}

std::string progress_bar(const ProgressFacts& facts, std::int64_t width) {
  const Pace pace = pace_of(facts);
  const std::string full = text::show_bar(pace.share, bar_width);
  const std::string line = fmt::format(
      "echo-sweep  {}  [{:.<{}}]  {} / {}  {:3.0f} %  {} pt/s  ETA {}{} · {} elapsed · feasible {}",
      facts.name, full, bar_width, text::show_count(pace.done), text::show_count(facts.total),
      100.0 * pace.share, text::show_count(static_cast<std::int64_t>(pace.rate)),
      text::show_duration(pace.remaining), best_so_far(facts), text::show_duration(facts.elapsed),
      text::show_count(pace.ok));
  return width > 0 ? cut(line, width) : line;
}

std::string progress_line(const ProgressFacts& facts, const std::string& now) {
  const Pace pace = pace_of(facts);
  const parallel::Best& best = facts.progress.best;
  return fmt::format(
      "{} progress done={} total={} pct={:.0f} rate={:.0f}/s elapsed={:.0f}s eta={} ok={} infeasible={} "
      "failed={} best={} best_config={}\n",
      now, pace.done, facts.total, 100.0 * pace.share, pace.rate, facts.elapsed,
      pace.remaining < 1e9 ? fmt::format("{:.0f}s", pace.remaining) : "?", pace.ok, pace.infeasible,
      pace.failed, best.rate > 0.0 ? fmt::format("{:.4g}/s/gpu", best.rate) : "?",
      best.rate > 0.0 ? fmt::format("{:016x}", best.config) : "?");
}

std::string progress_json(const ProgressFacts& facts, const std::string& now) {
  const Pace pace = pace_of(facts);
  const parallel::Best& best = facts.progress.best;
  return fmt::format(
      "{{\"time\": {}, \"done\": {}, \"total\": {}, \"pct\": {:.1f}, \"rate\": {:.1f}, \"elapsed\": {:.1f}, "
      "\"eta\": {}, \"ok\": {}, \"infeasible\": {}, \"failed\": {}, \"best\": {}, \"best_config\": {}}}\n",
      text::json_text(now), pace.done, facts.total, 100.0 * pace.share, pace.rate, facts.elapsed,
      text::json_number(pace.remaining), pace.ok, pace.infeasible, pace.failed,
      best.rate > 0.0 ? text::json_number(best.rate) : "null",
      best.rate > 0.0 ? fmt::format("\"{:016x}\"", best.config) : "null");
}

Log::Log(const std::string& file) {
  if (file.empty()) return;
  file_.open(file, std::ios::app);
  if (!file_)
    throw UserError("cannot open the log \"" + file + "\"", "choose another file with --log-file", 5);
}

void Log::write(const std::string& text) {
  const std::scoped_lock held(mutex_);
  if (std::exchange(is_redrawing_, false)) fmt::print(stderr, "\r\x1b[K");
  fmt::print(stderr, "{}", text);
  std::fflush(stderr);
  if (file_.is_open()) file_ << text << std::flush;
}

void Log::redraw(const std::string& line) {
  const std::scoped_lock held(mutex_);
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  is_redrawing_ = true;
}

void Log::note(const std::string& line) {
  const std::scoped_lock held(mutex_);
  if (file_.is_open()) file_ << line << std::flush;
}

ProgressReporter::ProgressReporter(ProgressStyle style, double interval, Log& log, ProgressFacts start)
    : style_(style),
      log_(log),
      interval_(style == ProgressStyle::bar ? redraw_seconds : interval),
      facts_(std::move(start)),
      began_(monotonic_seconds()),
      printed_(began_),
      noted_(began_) {}

void ProgressReporter::see(const parallel::Progress& progress) {
  facts_.progress = progress;
  if (monotonic_seconds() - printed_ >= interval_) print();
}

void ProgressReporter::finish(const parallel::Progress& whole) {
  facts_.progress = whole;
  print();
  if (style_ != ProgressStyle::bar) return;
  log_.write(progress_bar(facts_) + "\n");
}

void ProgressReporter::print() {
  printed_ = monotonic_seconds();
  facts_.elapsed = printed_ - began_;
  switch (style_) {
    case ProgressStyle::none:
      return;
    case ProgressStyle::bar:
      log_.redraw(progress_bar(facts_, line_width(stderr) - 1));
      if (printed_ - noted_ >= noted_seconds) {
        noted_ = printed_;
        log_.note(progress_line(facts_, parallel::utc_now()));
      }
      break;
    case ProgressStyle::line:
      log_.write(progress_line(facts_, parallel::utc_now()));
      break;
    case ProgressStyle::json:
      log_.write(progress_json(facts_, parallel::utc_now()));
      break;
  }
}

}  // namespace echo::cli
