// echo-sweep presets [NAME]: what a sweep may name, and what one preset holds and where it was read.
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "apps/command.hpp"
#include "apps/json.hpp"
#include "base/error.hpp"
#include "config/catalog_files.hpp"
#include "config/did_you_mean.hpp"
#include "machine/topology.hpp"
#include "timeline/schedule.hpp"

namespace echo::apps::commands {

namespace {

struct Preset {
  std::string kind, name, path;  // kind: the folder ("models"); path: empty for what is compiled in
};

struct PresetOptions {
  std::string action, name;
  std::vector<std::string> preset_paths;
  bool json = false;
};

// Sorted by kind and name; of two files with one name, the one that is used.
std::vector<Preset> all_presets(const PresetOptions& options) {
  std::vector<Preset> presets;
  std::set<std::pair<std::string, std::string>> seen;
  for (const config::InputFile& file :
       config::read_catalog(config::catalog_folders(options.preset_paths)).files) {
    const std::filesystem::path path(file.path);
    Preset preset{path.parent_path().filename().string(), path.stem().string(), file.path};
    if (preset.name != "aliases" && seen.insert({preset.kind, preset.name}).second)
      presets.push_back(std::move(preset));
  }
  for (const auto* schedule : timeline::schedule_table())
    presets.push_back({"schedules", schedule->name, ""});
  for (const auto* topology : machine::topology_table())
    presets.push_back({"topologies", topology->name, ""});
  return presets;
}

int list(const PresetOptions& options) {
  std::map<std::string, std::vector<Preset>> by_kind;
  for (Preset& preset : all_presets(options)) {
    if (options.name.empty() || options.name == preset.kind)
      by_kind[preset.kind].push_back(std::move(preset));
  }
  if (by_kind.empty()) {
    throw UserError("unknown kind of preset \"" + options.name + "\"",
                    "echo-sweep presets list shows all kinds");
  }
  Json json;
  json.open_object();
  for (const auto& [kind, presets] : by_kind) {
    json.key(kind).open_array();
    if (!options.json) fmt::print("{}\n", kind);
    for (const Preset& preset : presets) {
      json.value(preset.name);
      if (!options.json) fmt::print("  {}\n", preset.name);
    }
    json.close();
  }
  if (options.json) fmt::print("{}", json.close().text());
  return 0;
}

std::string text_of(const Preset& preset) {
  if (preset.path.empty()) return "";
  std::ifstream file(preset.path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int show(const PresetOptions& options) {
  const auto presets = all_presets(options);
  std::vector<std::string> names;
  Json json;
  json.open_array();
  bool found = false;
  for (const Preset& preset : presets) {
    names.push_back(preset.name);
    if (preset.name != options.name) continue;
    found = true;
    json.open_object().member("kind", preset.kind).member("name", preset.name).member("file", preset.path);
    json.member("text", text_of(preset)).close();
    if (!options.json) {
      fmt::print("# {} {} from {}\n{}\n", preset.kind, preset.name,
                 preset.path.empty() ? "the program" : preset.path, text_of(preset));
    }
  }
  if (!found) {
    throw UserError("unknown preset \"" + options.name + "\"",
                    config::suggest(options.name, names, "echo-sweep presets list shows all"));
  }
  if (options.json) fmt::print("{}", json.close().text());
  return 0;
}

std::function<int(Invocation&)> declare(Options& options) {
  auto chosen = std::make_shared<PresetOptions>();
  options.choice(chosen->action, "ACTION", {"list", "show"}, "list presets, or show one");
  options.optional_argument(chosen->name, "NAME",
                            "list: one kind only (models, gpus, ...); show: the preset");
  options.values(chosen->preset_paths, "--preset-path",
                 "folder of presets that come before the built-in ones");
  options.flag(chosen->json, "--json", "JSON on stdout");
  return [chosen](Invocation&) {
    if (chosen->action.empty()) throw UserError("presets needs list or show", "echo-sweep presets list");
    return chosen->action == "list" ? list(*chosen) : show(*chosen);
  };
}

}  // namespace

extern const Command presets{
    .name = "presets", .summary = "list presets, or show one and where it comes from", .declare = declare};

}  // namespace echo::apps::commands
