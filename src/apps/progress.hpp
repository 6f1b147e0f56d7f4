// How far a sweep is, on worker 0's stderr: one redrawn line on a terminal, else whole lines that grep and
// parse.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "parallel/work_dispatch.hpp"

namespace echo::apps {

enum class ProgressStyle : std::int8_t { none, bar, line, json };
// "auto" is a bar on a terminal and lines elsewhere.
[[nodiscard]] ProgressStyle progress_style(const std::string& name, bool on_terminal);

// One look at a sweep under way.
struct ProgressFacts {
  std::string name;
  std::int64_t total = 0, resumed = 0;  // points of the space; of them found in journals at the start
  int workers = 1;
  parallel::Progress progress;
  double elapsed = 0.0;  // seconds since the launch began
};

[[nodiscard]] std::string progress_bar(const ProgressFacts&);  // without line end
[[nodiscard]] std::string progress_line(const ProgressFacts&,
                                        const std::string& now);  // `now`: UTC, ISO 8601
[[nodiscard]] std::string progress_json(const ProgressFacts&, const std::string& now);

// Prints at most once per interval (a bar five times a second), and a last time at the end.
class ProgressReporter {
 public:
  ProgressReporter(ProgressStyle style, double interval, ProgressFacts start);
  void see(const parallel::Progress&);
  void finish(const parallel::Progress& whole);  // all rows of this launch

 private:
  void print();
  ProgressStyle style_;
  double interval_;
  ProgressFacts facts_;
  double began_, printed_;  // monotonic seconds
};

}  // namespace echo::apps
