// echo-sweep show FILE ID: one page about one row, with what the file does not store worked out again.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include "apps/command.hpp"
#include "apps/config_of_row.hpp"
#include "apps/explain.hpp"
#include "apps/result_text.hpp"
#include "apps/show_quantity.hpp"
#include "base/error.hpp"
#include "config/catalog_files.hpp"
#include "results/read_rows.hpp"
#include "slowdown/model.hpp"

namespace echo::apps::commands {

namespace {

struct ShowOptions {
  std::string file, id;
  std::vector<std::string> preset_paths;
  bool json = false;
};

// A short decimal number is a row number; everything else is the beginning of an id.
std::int64_t find_row(const results::ResultRows& rows, const std::string& id) {
  constexpr std::size_t longest_row_number = 7;
  std::int64_t number = -1;
  const auto [end, problem] = std::from_chars(id.data(), id.data() + id.size(), number);
  const bool is_number = problem == std::errc() && end == id.data() + id.size();
  if (is_number && id.size() <= longest_row_number && number < rows.rows() && number >= 0) return number;
  std::string low = id;
  std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return std::tolower(c); });
  if (const auto row = rows.row_of(low)) return *row;
  throw UserError("no row, or more than one, is called \"" + id + "\"",
                  "give 16 hex digits of config_id, enough of them to be unique, or a row number below " +
                      std::to_string(rows.rows()));
}

struct Again {
  std::optional<Explanation> told;
  std::string problem;  // why there is none, or how it disagrees with the file
};

Again work_out(const results::ResultFile& file, const results::Table& table, const ShowOptions& options) {
  constexpr std::int64_t row = 0;
  Again again;
  try {
    auto known = config::read_catalog(config::catalog_folders(options.preset_paths));
    const auto config =
        config_of_row(table, row, results::read_layer_tables(file.file()), known.catalog, again.problem);
    if (!config) return again;
    // No tax: nothing slowed the step, or its sweep left slowdown out; either way this is the same step.
    if (table.number("step_time", row) == table.number("step_time_no_slowdown", row))
      known.calibration.slowdown = slowdown::NoSlowdown{};
    again.told = explain(*config, known.catalog, known.calibration);
    const double now = to_seconds(again.told->report.step);
    if (std::isfinite(table.number("step_time", row)) && now != table.number("step_time", row)) {
      again.problem = "catalog or program have changed since: the step is now " + show_time(now);
    }
  } catch (const UserError& error) {
    again.problem = error.what();
  }
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
  json.close().key("collectives").open_array();
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
