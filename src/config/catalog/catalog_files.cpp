// Reading the catalog.
// Problem: presets are in many small files of several folders, refer to each other by name, and all mistakes
// should be reported at once. Idea: read every file of a kind into a list of (preset, place), keep the first
// folder's of equal names, sort by name so that ids do not depend on the disk, and only then follow the
// references.
#include "config/catalog/catalog_files.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <tuple>

#include "base/named_table.hpp"
#include "config/catalog/built_in_catalog.hpp"
#include "config/catalog/cluster_fabric.hpp"
#include "config/catalog/fitted/error_file.hpp"
#include "config/catalog/fitted/practice_file.hpp"
#include "config/catalog/fitted/setting_file.hpp"
#include "config/catalog/framework_file.hpp"
#include "config/catalog/packet_preset.hpp"
#include "config/catalog/preset_base.hpp"
#include "config/catalog/preset_files.hpp"
#include "config/catalog/tier_preset.hpp"
#include "config/sweep_file/include_files.hpp"
#include "config/sweep_file/sweep_keys.hpp"
#include "config/toml/did_you_mean.hpp"
#include "config/toml/read_file.hpp"

namespace echo::config {
namespace {

std::string lowered(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

template <class Preset>
const std::string& name_of(const Preset& preset) {
  if constexpr (requires { preset.spec.name; }) {
    return preset.spec.name;
  } else {
    return preset.name;
  }
}

template <class Preset>
struct Found {
  Preset preset;
  Place place;
};

// How the presets of one kind are read.
template <class Preset>
struct Kind {
  std::string folder, what, role;  // "gpus"; "gpu", in messages; "preset" or "calibration", in provenance
  Preset (*read)(TableReader&);
};

using Tables = std::vector<std::unique_ptr<toml::table>>;

struct Reading {
  const std::vector<std::string>& folders;
  IncludedPresets included;
  std::vector<InputFile>& files;
  Problems& problems;

  // Every preset of a kind, sorted by name.
  template <class Preset>
  std::vector<Found<Preset>> all(const Kind<Preset>& kind) {
    std::vector<RawPreset> raw;
    Tables tables;  // of folders' files, and of sections with a base
    for (std::size_t i = 0; i <= folders.size(); ++i) {
      if (i == included.behind) add_included(kind.folder, raw, tables);
      if (i < folders.size()) add_folder(kind.folder, kind.role, folders[i], raw, tables);
    }
    fill_from_bases(raw, kind.what, problems);
    std::vector<Found<Preset>> found;
    for (const RawPreset& preset : raw) add(kind, preset, found);
    std::sort(found.begin(), found.end(), [](const Found<Preset>& a, const Found<Preset>& b) {
      return name_of(a.preset) < name_of(b.preset);
    });
    return found;
  }

  void add_folder(const std::string& kind, const std::string& role, const std::string& folder,
                  std::vector<RawPreset>& raw, Tables& tables) {
    for (const std::string& path : toml_files_in(folder + "/" + kind)) {
      const std::string text = read_whole_file(path).value_or("");
      files.push_back({role, path, fingerprint(text)});
      auto table = parse_toml(text, path, problems);
      if (!table) continue;
      tables.push_back(std::make_unique<toml::table>(std::move(*table)));
      const std::string stem = std::filesystem::path(path).stem().string();
      raw.push_back({stem, tables.back().get(), {path, 1, 1, 1}, "file"});
    }
  }
  // The sections completed from their base: the section of a file stays as written. A copy has no places, so
  // the copy is what stays.
  static toml::table* taken_out(toml::table& section, Tables& tables) {
    tables.push_back(std::make_unique<toml::table>(std::move(section)));
    section = *tables.back();
    return tables.back().get();
  }
  // The last file takes precedence, so it comes first.
  void add_included(const std::string& kind, std::vector<RawPreset>& raw, Tables& tables) {
    if (included.files == nullptr) return;
    const auto kinds = included_sections();
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) return;
    for (auto file = included.files->rbegin(); file != included.files->rend(); ++file) {
      toml::node* const section = file->root.get(kind);
      if (section == nullptr) continue;
      toml::table* const presets = section->as_table();
      if (presets == nullptr) {
        problems.error(place_of(*section), kind + " must be a table of presets", "write [" + kind + ".NAME]");
        continue;
      }
      for (const Entry& entry : in_file_order(*presets)) {
        const std::string name(entry.key->str());
        toml::table* table = presets->get(name)->as_table();
        if (table == nullptr) {
          problems.error(place_of(*entry.node), name + " must be a table, not " + type_of(*entry.node),
                         "write [" + kind + "." + name + "]");
          continue;
        }
        if (table->contains("base")) table = taken_out(*table, tables);
        table->emplace("name", name);
        raw.push_back({name, table, place_of(*entry.key), "section"});
      }
    }
  }
  // Unless a better one of its name is there.
  template <class Preset>
  void add(const Kind<Preset>& kind, const RawPreset& raw, std::vector<Found<Preset>>& found) {
    TableReader reader(*raw.table, raw.place, kind.what + " \"" + raw.name + "\"", problems);
    Preset preset = kind.read(reader);
    if constexpr (requires { preset.base; }) preset.base = raw.base;
    const std::string& name = name_of(preset);
    if (name != raw.name && !name.empty()) {
      problems.error(place_of(*raw.table->get("name")),
                     "the " + raw.holder + " of " + name + " is called " + raw.name,
                     "give the " + raw.holder + " and the preset one name");
    }
    const auto same = [&](const Found<Preset>& other) { return name_of(other.preset) == name; };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back({std::move(preset), raw.place});
  }
};

template <class Preset>
std::vector<Preset> presets_of(const std::vector<Found<Preset>>& found) {
  std::vector<Preset> presets;
  for (const Found<Preset>& one : found) presets.push_back(one.preset);
  return presets;
}

template <class Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.push_back(row.name);
  return names;
}

// Index of `name` in `table`, or a problem at `place`.
template <class Table>
std::int32_t follow(const Table& table, const std::string& name, const std::string& what, const Place& place,
                    Problems& problems) {
  const std::int32_t index = find_named(table, name);
  if (index < 0 && !name.empty()) {
    problems.error(place, "unknown " + what + " \"" + name + "\"", suggest(name, names_in(table), "known"));
  }
  return index;
}

// The constants of every file, those of siblings filled up.
std::vector<kernels::KernelConstants> with_siblings(const std::vector<Found<KernelFile>>& found,
                                                    Problems& problems) {
  std::vector<kernels::KernelConstants> calibration, out;
  for (const Found<KernelFile>& one : found)
    if (one.preset.like.empty()) calibration.push_back(one.preset.spec);
  for (const Found<KernelFile>& one : found) {
    const KernelFile& file = one.preset;
    out.push_back(file.spec);
    if (file.like.empty()) continue;
    const std::int32_t at = follow(calibration, file.like, "kernel constants", file.like_place, problems);
    if (at < 0) continue;
    const kernels::KernelConstants& sibling = calibration[static_cast<std::size_t>(at)];
    if (file.is_other_die) {
      for (const kernels::KernelConstantField& field : kernels::kernel_constant_fields()) {
        const bool is_own = std::find(file.own.begin(), file.own.end(), field.member) != file.own.end();
        if (!is_own && !field.is_optional) out.back().*field.member = sibling.*field.member;
      }
      continue;
    }
    out.back() = sibling;
    out.back().name = file.spec.name;
    for (const kernels::KernelConstantField& field : kernels::kernel_constant_fields()) {
      if (std::find(file.own.begin(), file.own.end(), field.member) == file.own.end()) continue;
      out.back().*field.member = file.spec.*field.member;
      if (field.error != nullptr) out.back().*field.error = file.spec.*field.error;
      for (kernels::KernelConstants& library : out.back().libraries)
        library.*field.member = file.spec.*field.member;
    }
  }
  return out;
}

void read_aliases(Reading& reading, std::vector<Alias>& rows, StandIns& stand_ins) {
  for (const std::string& folder : reading.folders) {
    const std::string path = folder + "/aliases.toml";
    const auto text = read_whole_file(path);
    if (!text) continue;
    reading.files.push_back({"alias", path, fingerprint(*text)});
    const auto table = parse_toml(*text, path, reading.problems);
    if (!table) continue;
    for (const Entry& section : in_file_order(*table)) {
      const std::string kind(section.key->str());
      if (is_stand_in(kind)) {
        read_stand_ins(kind, *section.node, stand_ins, reading.problems);
        continue;
      }
      const toml::table* names = section.node->as_table();
      if (names == nullptr) {
        reading.problems.error(place_of(*section.node), kind + " must be a table of names",
                               "write [" + kind + "]");
        continue;
      }
      for (const Entry& row : in_file_order(*names)) {
        const std::string name(row.key->str());
        if (const auto* preset = row.node->as_string()) {
          rows.push_back({kind, name, preset->get()});
        } else if (const auto* list = row.node->as_array(); kind == "no_preset" && list != nullptr) {
          for (const toml::node& one : *list) rows.push_back({name, one.value_or(std::string()), ""});
        } else {
          reading.problems.error(place_of(*row.node), "an alias must be a string", "write the preset's name");
        }
      }
    }
  }
}

std::vector<PublishedRuns> publications_of(Reading& reading) {
  std::vector<PublishedRuns> rules;
  for (const auto& [name, of] :
       {std::pair{"/publications.toml", RuleOf::publication}, std::pair{"/suites.toml", RuleOf::suite}})
    for (const std::string& folder : reading.folders) {
      const std::string path = folder + name;
      const auto text = read_whole_file(path);
      if (!text) continue;
      reading.files.push_back({"alias", path, fingerprint(*text)});
      for (PublishedRuns& runs : read_publications(*text, path, reading.problems, of))
        rules.push_back(std::move(runs));
    }
  return rules;
}

}  // namespace

Aliases::Aliases(std::vector<Alias> rows) : rows_(std::move(rows)) {
  for (Alias& row : rows_) row.name = lowered(row.name);
}

std::string Aliases::resolve(std::string_view kind, std::string_view name) const {
  const std::string low = lowered(name);
  for (const Alias& row : rows_) {
    if (row.kind == kind && row.name == low && !row.preset.empty()) return row.preset;
  }
  return low;
}

bool Aliases::has_no_preset(std::string_view kind, std::string_view name) const {
  const std::string low = lowered(name);
  return std::any_of(rows_.begin(), rows_.end(), [&](const Alias& row) {
    return row.kind == kind && row.name == low && row.preset.empty();
  });
}

std::vector<std::string> catalog_folders(const std::vector<std::string>& preset_paths,
                                         const std::string& sweep_file) {
  std::vector<std::string> folders = preset_paths;
  for (const std::string& folder : preset_paths) {
    std::error_code failed;
    if (!std::filesystem::is_directory(folder, failed))
      throw UserError("--preset-path \"" + folder + "\" is not a folder",
                      "check the path; a folder of presets holds models/, gpus/, clusters/, ...");
  }
  if (!sweep_file.empty()) {
    folders.push_back(
        (std::filesystem::path(sweep_file).parent_path() / "catalog").lexically_normal().string());
  }
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  const char* const home = std::getenv("HOME");
  if (config != nullptr) folders.push_back(std::string(config) + "/echo-sweep");
  if (config == nullptr && home != nullptr) folders.push_back(std::string(home) + "/.config/echo-sweep");
  folders.push_back(built_in_catalog(catalog_search()));
  std::vector<std::string> there, canonical;
  for (const std::string& folder : folders) {
    std::error_code failed;
    const std::string real = std::filesystem::canonical(folder, failed).string();
    if (failed || std::find(canonical.begin(), canonical.end(), real) != canonical.end()) continue;
    canonical.push_back(real);
    there.push_back(folder);
  }
  return there;
}

CatalogInputs read_catalog(const std::vector<std::string>& folders) {
  Problems problems;
  CatalogInputs inputs = read_catalog(folders, problems);
  problems.throw_if_any();
  return inputs;
}

CatalogInputs read_catalog(const std::vector<std::string>& folders, Problems& problems,
                           IncludedPresets included) {
  CatalogInputs inputs;
  Reading reading{folders, included, inputs.files, problems};
  simulate::Catalog& catalog = inputs.catalog;
  simulate::Calibration& calibration = inputs.calibration;
  const auto gpus = reading.all(Kind<machine::GpuSpec>{"gpus", "gpu", "preset", read_gpu});
  const auto clusters = reading.all(Kind<ClusterFile>{"clusters", "cluster", "preset", read_cluster});
  catalog.gpus = presets_of(gpus);
  catalog.models =
      presets_of(reading.all(Kind<training::ModelSpec>{"models", "model", "preset", read_model}));
  catalog.frameworks = presets_of(
      reading.all(Kind<training::FrameworkSpec>{"frameworks", "framework", "preset", read_framework}));
  for (const auto& found : reading.all(Kind<RecipeFile>{"recipes", "recipe", "preset", read_recipe_file}))
    catalog.recipes.push_back(lay_over(found.preset, catalog.frameworks, problems));
  calibration.kernels = with_siblings(
      reading.all(Kind<KernelFile>{"kernels", "kernel constants", "calibration", read_kernel_file}),
      problems);
  calibration.networks = presets_of(reading.all(Kind<collective::NetworkConstants>{
      "networks", "network constants", "calibration", read_network_constants}));
  for (const auto& found :
       reading.all(Kind<SlowdownFile>{"slowdown", "slowdown model", "calibration", read_slowdown})) {
    calibration.slowdown = found.preset.constants;  // one kind so far, so one file
  }
  for (const auto& found : reading.all(Kind<ErrorFile>{"errors", "error model", "calibration", read_errors}))
    calibration.errors = found.preset.model;  // same
  for (const auto& found : reading.all(Kind<SettingFile>{"settings", "setting", "calibration", read_setting}))
    calibration.production = found.preset.model;  // same
  for (const auto& found :
       reading.all(Kind<PracticeFile>{"practice", "published practice", "calibration", read_practice}))
    calibration.practice = found.preset.practice;  // same
  const auto packets_of = [&](const char* folder, const char* what) {
    return presets_of(reading.all(Kind<machine::PacketPreset>{folder, what, "preset", read_packet_preset}));
  };
  catalog.nics = packets_of("nics", "nic"), catalog.switches = packets_of("switches", "switch");
  const auto tiers =
      presets_of(reading.all(Kind<TierPreset>{"memory_tiers", "memory tier", "preset", read_tier_preset}));
  inputs.reliability = presets_of(reading.all(
      Kind<ReliabilityFile>{"reliability", "reliability preset", "preset", read_reliability_file}));
  for (const Found<machine::GpuSpec>& found : gpus) {
    (void)follow(calibration.kernels, found.preset.kernels, "kernel constants", found.place, problems);
  }
  for (const Found<ClusterFile>& found : clusters) {
    ClusterFile file = found.preset;
    if (!file.fabric_path.empty()) read_given_fabric(file, folders, inputs.files, problems);
    machine::ClusterSpec& cluster = file.spec;
    cluster.gpu =
        machine::GpuId(follow(catalog.gpus, found.preset.gpu, "gpu", found.preset.gpu_place, problems));
    (void)follow(calibration.networks, cluster.network, "network", found.preset.network_place, problems);
    cluster.nic = machine::NicId(follow(catalog.nics, file.nic, "nic", file.nic_place, problems));
    cluster.network_switch = machine::SwitchId(
        follow(catalog.switches, file.network_switch, "switch", file.switch_place, problems));
    cluster.tiers = file.tiers.own;
    for (std::size_t i = 0; i < cluster.tiers.size(); ++i) {
      const std::int32_t tier =
          follow(tiers, file.tiers.name[i], "memory tier", file.tiers.place[i], problems);
      if (tier >= 0) cluster.tiers[i] = tiers[at(tier)].tier;
    }
    catalog.clusters.push_back(std::move(cluster));
  }
  std::vector<Alias> rows;
  read_aliases(reading, rows, inputs.stand_ins);
  inputs.aliases = Aliases(std::move(rows));
  inputs.publications = publications_of(reading);
  return inputs;
}

}  // namespace echo::config
