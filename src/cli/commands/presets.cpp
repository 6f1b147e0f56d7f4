// echo-sweep presets list|show|new|diff: lists the presets, prints one with the path of its file, prints a
// template for a new one, and compares two.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/named_table.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/catalog/preset_text.hpp"
#include "config/toml/did_you_mean.hpp"
#include "config/toml/read_file.hpp"
#include "hugging_face/preset_of_config.hpp"
#include "machine/topology.hpp"
#include "machine_files/cluster_text.hpp"
#include "text/json.hpp"
#include "text/text_table.hpp"
#include "timeline/schedule.hpp"

namespace echo::cli::commands {

namespace {

struct Preset {
  std::string kind, name,
      path,  // kind: the folder ("models"); path: empty for presets compiled into the program
      text;  // of one in a file of several; empty: that of the file
};

struct PresetOptions {
  std::string action, name, second, third, fourth, from, gpu = "h100-sxm", congestion = "unaware";
  std::vector<std::string> preset_paths;
  bool json = false;
};

// Sorted by kind and name; where two files have the same name, the one that takes precedence.
std::vector<Preset> all_presets(const PresetOptions& options) {
  std::vector<Preset> presets;
  std::set<std::pair<std::string, std::string>> seen;
  const config::PresetPlaces places = config::preset_places(options.preset_paths);
  for (const config::FilePreset& one : config::presets_in_files(places.files))
    if (seen.insert({one.kind, one.name}).second) presets.push_back({one.kind, one.name, one.path, one.text});
  for (const config::InputFile& file : config::read_presets(options.preset_paths).files) {
    const std::filesystem::path path(file.path);
    Preset preset{path.parent_path().filename().string(), path.stem().string(), file.path, ""};
    if (file.kind == "include" || file.path.empty()) continue;
    if (preset.name != "aliases" && seen.insert({preset.kind, preset.name}).second)
      presets.push_back(std::move(preset));
  }
  for (const auto* schedule : timeline::schedule_table())
    presets.push_back({"schedules", schedule->name, "", ""});
  for (const auto* topology : machine::topology_table())
    presets.push_back({"topologies", topology->name, "", ""});
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
  text::Json json;
  json.open_object().key("search_path").open_array();
  for (const std::string& folder :
       config::catalog_folders(config::preset_places(options.preset_paths).folders)) {
    json.value(folder);
    if (!options.json) say("# searched in {}\n", folder);
  }
  json.close();
  for (const auto& [kind, presets] : by_kind) {
    json.key(kind).open_array();
    if (!options.json) say("{}\n", kind);
    for (const Preset& preset : presets) {
      json.value(preset.name);
      if (!options.json) say("  {}\n", preset.name);
    }
    json.close();
  }
  if (options.json) say("{}", json.close().text());
  return 0;
}

std::string text_of(const Preset& preset) {
  if (preset.path.empty() || !preset.text.empty()) return preset.text;
  std::ifstream file(preset.path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int show(const PresetOptions& options) {
  const auto presets = all_presets(options);
  std::vector<std::string> names;
  text::Json json;
  json.open_array();
  bool found = false;
  for (const Preset& preset : presets) {
    names.push_back(preset.name);
    if (preset.name != options.name) continue;
    found = true;
    json.open_object().member("kind", preset.kind).member("name", preset.name).member("file", preset.path);
    json.member("text", text_of(preset)).close();
    if (!options.json) {
      say("# {} {} from {}\n{}\n", preset.kind, preset.name,
          preset.path.empty() ? "the program" : preset.path, text_of(preset));
    }
  }
  if (!found) {
    throw UserError("unknown preset \"" + options.name + "\"",
                    config::suggest(options.name, names, "echo-sweep presets list shows all"));
  }
  if (options.json) say("{}", json.close().text());
  return 0;
}

const Preset* find(const std::vector<Preset>& presets, const std::string& kind, const std::string& name) {
  for (const Preset& preset : presets) {
    if (preset.name == name && preset.kind == kind && !preset.path.empty()) return &preset;
  }
  return nullptr;
}

std::string text_in(const std::string& path) {
  if (auto text = config::read_whole_file(path)) return *std::move(text);
  throw UserError("cannot read " + path, "check the path and its permissions");
}

// The model that the config.json of a Hugging Face model describes.
int make_from_config(const PresetOptions& options) {
  if (options.name != "models")
    throw UserError("a config.json describes a model, not one of \"" + options.name + "\"",
                    "echo-sweep presets new models " + options.second + " --from " + options.from);
  Problems problems;
  const auto read = hugging_face::read_model_config(text_in(options.from), options.from, problems);
  problems.throw_if_any();
  say("{}", hugging_face::preset_text(*read, options.second, "Hugging Face, " + options.from));
  return 0;
}

bool is_yaml(const std::string& path) { return path.ends_with(".yml") || path.ends_with(".yaml"); }

// The machine of ASTRA-sim's network and system files.
int make_from_astra_sim(const PresetOptions& options) {
  if (options.name != "clusters" || !options.third.ends_with(".json"))
    throw UserError("a network file describes a cluster, together with a system file",
                    "echo-sweep presets new clusters NAME --from network.yml system.json [memory.json]");
  const config::CatalogInputs known = config::read_presets(options.preset_paths);
  const std::int32_t gpu = find_named(known.catalog.gpus, options.gpu);
  const auto like = std::ranges::find_if(known.catalog.clusters,
                                         [&](const auto& one) { return one.gpu == machine::GpuId(gpu); });
  if (gpu < 0 || like == known.catalog.clusters.end())
    throw UserError("no cluster has the GPU \"" + options.gpu + "\"", "echo-sweep presets list gpus");
  Problems problems;
  auto machine = machine_files::read_astra_network(text_in(options.from), options.from, problems);
  problems.throw_if_any();
  machine_files::read_astra_system(text_in(options.third), options.third, machine, problems);
  if (!options.fourth.empty())
    machine_files::read_astra_memory(text_in(options.fourth), options.fourth, machine, problems);
  problems.throw_if_any();
  machine.machine.sharing =
      options.congestion == "aware" ? machine::LinkSharing::aware : machine::LinkSharing::unaware;
  say("{}", machine_files::cluster_text(
                machine, {options.second, options.gpu, like->network, options.from + ", " + options.third}));
  return 0;
}

int make(const PresetOptions& options) {
  if (options.name.empty() || options.second.empty())
    throw UserError("presets new needs a kind and a name", "echo-sweep presets new clusters my-lab");
  if (is_yaml(options.from)) return make_from_astra_sim(options);
  if (!options.third.empty())
    throw UserError("\"" + options.third + "\" follows a network file of ASTRA-sim only",
                    "echo-sweep presets new clusters NAME --from network.yml " + options.third);
  if (options.from.ends_with(".json")) return make_from_config(options);
  if (options.from.empty()) {
    say("{}", config::preset_template(options.name, options.second));
    return 0;
  }
  const auto presets = all_presets(options);
  const Preset* const from = find(presets, options.name, options.from);
  if (from == nullptr) {
    std::vector<std::string> names;
    for (const Preset& preset : presets) {
      if (preset.kind == options.name) names.push_back(preset.name);
    }
    throw UserError("there is no preset \"" + options.from + "\" of kind " + options.name,
                    config::suggest(options.from, names, "known"));
  }
  say("{}", config::renamed_preset(text_of(*from), from->name, options.second));
  return 0;
}

// Rows of (key, value of a, value of b) that differ; "-" stands for a missing key.
std::vector<std::array<std::string, 3>> differences(const Preset& a, const Preset& b) {
  const auto ours = config::preset_values(text_of(a)), theirs = config::preset_values(text_of(b));
  const auto value_in = [](const std::vector<config::PresetValue>& values, const std::string& key) {
    const auto found = std::ranges::find(values, key, &config::PresetValue::key);
    return found == values.end() ? std::string("-") : found->value;
  };
  std::vector<std::array<std::string, 3>> rows;
  for (const config::PresetValue& one : ours) {
    const std::string other = value_in(theirs, one.key);
    if (other != one.value) rows.push_back({one.key, one.value, other});
  }
  for (const config::PresetValue& one : theirs) {
    if (value_in(ours, one.key) == "-") rows.push_back({one.key, "-", one.value});
  }
  return rows;
}

int diff(const PresetOptions& options) {
  const auto presets = all_presets(options);
  std::vector<std::string> names;
  bool found = false;
  text::Json json;
  json.open_array();
  for (const Preset& a : presets) {
    names.push_back(a.name);
    const Preset* const b = a.name == options.name ? find(presets, a.kind, options.second) : nullptr;
    if (b == nullptr || a.path.empty()) continue;
    found = true;
    text::TextTable table({"<" + a.kind, "<" + a.name, "<" + b->name});
    for (const auto& [key, ours, theirs] : differences(a, *b)) {
      table.add({key, ours, theirs});
      json.open_object().member("kind", a.kind).member("field", key).member(a.name, ours);
      json.member(b->name, theirs).close();
    }
    if (!options.json) say("{}", table.text());
  }
  if (!found) {
    throw UserError("no kind of preset has both \"" + options.name + "\" and \"" + options.second + "\"",
                    config::suggest(options.second, names, "echo-sweep presets list shows all"));
  }
  if (options.json) say("{}", json.close().text());
  return 0;
}

std::function<int(Invocation&)> declare_presets(Options& options) {
  auto chosen = std::make_shared<PresetOptions>();
  options.choice(chosen->action, "ACTION", {"list", "show", "new", "diff"},
                 "list presets, show one, print a template for a new one, or compare two");
  options.optional_argument(chosen->name, "NAME",
                            "list, new: kind of preset (models, gpus, ...); show, diff: name of a preset");
  options.optional_argument(chosen->second, "SECOND", "new: name of the new preset; diff: the other preset");
  options.optional_argument(chosen->third, "SYSTEM",
                            "new clusters: the system file behind --from network.yml of ASTRA-sim");
  options.optional_argument(chosen->fourth, "MEMORY",
                            "new clusters: the file of the remote memory behind SYSTEM, if there is one");
  options.value(chosen->from, "--from",
                "new: the preset to copy; models: or the config.json of a Hugging Face model; clusters: or "
                "ASTRA-sim's network.yml system.json memory.json");
  options.value(chosen->gpu, "--gpu", "GPU of a cluster from ASTRA-sim's files, which name none");
  options.choice(chosen->congestion, "--congestion", {"unaware", "aware"},
                 "back end of ASTRA-sim that such a cluster's links are like");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) {
    if (chosen->action.empty())
      throw UserError("presets needs list, show, new or diff", "echo-sweep presets list");
    if (chosen->action == "new") return make(*chosen);
    if (chosen->action == "diff") return diff(*chosen);
    return chosen->action == "list" ? list(*chosen) : show(*chosen);
  };
}

}  // namespace

extern const Command presets{
    .name = "presets", .summary = "list, show, create and compare presets", .declare = declare_presets};

}  // namespace echo::cli::commands
