// From a config to a launch file.
// Problem: a table says which settings say a fact; which facts of a config a framework cannot say at all is
// not written anywhere, and would be forgotten first. Idea: write the settings, read them back as an import
// would, and compare axis by axis: what differs and is not idle is unsaid.
#include "launch_flags/launch.hpp"

#include <fmt/format.h>

#include "launch_flags/write.hpp"
#include "sweep/choice/value_text.hpp"
#include "sweep/space/config_id.hpp"

namespace echo::launch_flags {

namespace {

using training::TrainingConfig;

std::string text_of(const TrainingConfig& config, sweep::Axis axis, const simulate::Catalog& catalog) {
  return sweep::value_text(axis, sweep::value_in(config, axis, catalog), catalog);
}

std::vector<ChosenAxis> chosen(const std::vector<Unsaid>& unsaid) {
  std::vector<ChosenAxis> axes;
  for (const Unsaid& one : unsaid)
    if (const auto axis = training::find_axis(one.axis)) axes.push_back({*axis, one.value, ""});
  return axes;
}

// Axes that no launch file says, and without which none can be read.
std::vector<Unsaid> always_unsaid(const TrainingConfig& config, const simulate::Catalog& catalog) {
  return {{"cluster", text_of(config, sweep::Axis::cluster, catalog), ""}};
}

void add_if_missing(const Facts& said, sweep::Axis axis, const TrainingConfig& config,
                    const simulate::Catalog& catalog, std::vector<Unsaid>& unsaid) {
  const std::string name(sweep::info_of(axis).name);
  if (!said.contains(name)) unsaid.push_back({name, text_of(config, axis, catalog), ""});
}

// What an import of the settings would refuse to do without.
void add_required(const Settings& settings, const Table& table, const TrainingConfig& config,
                  const simulate::Catalog& catalog, std::vector<Unsaid>& unsaid) {
  const Facts said = facts_said(settings, table).facts;
  if (!said.contains("nodes") && !said.contains("dp") && !said.contains("dp_shard"))
    add_if_missing(said, sweep::Axis::gpus, config, catalog, unsaid);
  const std::vector<std::string> alike = models_like(said, catalog);
  const std::string& model = catalog.model(config.model).name;
  if (!said.contains("model") && (alike.empty() || alike.front() != model))
    unsaid.push_back({"model", model, alike.empty() ? "" : alike.front()});
  if (!said.contains("global_batch") && !said.contains("accumulation") && !said.contains("replica_batch"))
    add_if_missing(said, sweep::Axis::global_batch, config, catalog, unsaid);
}

}  // namespace

Imported read_back(const Settings& settings, const std::vector<Unsaid>& unsaid, const Table& table,
                   const simulate::Catalog& catalog, Problems& problems) {
  return import_settings(settings, table, catalog, {.file = "", .given = chosen(unsaid), .vocab = ""},
                         problems);
}

Launch launch_of(const TrainingConfig& config, const Table& table, simulate::Catalog& catalog) {
  Launch launch{.settings = settings_of(facts_of(config, catalog), table),
                .unsaid = always_unsaid(config, catalog)};
  add_required(launch.settings, table, config, catalog, launch.unsaid);
  const TrainingConfig wanted = sweep::normalised(config, catalog);
  // Naming one axis may change what others default to, so a second pass compares again.
  for (int pass = 0; pass < 3; ++pass) {
    Problems problems;
    const Imported again = read_back(launch.settings, launch.unsaid, table, catalog, problems);
    if (problems.errors() > 0) {  // a shape that does not divide: every axis is named
      for (const sweep::AxisInfo& info : sweep::axis_table)
        if (info.name == "gpus" || info.name == "global_batch" || info.name == "vpp")
          launch.unsaid.push_back({std::string(info.name), text_of(wanted, info.axis, catalog), ""});
      continue;
    }
    const TrainingConfig found = sweep::normalised(config_of(again, catalog), catalog);
    const sweep::AxisSet idle = sweep::irrelevant_axes(wanted, catalog);
    const std::size_t before = launch.unsaid.size();
    for (const sweep::AxisInfo& info : sweep::axis_table) {
      const std::string ours = text_of(wanted, info.axis, catalog),
                        theirs = text_of(found, info.axis, catalog);
      if (ours != theirs && !idle.test(at(info.axis)))
        launch.unsaid.push_back({std::string(info.name), ours, theirs});
    }
    if (launch.unsaid.size() == before) break;
  }
  return launch;
}

std::string launch_file(const Launch& launch, const Table& table, const std::string& title) {
  std::vector<std::string> comments{fmt::format("{}, for {} {}", title, table.title, table.version)};
  std::string again = "echo-sweep import FILE";
  for (const Unsaid& one : launch.unsaid) {
    const bool is_cluster = one.axis == "cluster";
    again += is_cluster ? " --cluster " + one.value : fmt::format(" --set {}={}", one.axis, one.value);
    if (is_cluster) continue;
    comments.push_back(fmt::format("not said here: {} = {}{}", one.axis, one.value,
                                   one.otherwise.empty() ? "" : "; this file means " + one.otherwise));
  }
  comments.push_back("read it back with: " + again);
  return launch_text(launch.settings, table, comments);
}

}  // namespace echo::launch_flags
