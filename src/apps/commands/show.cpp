// echo-sweep show FILE ID: one page about one row, with what the file does not store worked out again.
#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include "apps/chosen_row.hpp"
#include "apps/command.hpp"
#include "apps/explain.hpp"
#include "apps/pipeline_text.hpp"
#include "apps/result_text.hpp"
#include "apps/show_quantity.hpp"
#include "ops/describe.hpp"
#include "results/read_rows.hpp"
#include "simulate/step_timeline.hpp"

namespace echo::apps::commands {

namespace {

struct ShowOptions {
  std::string file, id;
  std::vector<std::string> preset_paths;
  bool json = false;
};

struct Again {
  std::optional<Explanation> told;
  std::string pipeline, problem;  // problem: why there is none, or how it disagrees with the file
};

Again work_out(const results::ResultFile& file, const results::Table& table, const ShowOptions& options) {
  Again again;
  auto again_config = config_again(file, table, options.preset_paths);
  again.problem = again_config.problem;
  if (!again_config.config) return again;
  const auto& known = again_config.known;
  again.told = explain(*again_config.config, known.catalog, known.calibration);
  const double now = to_seconds(again.told->report.step);
  if (std::isfinite(table.number("step_time", 0)) && now != table.number("step_time", 0)) {
    again.problem = again.problem.empty() ? "catalog or program have changed since" : again.problem;
    again.problem += ": the step is now " + show_time(now);
  }
  simulate::Workspace ws;
  again.pipeline =
      pipeline_text(simulate::unfold_step(*again_config.config, known.catalog, known.calibration, ws));
  return again;
}

void add_explanation(Json& json, const Explanation& told) {
  json.key("memory_by_stage").open_array();
  for (const training::MemoryUse& use : told.memory) {
    json.open_object();
    for (std::size_t i = 0; i < use.part.size(); ++i) {
      json.member(training::memory_part_names[i], use.part[i].value);
    }
    json.member("total", use.total().value).close();
  }
  json.close().key("critical_path").open_array();
  for (const PathCost& cost : told.path)
    json.open_object().member("what", cost.what).member("seconds", to_seconds(cost.time)).close();
  json.close().key("critical_path_by_stage").open_array();
  for (const SimTime time : told.path_by_stage) json.value(to_seconds(time));
  json.close().key("kernels").open_array();
  for (const KernelCost& cost : told.kernels) {
    json.open_object()
        .member("kernel", ops::describe(cost.key))
        .member("seconds_each", to_seconds(cost.each));
    json.member("times", cost.count).member("seconds", to_seconds(cost.total));
    json.member("price", ops::grade_names[static_cast<std::size_t>(cost.grade)]).member("error", cost.error);
    json.close();
  }
  json.close();
  add_slowdown_costs(json, told.slowed);
  json.key("shared_links").open_array();
  for (const simulate::SharedTime& shared : told.shared) {
    json.open_object().member("part", part_names[static_cast<std::size_t>(shared.part)]);
    json.member("beside", part_names[static_cast<std::size_t>(shared.beside)]);
    json.member("link", driver_names[static_cast<std::size_t>(shared.link)]);
    json.member("seconds", to_seconds(shared.lost)).close();
  }
  json.close().key("collective_times").open_array();
  for (const CollectiveCost& cost : told.collectives) {
    json.open_object().member("part", cost.part).member("collective", cost.kind);
    json.member("payload_bytes", cost.payload.value).member("ranks", cost.ranks).member("nodes", cost.nodes);
    json.member("algorithm", cost.algorithm)
        .member("protocol", cost.protocol)
        .member("channels", cost.channels);
    json.member("seconds_each", to_seconds(cost.each)).member("times", cost.count);
    json.member("seconds", to_seconds(cost.total)).close();
  }
  json.close();
}

int run_show(const ShowOptions& options) {
  const results::ResultFile file(options.file);
  const std::int64_t found = find_row(file, options.id);
  const results::Table table = file.pick(std::span(&found, 1));
  constexpr std::int64_t row = 0;
  const Again again = work_out(file, table, options);
  if (options.json) {
    Json json;
    json.open_object();
    add_row(json, table, row);
    if (again.told) add_explanation(json, *again.told);
    json.member("remark", again.problem).close();
    fmt::print("{}", json.text());
    return 0;
  }
  fmt::print("{}", page_text(table, row));
  if (again.told) fmt::print("{}", explanation_text(*again.told));
  fmt::print("{}", again.pipeline);
  if (!again.problem.empty()) fmt::print("\nremark: {}\n", again.problem);
  return 0;
}

std::function<int(Invocation&)> declare(Options& options) {
  auto chosen = std::make_shared<ShowOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.argument(chosen->id, "ID", "config_id or the beginning of one, or a row number");
  options.values(chosen->preset_paths, "--preset-path",
                 "folder of presets that come before the built-in ones");
  options.flag(chosen->json, "--json", "JSON on stdout");
  return [chosen](Invocation&) { return run_show(*chosen); };
}

}  // namespace

extern const Command show{.name = "show", .summary = "one page about one row", .declare = declare};

}  // namespace echo::apps::commands
