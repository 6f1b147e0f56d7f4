// echo-sweep plan SWEEP.toml: how many points there are, which rule removed how many, and, on request, what a
// few of them cost to simulate. Writes nothing.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "apps/command.hpp"
#include "apps/json.hpp"
#include "apps/problem_text.hpp"
#include "apps/show_quantity.hpp"
#include "apps/terminal.hpp"
#include "apps/text_table.hpp"
#include "config/sweep_file.hpp"
#include "simulate/simulate.hpp"
#include "sweep/count_space.hpp"
#include "sweep/design_space.hpp"

namespace echo::apps::commands {

namespace {

struct PlanOptions {
  std::string sweep;
  std::vector<std::string> sets, preset_paths;
  std::int64_t probe = 0;
  bool json = false;
};

void print_json(const sweep::DesignSpace& space) {
  Json json;
  json.open_object().member("raw", space.raw()).member("points", space.size()).member("exact", true);
  json.member("duplicates", space.duplicates()).key("rules").open_array();
  for (const sweep::RuleCount& rule : sweep::count_space(space.raw_space(), {}).rules) {
    json.open_object().member("name", rule.name).member("removed", rule.removed.value).close();
  }
  json.close().close();
  fmt::print("{}", json.text());
}

void print_waterfall(const sweep::SweepSpec& spec, const sweep::DesignSpace& space) {
  TextTable table({"<", "<rule", "removed", "left", "<"});
  std::size_t axes = 0;
  for (const auto& dimension : spec.dimensions) axes += dimension.columns.size();
  std::int64_t left = space.raw();
  table.add(
      {"axes", fmt::format("{} in {} dimensions", axes, spec.dimensions.size()), "", show_count(left), ""});
  for (const sweep::RuleCount& rule : sweep::count_space(space.raw_space(), {}).rules) {
    left -= rule.removed.value;
    const char* remark = rule.removed.value == 0 ? "! removes nothing: is it needed?"
                         : left == 0             ? "! removes the last"
                                                 : "";
    table.add({"", rule.name, show_count(-rule.removed.value), show_count(left), remark});
  }
  if (space.duplicates() > 0) {
    table.add({"", "the same config twice", show_count(-space.duplicates()), show_count(space.size()), ""});
  }
  fmt::print("{}to run  {} points", table.text(), show_count(space.size()));
  if (space.raw() > 0) {
    const double share = static_cast<double>(space.size()) / static_cast<double>(space.raw());
    fmt::print(" ({})", show_share(share));
  }
  fmt::print("\nRules count in file order: a point removed by two counts for the first.\n");
}

// Simulates points spread evenly over the space.
void print_probe(const config::SweepInputs& inputs, const sweep::DesignSpace& space, std::int64_t wanted) {
  const std::int64_t points = std::min(wanted, space.size());
  if (points == 0) return;
  simulate::Workspace workspace;
  std::vector<double> seconds;
  std::int64_t feasible = 0;
  const auto clock = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  double total = 0.0;
  for (std::int64_t i = 0; i < points; ++i) {
    const auto config = space.at(i * space.size() / points);
    const double began = clock();
    const auto report = simulate::simulate(config, inputs.catalog, inputs.calibration, workspace);
    seconds.push_back(clock() - began);
    total += seconds.back();
    feasible += report.status == training::Status::ok ? 1 : 0;
  }
  std::sort(seconds.begin(), seconds.end());
  const auto middle = seconds[seconds.size() / 2], late = seconds[seconds.size() * 99 / 100];
  const double whole = total / static_cast<double>(points) * static_cast<double>(space.size());
  fmt::print("probe  {} points: median {}, p99 {}, {} feasible; all points: about {} on one worker\n", points,
             show_time(middle), show_time(late),
             show_share(static_cast<double>(feasible) / static_cast<double>(points)), show_duration(whole));
}

int run_plan(const PlanOptions& options) {
  const auto inputs = config::read_sweep(options.sweep, options.preset_paths, options.sets);
  for (const Problem& warning : inputs.warnings) {
    fmt::print(stderr, "{}", problem_text(warning, wants_colour(stderr, false)));
  }
  const sweep::DesignSpace space(inputs.spec, inputs.catalog);
  if (options.json) {
    print_json(space);
  } else {
    print_waterfall(inputs.spec, space);
    print_probe(inputs, space, options.probe);
  }
  return 0;
}

std::function<int(Invocation&)> declare(Options& options) {
  auto chosen = std::make_shared<PlanOptions>();
  options.argument(chosen->sweep, "SWEEP", "the sweep, a TOML file");
  options.values(chosen->sets, "--set", "KEY=VALUE replaces a value of the sweep; repeatable");
  options.values(chosen->preset_paths, "--preset-path",
                 "folder of presets that come before the built-in ones");
  options.value(chosen->probe, "--probe", "simulate N points and estimate the time of all");
  options.flag(chosen->json, "--json", "JSON on stdout");
  return [chosen](Invocation&) { return run_plan(*chosen); };
}

}  // namespace

extern const Command plan{
    .name = "plan", .summary = "count the points of a sweep, rule by rule", .declare = declare};

}  // namespace echo::apps::commands
