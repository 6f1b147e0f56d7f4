#include "config/launch_settings.hpp"

#include <algorithm>

#include "config/catalog/launch_file.hpp"
#include "config/toml/did_you_mean.hpp"
#include "launch_flags/readers/readers.hpp"
#include "launch_flags/translate.hpp"
#include "launch_flags/write.hpp"

namespace echo::config {

namespace {

using launch_flags::Format;
using launch_flags::Settings;
using launch_flags::Table;

Format format_of(const std::string& path) {
  if (path.ends_with(".toml")) return Format::toml;
  if (path.ends_with(".json")) return Format::json;
  return path.ends_with(".yaml") || path.ends_with(".yml") ? Format::yaml : Format::flags;
}

Settings read_as(Format format, const std::string& path, const std::string& text, Problems& problems) {
  if (format == Format::flags) return launch_flags::read_shell(text, path, problems);
  Settings settings = format == Format::toml   ? read_toml_settings(text, path, problems)
                      : format == Format::json ? launch_flags::read_json(text, path, problems)
                                               : launch_flags::read_yaml(text, path, problems);
  // What is null, or left by JSON to the program that reads it, is not said.
  std::erase_if(settings, [&](const launch_flags::Setting& setting) {
    return setting.value == "null" || setting.value == "None" || setting.value == "~" ||
           (format == Format::json && setting.value == "auto");
  });
  for (launch_flags::Setting& setting : launch_flags::exported_in_comments(text, path))
    settings.push_back(std::move(setting));
  return settings;
}

// "language_model.num_layers" as "--num-layers".
Settings as_flags(const Settings& settings) {
  Settings flags;
  for (launch_flags::Setting setting : settings) {
    if (!setting.key.starts_with(launch_flags::environment_prefix)) {
      setting.key = "--" + setting.key.substr(setting.key.rfind('.') + 1);
      std::ranges::replace(setting.key, '_', '-');
    }
    flags.push_back(std::move(setting));
  }
  return flags;
}

bool may_hold(Format file, Format table) {
  return file == table || (file == Format::yaml && table == Format::flags);
}

}  // namespace

LaunchFile read_launch_file(const std::string& path, const std::string& text,
                            const std::vector<Table>& tables, const std::string& framework,
                            Problems& problems) {
  const Format format = format_of(path);
  const int before = problems.errors();
  LaunchFile found{read_as(format, path, text, problems), nullptr};
  if (problems.errors() > before) return found;
  std::vector<std::string> names;
  std::size_t most = 0;
  for (const Table& table : tables) {
    names.push_back(table.name);
    const bool is_named = table.name == framework;
    if (!is_named && (!framework.empty() || !may_hold(format, table.format))) continue;
    const bool converts = format == Format::yaml && table.format == Format::flags;
    const std::size_t known =
        launch_flags::known_settings(converts ? as_flags(found.settings) : found.settings, table);
    if (!is_named && known <= most) continue;
    most = known;
    found.table = &table;
  }
  if (found.table == nullptr && !framework.empty())
    problems.error({}, "unknown framework \"" + framework + "\"", suggest(framework, names, "known"));
  else if (found.table == nullptr)
    problems.error({path, 0, 0, 1}, "no framework has these settings",
                   "name one by --from; a script ends in .sh, other files in .yaml, .toml or .json");
  else if (format == Format::yaml && found.table->format == Format::flags)
    found.settings = as_flags(found.settings);
  return found;
}

}  // namespace echo::config
