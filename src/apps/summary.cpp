#include "apps/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "apps/breakdown.hpp"
#include "apps/json.hpp"
#include "apps/ranking.hpp"
#include "apps/result_text.hpp"
#include "apps/show_quantity.hpp"
#include "training/feasibility.hpp"

namespace echo::apps {

using results::Table;
using training::Status;

constexpr std::size_t shown_best = 10;
constexpr std::size_t shown_near = 3;

static std::array<std::int64_t, 5> counts_of(const Table& table) {
  std::array<std::int64_t, 5> counts{};
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    ++counts[static_cast<std::size_t>(table.integer("status", row))];
  }
  return counts;
}
static std::int64_t count_of(const Table& table, Status status) {
  return counts_of(table)[static_cast<std::size_t>(status)];
}

static double rate_of(const SummaryFacts& facts) {
  return facts.seconds > 0.0 ? static_cast<double>(facts.simulated) / facts.seconds : 0.0;
}

static std::string done_line(const Table& table, const SummaryFacts& facts) {
  std::string line;
  if (facts.already_complete) {
    line = fmt::format("complete  {} points, nothing to do", show_count(table.rows()));
  } else {
    const double rate = rate_of(facts);
    line = fmt::format("done  {} points in {} on {} worker{} ({:.0f} pt/s, {:.0f} per worker)",
                       show_count(facts.simulated), show_duration(facts.seconds), facts.workers,
                       facts.workers == 1 ? "" : "s", rate, rate / facts.workers);
    const auto composed = static_cast<double>(count_of(table, Status::ok));
    if (facts.resumed == 0 && composed > 0 && facts.seconds > 0.0) {
      line += fmt::format(", {:.0f} timelines/s per worker", composed / facts.seconds / facts.workers);
    }
    if (facts.resumed > 0) line += fmt::format(" + {} from journals", show_count(facts.resumed));
  }
  const auto counts = counts_of(table);
  line += fmt::format(" · {} feasible · {} infeasible", show_count(counts[0]), show_count(counts[1]));
  if (counts[2] > 0) line += fmt::format(" · {} failed (exit 4)", show_count(counts[2]));
  if (counts[3] > 0) line += fmt::format(" · {} over budget", show_count(counts[3]));
  return line + "\n";
}

static std::string best_of(const Table& table, const std::string& metric, const std::string& model) {
  const auto all = ranked(table, metric, model);
  if (all.empty()) return fmt::format("{}: no feasible point\n", model);
  const std::span<const std::int64_t> best(all.data(), std::min(all.size(), shown_best));
  std::string text = fmt::format("best of {} by {}\n{}", model, metric, ranked_text(table, best));
  if (all.size() > 1) {
    text += fmt::format("why #1 beats #2: {}\n", why_it_wins(table, all[0], all[1]));
    text += fmt::format("  #2 differs in: {}\n", what_differs(table, all[0], all[1]));
  }
  return text;
}

static std::string nearest_text(const Table& table) {
  std::string text = "no feasible point\n";
  const auto near = least_infeasible(table);
  for (std::size_t i = 0; i < std::min(near.size(), shown_near); ++i) {
    text += fmt::format("  {}  {} {}: short of {}\n", config_key(table, near[i]).substr(0, 8),
                        table.text("model", near[i]), layout_of(table, near[i]),
                        show_gib(table.number("reason_margin", near[i])));
  }
  return text;
}

static std::string reasons_line(const Table& table) {
  std::string line;
  for (const ReasonCount& count : reasons_of(table)) {
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count.reason, show_count(count.rows));
    if (std::isfinite(count.median_margin))
      line += fmt::format(" (median short by {})", show_gib(count.median_margin));
  }
  return line.empty() ? "" : "infeasible: " + line + "\n";
}

std::string summary_text(const Table& table, const SummaryFacts& facts) {
  std::string text = done_line(table, facts) + "\n";
  if (count_of(table, Status::ok) == 0) {
    text += nearest_text(table);
  } else {
    const std::string metric = fair_metric(table);
    for (const std::string& model : models_of(table)) text += best_of(table, metric, model) + "\n";
  }
  text += reasons_line(table);
  text += fmt::format("rows_digest {}\nfile {}\n", facts.rows_digest, facts.file);
  return text;
}

std::string summary_json(const Table& table, const SummaryFacts& facts) {
  Json json;
  const auto counts = counts_of(table);
  json.open_object().member("file", facts.file).member("rows_digest", facts.rows_digest);
  json.member("points", table.rows()).member("feasible", counts[0]).member("infeasible", counts[1]);
  json.member("failed", counts[2]).member("over_budget", counts[3]).member("pending", counts[4]);
  json.member("workers", facts.workers).member("seconds", facts.seconds).member("simulated", facts.simulated);
  json.member("resumed", facts.resumed).member("points_per_second", rate_of(facts));
  json.key("reasons").open_array();
  for (const ReasonCount& count : reasons_of(table)) {
    json.open_object().member("reason", count.reason).member("rows", count.rows);
    json.member("median_margin", count.median_margin).close();
  }
  json.close();
  const std::string metric = fair_metric(table);
  json.member("ranked_by", metric).key("best").open_array();
  for (const std::string& model : models_of(table)) {
    const auto all = ranked(table, metric, model);
    for (std::size_t i = 0; i < std::min(all.size(), shown_best); ++i) {
      json.open_object().member("rank", i + 1);
      add_row(json, table, all[i]);
      json.close();
    }
  }
  json.close().close();
  return json.text();
}

int exit_code_of(const Table& table, bool allow_empty) {
  if (count_of(table, Status::failed) > 0) return 4;
  return count_of(table, Status::ok) == 0 && !allow_empty ? 3 : 0;
}

}  // namespace echo::apps
