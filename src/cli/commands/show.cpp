// echo-sweep show FILE ID: prints one page about a row; figures that the file does not store are recomputed.

#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include "base/at.hpp"
#include "cli/command.hpp"
#include "cli/run/packet_cache.hpp"
#include "cli/terminal/say.hpp"
#include "explain/chosen_row.hpp"
#include "explain/explain.hpp"
#include "explain/pipeline_text.hpp"
#include "ops/describe.hpp"
#include "query/text/measured_text.hpp"
#include "query/text/result_text.hpp"
#include "results/read_rows.hpp"
#include "simulate/unfold/step_timeline.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli::commands {

namespace {

struct ShowOptions {
  std::string file, id;
  std::vector<std::string> preset_paths;
  bool json = false;
};

struct Again {
  std::optional<explain::Explanation> explanation;
  std::string pipeline, problem;  // problem: why it is absent, or how it differs from the file
};

Again work_out(const results::ResultFile& file, const results::Table& table, const ShowOptions& options) {
  Again again;
  auto again_config = explain::config_again(file, table, options.preset_paths);
  again.problem = again_config.problem;
  if (!again_config.config) return again;
  const auto& known = again_config.known;
  const PacketCache packets(options.file, again_config.packet_cache, known.catalog, known.calibration);
  again.explanation =
      explain::explain(*again_config.config, known.catalog, known.calibration, packets.memory());
  const double now = to_seconds(again.explanation->report.step);
  if (std::isfinite(table.number("step_time", 0)) && now != table.number("step_time", 0)) {
    again.problem = again.problem.empty() ? "the catalog or the program has changed since" : again.problem;
    again.problem += "; the step time is now " + text::show_time(now);
  }
  simulate::Workspace ws;
  ws.memo.packet_memory = packets.memory();
  again.pipeline = explain::pipeline_text(
      simulate::unfold_step(*again_config.config, known.catalog, known.calibration, ws));
  return again;
}

void add_memory(text::Json& json, const std::vector<training::MemoryUse>& stages) {
  json.key("memory_by_stage").open_array();
  for (const training::MemoryUse& use : stages) {
    json.open_object();
    for (std::size_t i = 0; i < use.part.size(); ++i)
      json.member(training::memory_part_names[i], use.part[i].value);
    json.member("total", use.total().value).close();
  }
  json.close();
}

void add_path(text::Json& json, const explain::Explanation& explanation) {
  json.key("critical_path").open_array();
  for (const explain::PathCost& cost : explanation.path)
    json.open_object().member("what", cost.what).member("seconds", to_seconds(cost.time)).close();
  json.close().key("critical_path_by_stage").open_array();
  for (const SimTime time : explanation.path_by_stage) json.value(to_seconds(time));
  json.close().key("production").open_array();  // what the setting adds; empty in a benchmark
  for (const explain::PathCost& cost : explanation.production)
    json.open_object().member("cause", cost.what).member("seconds", to_seconds(cost.time)).close();
  json.close();
}

void add_kernels(text::Json& json, const std::vector<explain::KernelCost>& kernels) {
  json.key("kernels").open_array();
  for (const explain::KernelCost& cost : kernels) {
    json.open_object()
        .member("kernel", ops::describe(cost.key))
        .member("seconds_each", to_seconds(cost.each));
    json.member("times", cost.count).member("seconds", to_seconds(cost.total));
    json.member("price", ops::grade_names[at(cost.grade)]).member("error", cost.error);
    json.close();
  }
  json.close();
}

void add_shared_links(text::Json& json, const std::vector<simulate::SharedTime>& links) {
  json.key("shared_links").open_array();
  for (const simulate::SharedTime& shared : links) {
    json.open_object().member("part", time_category_names[at(shared.part)]);
    json.member("beside", time_category_names[at(shared.beside)]);
    json.member("link", bottleneck_names[at(shared.link)]);
    json.member("seconds", to_seconds(shared.lost)).close();
  }
  json.close();
}

void add_collectives(text::Json& json, const std::vector<explain::CollectiveCost>& collectives) {
  json.key("collective_times").open_array();
  for (const explain::CollectiveCost& cost : collectives) {
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

void add_explanation(text::Json& json, const explain::Explanation& explanation) {
  json.key("set_otherwise_than_recipe").open_array();
  for (const std::string& axis : explanation.overruled) json.value(axis);
  json.close();
  add_memory(json, explanation.memory);
  add_path(json, explanation);
  add_kernels(json, explanation.kernels);
  explain::add_slowdown_costs(json, explanation.slowed);
  add_shared_links(json, explanation.shared);
  add_collectives(json, explanation.collectives);
}

int run_show(const ShowOptions& options) {
  const results::ResultFile file(options.file);
  const std::int64_t found = explain::find_row(file, options.id);
  const results::Table table = file.pick(std::span(&found, 1));
  constexpr std::int64_t row = 0;
  const Again again = work_out(file, table, options);
  if (options.json) {
    text::Json json;
    json.open_object();
    query::add_row(json, table, row);
    if (again.explanation) add_explanation(json, *again.explanation);
    json.member("remark", again.problem).close();
    say("{}", json.text());
    return 0;
  }
  say("{}{}", query::page_text(table, row),
      query::measured_row_text(results::UpdatedFile(options.file), found));
  if (again.explanation) say("{}", explain::explanation_text(*again.explanation));
  say("{}", again.pipeline);
  if (!again.problem.empty()) say("\nremark: {}\n", again.problem);
  return 0;
}

std::function<int(Invocation&)> declare_show(Options& options) {
  auto chosen = std::make_shared<ShowOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.argument(chosen->id, "ID", "config_id or its first digits, or a row number");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) { return run_show(*chosen); };
}

}  // namespace

extern const Command show{.name = "show", .summary = "explain one row on one page", .declare = declare_show};

}  // namespace echo::cli::commands
