// [search] strategy = "best" of a run: finds the points on all workers before they become rows.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/run/sweep_inputs.hpp"
#include "cli/terminal/progress.hpp"
#include "parallel/session.hpp"
#include "results/search_group.hpp"

namespace echo::cli {

struct BestSearch {
  std::filesystem::path file;  // the result's
  std::string sweep_key;       // of the sweep and the gap
  double gap = 0.0;            // share
  bool fresh = false;          // forget what earlier launches found
  std::string progress;        // style, as --progress says
  double interval = 60.0;      // seconds between progress lines
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

struct BestPoints {
  bool is_stopped = false;           // the text on stderr has said how far it is
  results::SearchRecord record;      // on worker 0
  std::vector<std::int64_t> points;  // numbers of combinations, ascending; on every worker
};

// Collective. Where the result file is complete, its points are taken from there.
[[nodiscard]] BestPoints find_best(const parallel::Session&, const WorkerInputs&, const BestSearch&, Log&);

// "1.5%", "0.015": a share; UserError 2 where it is neither.
[[nodiscard]] double parse_share(const std::string& text, const std::string& option);

// What the search proved, in lines of text.
[[nodiscard]] std::string proof_text(const results::SearchRecord&);

}  // namespace echo::cli
