#include "config/catalog/fitted/site_file.hpp"

#include <toml++/toml.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "config/sweep_file/include_files.hpp"
#include "config/sweep_file/sweep_keys.hpp"
#include "config/toml/read_file.hpp"
#include "config/toml/toml_text.hpp"

namespace echo::config {

namespace {

// A value of a preset: as written in the file, and as a number.
struct Value {
  std::string key;
  double number = 0.0;
};

struct Catalogs {
  simulate::Catalog catalog;
  simulate::Calibration calibration;
};

template <class Table>
const auto& named(const Table& table, const std::string& name) {
  return table[at(find_named(table, name))];
}

// Every value of the preset that a site constant could move.
std::vector<Value> values_of(const SiteConstant& constant, const Catalogs& c) {
  std::vector<Value> out;
  const std::string_view section = facts_of(constant.quantity).section;
  if (section == "kernels") {
    const auto& preset = named(c.calibration.kernels, constant.preset);
    for (const auto& field : kernels::kernel_constant_fields())
      out.push_back({field.name, preset.*field.member});
  } else if (section == "networks") {
    const auto& preset = named(c.calibration.networks, constant.preset);
    for (const auto& field : collective::network_constant_fields())
      out.push_back({field.name, preset.*field.member});
  } else if (section == "gpus") {
    out.push_back({"memory_bandwidth", named(c.catalog.gpus, constant.preset).memory_bandwidth.value / 1e9});
  } else {
    const auto& preset = named(c.catalog.frameworks, constant.preset);
    for (const auto& [key, time] :
         {std::pair{"host_per_kernel", preset.host_per_kernel},
          std::pair{"host_per_expert", preset.host_per_expert},
          std::pair{"host_per_peer", preset.host_per_peer}, std::pair{"host_per_step", preset.host_per_step}})
      out.push_back({key, 1e6 * to_seconds(time)});
  }
  return out;
}

std::vector<Value> values_at(const SiteConstant& constant, double factor, Catalogs catalogs) {
  apply(constant, factor, catalogs.catalog, catalogs.calibration);
  return values_of(constant, catalogs);
}

// The lines of one constant: values that its factor moves.
std::string lines_of(const FittedSiteConstant& fitted, const std::string& source, const Catalogs& shipped) {
  const auto before = values_of(fitted.constant, shipped);
  const auto after = values_at(fitted.constant, fitted.factor, shipped);
  const auto aside = values_at(fitted.constant, fitted.factor * std::exp(-fitted.sigma), shipped);
  const std::string_view section = facts_of(fitted.constant.quantity).section;
  std::string out;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double value = after[i].number;
    if (value == before[i].number) continue;
    const auto to = std::back_inserter(out);
    if (section == "gpus") {
      fmt::format_to(to, "{} = {{ value = \"{:.6g} GB/s\", source = {}, grade = \"measured\" }}\n",
                     after[i].key, value, quoted(source));
    } else if (section == "frameworks") {  // whole picoseconds
      fmt::format_to(to, "{} = {{ value = \"{:.6f} us\", source = {}, grade = \"measured\" }}\n",
                     after[i].key, value, quoted(source));
    } else {
      fmt::format_to(to, "{} = {{ value = {:.6g}, error = {:.2g}, source = \"fitted\" }}\n", after[i].key,
                     value, std::abs(aside[i].number - value));
    }
  }
  return out;
}

std::string comment_text(const SiteFile& file) {
  std::string out = fmt::format(
      "# Constants of one site, fitted to its measured steps by `echo-sweep validate --recalibrate`.\n"
      "# In a sweep: include = [{}]; for measured tables: echo-sweep validate --site.\n"
      "# Factors on the shipped constants, with one sigma, and the number of rows that determine them:\n",
      quoted(file.path));
  for (const FittedSiteConstant& c : file.constants) {
    const SiteQuantityFacts& facts = facts_of(c.constant.quantity);
    fmt::format_to(std::back_inserter(out), "#   {:<9} x {:.3f} +- {:.1f} %  {} rows  {} ({})\n", facts.name,
                   c.factor, 100.0 * c.sigma, c.rows, facts.meaning, c.constant.preset);
  }
  return out;
}

}  // namespace

std::string site_file_text(const SiteFile& file, const simulate::Catalog& shipped,
                           const simulate::Calibration& shipped_constants) {
  Catalogs catalogs{shipped, {}};
  catalogs.calibration.kernels = shipped_constants.kernels;
  catalogs.calibration.networks = shipped_constants.networks;
  std::map<std::pair<std::string, std::string>, std::string> sections;  // by (section, preset), their values
  for (const FittedSiteConstant& fitted : file.constants)
    sections[{std::string(facts_of(fitted.constant.quantity).section), fitted.constant.preset}] +=
        lines_of(fitted, file.source, catalogs);
  std::string out = comment_text(file);
  for (const auto& [key, lines] : sections) {
    const auto& [section, preset] = key;
    if (lines.empty()) continue;
    fmt::format_to(std::back_inserter(out), "\n[{}.{}]\nbase = {}\nsource = {}\ngrade = \"measured\"\n",
                   section, key_text(preset), quoted(preset), quoted("fitted: " + file.source));
    if (section == "kernels" || section == "networks")
      fmt::format_to(std::back_inserter(out), "\n[{}.{}.constants]\n", section, key_text(preset));
    out += lines;
  }
  return out;
}

PresetPlaces preset_places(const std::vector<std::string>& preset_paths) {
  PresetPlaces places;
  for (const std::string& path : preset_paths) {
    std::error_code failed;
    (std::filesystem::is_regular_file(path, failed) ? places.files : places.folders).push_back(path);
  }
  return places;
}

// The position of a sweep's included files: after the preset paths.
static CatalogInputs read_with(std::vector<IncludedFile>& files, const std::vector<std::string>& preset_paths,
                               Problems& problems) {
  const std::vector<std::string> own = preset_places(preset_paths).folders, folders = catalog_folders(own);
  std::size_t behind = 0;
  while (behind < folders.size() && std::find(own.begin(), own.end(), folders[behind]) != own.end()) ++behind;
  CatalogInputs inputs = read_catalog(folders, problems, {&files, behind});
  problems.throw_if_any();
  return inputs;
}

CatalogInputs read_presets(const std::vector<std::string>& preset_paths, const std::string& resolved) {
  Problems problems, of_resolved;
  std::vector<IncludedFile> files;
  if (auto root = parse_toml(resolved, "the sweep of the result file", of_resolved))
    if (const toml::table* const included = (*root)["included"].as_table())
      for (const auto& [path, file] : *included)
        if (file.is_table()) files.push_back({std::string(path.str()), "", *file.as_table()});
  for (IncludedFile& file : read_named_files(preset_places(preset_paths).files, problems))
    files.push_back(std::move(file));
  return read_with(files, preset_paths, problems);
}

std::vector<FilePreset> presets_in_files(const std::vector<std::string>& files) {
  Problems problems;
  std::vector<FilePreset> presets;
  for (const IncludedFile& file : read_named_files(files, problems)) {
    for (const std::string_view kind : included_sections()) {
      const toml::table* const section = file.root.get_as<toml::table>(kind);
      if (section == nullptr) continue;
      for (const auto& [name, preset] : *section) {
        if (!preset.is_table()) continue;
        std::ostringstream text;
        if (!preset.as_table()->contains("name"))
          text << "name = " << quoted(std::string(name.str())) << '\n';
        text << toml::toml_formatter{*preset.as_table()} << '\n';
        presets.push_back({std::string(kind), std::string(name.str()), file.path, text.str()});
      }
    }
  }
  problems.throw_if_any();
  return presets;
}

CatalogInputs read_catalog_with(const std::vector<std::string>& site_files,
                                const std::vector<std::string>& preset_paths) {
  Problems problems;
  for (const std::string& file : site_files)
    if (!read_whole_file(file))
      throw UserError("cannot read the site file " + file, "check the path and its permissions", 3);
  std::vector<std::string> named = site_files;
  const PresetPlaces places = preset_places(preset_paths);
  named.insert(named.end(), places.files.begin(), places.files.end());
  std::vector<IncludedFile> files = read_named_files(named, problems);
  problems.throw_if_any();
  return read_with(files, preset_paths, problems);
}

CatalogInputs read_catalog_with_text(const std::string& site_file, const std::string& path,
                                     const std::vector<std::string>& preset_paths) {
  Problems problems;
  std::vector<IncludedFile> files;
  if (auto root = parse_toml(site_file, path, problems))
    files.push_back({path, fingerprint(site_file), std::move(*root)});
  return read_with(files, preset_paths, problems);
}

}  // namespace echo::config
