#include "cli/launch/launch_tables.hpp"

#include "base/error.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/catalog/launch_file.hpp"
#include "config/toml/did_you_mean.hpp"

namespace echo::cli {

std::vector<launch_flags::Table> launch_tables(const std::vector<std::string>& preset_paths) {
  return config::read_launch_tables(config::catalog_folders(config::preset_places(preset_paths).folders));
}

const launch_flags::Table& table_named(const std::vector<launch_flags::Table>& tables,
                                       const std::string& name) {
  std::vector<std::string> names;
  for (const launch_flags::Table& table : tables) {
    if (table.name == name) return table;
    names.push_back(table.name);
  }
  if (name.empty())
    throw UserError("the framework is not named", "add --for; " + config::suggest(name, names, "known"));
  throw UserError("no launch files are known for \"" + name + "\"", config::suggest(name, names, "known"));
}

const launch_flags::Table& table_of_framework(const std::vector<launch_flags::Table>& tables,
                                              const std::string& framework) {
  for (const launch_flags::Table& table : tables)
    if (table.name == framework || table.framework == framework) return table;
  for (const launch_flags::Table& table : tables)
    if (framework.starts_with(table.framework + "-")) return table;
  std::string names;
  for (const launch_flags::Table& table : tables) names += (names.empty() ? "" : ", ") + table.name;
  throw UserError("no launch files are known for the framework \"" + framework + "\"",
                  "add --for with another framework: " + names);
}

}  // namespace echo::cli
