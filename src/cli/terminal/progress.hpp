// Reports the progress of a sweep on worker 0's stderr: one redrawn line on a terminal, elsewhere complete
// lines that are easy to grep and parse.
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <string>

#include "parallel/dispatch/work_dispatch.hpp"

namespace echo::cli {

enum class ProgressStyle : std::int8_t { none, bar, line, json };
// "auto" is a bar on a terminal and lines elsewhere.
[[nodiscard]] ProgressStyle progress_style(const std::string& name, bool on_terminal);

// A snapshot of the progress of a sweep.
struct ProgressFacts {
  std::string name;
  std::int64_t total = 0, resumed = 0;  // points of the space; points found in journals at the start
  std::int64_t suspects = 0;            // points that may have crashed an earlier launch; they run last
  int workers = 1;
  parallel::Progress progress;
  double elapsed = 0.0;  // seconds since the launch began
};

// Without line end, cut at `width` characters: one that wraps could not be redrawn. 0 = whole.
[[nodiscard]] std::string progress_bar(const ProgressFacts&, std::int64_t width = 0);
[[nodiscard]] std::string progress_line(const ProgressFacts&,
                                        const std::string& now);  // `now`: UTC, ISO 8601
[[nodiscard]] std::string progress_json(const ProgressFacts&, const std::string& now);

// Messages of worker 0 during the run: on stderr, and appended to a file if one is given. Thread-safe.
class Log {
 public:
  explicit Log(const std::string& file);  // "" = stderr only; UserError 5 if it cannot be opened
  void write(const std::string& text);    // complete lines
  void redraw(const std::string& line);   // replaces the last redrawn line, on stderr only
  void note(const std::string& line);     // in the file only

 private:
  std::mutex mutex_;
  std::ofstream file_;
  bool is_redrawing_ = false;
};

// Prints at most once per interval (a bar five times a second), and a last time at the end.
class ProgressReporter {
 public:
  ProgressReporter(ProgressStyle style, double interval, Log& log, ProgressFacts start);
  void see(const parallel::Progress&);
  void finish(const parallel::Progress& whole);  // all rows of this launch

 private:
  void print();
  ProgressStyle style_;
  Log& log_;
  double interval_;
  ProgressFacts facts_;
  double began_, printed_, noted_;  // monotonic seconds
};

}  // namespace echo::cli
