// echo-sweep top FILE: the best rows of a result file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>

#include "apps/breakdown.hpp"
#include "apps/command.hpp"
#include "apps/ranking.hpp"
#include "apps/result_text.hpp"
#include "results/read_rows.hpp"

namespace echo::apps::commands {

namespace {

struct TopOptions {
  std::string file, by = "auto", model;
  std::int64_t number = 10;
  bool json = false;
};

void print_json(const results::Table& table, const TopOptions& options, const std::string& metric,
                std::span<const std::int64_t> rows) {
  Json json;
  json.open_object().member("file", options.file).member("by", metric).key("rows").open_array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json.open_object().member("rank", i + 1);
    add_row(json, table, rows[i]);
    json.close();
  }
  json.close().close();
  fmt::print("{}", json.text());
}

int run_top(const TopOptions& options) {
  const results::Table table = results::read_rows(options.file);
  const std::string metric = options.by == "auto" ? fair_metric(table) : options.by;
  const auto all = ranked(table, metric, options.model);
  const std::span<const std::int64_t> best(all.data(),
                                           std::min(all.size(), static_cast<std::size_t>(options.number)));
  if (options.json) {
    print_json(table, options, metric, best);
  } else if (best.empty()) {
    fmt::print("no feasible row{}\n", options.model.empty() ? "" : " of model " + options.model);
  } else {
    fmt::print("by {}, {} of {} feasible rows\n{}", metric, best.size(), all.size(),
               ranked_text(table, best));
    if (best.size() > 1) fmt::print("why #1 beats #2: {}\n", why_it_wins(table, best[0], best[1]));
  }
  return 0;
}

std::function<int(Invocation&)> declare(Options& options) {
  auto chosen = std::make_shared<TopOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.choice(chosen->by, "--by", {"auto", "step_time", "tokens_per_s", "tokens_per_s_per_gpu", "mfu"},
                 "metric; auto = step time, or tokens/s per GPU where batches or GPU counts differ");
  options.value(chosen->number, "-n,--number", "how many rows");
  options.value(chosen->model, "--model", "rows of this model only");
  options.flag(chosen->json, "--json", "JSON on stdout");
  return [chosen](Invocation&) { return run_top(*chosen); };
}

}  // namespace

extern const Command top{.name = "top", .summary = "the best rows of a result file", .declare = declare};

}  // namespace echo::apps::commands
