// Any bytes are a launch file or problems, and what is read as a point is one whole sweep text; any bytes are
// a table of launch settings or problems. The first byte chooses: a script, YAML, TOML, JSON, or a table.
#include <toml++/toml.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "config/catalog/catalog_files.hpp"
#include "config/catalog/launch_file.hpp"
#include "config/launch_settings.hpp"
#include "launch_flags/import.hpp"
#include "launch_flags/write.hpp"

namespace {

using namespace echo;

void read_table(const std::string& text) {
  Problems problems;
  const auto root = config::parse_toml(text, "fuzz.toml", problems);
  if (!root) return;
  config::TableReader reader(*root, {"fuzz.toml", 1, 1, 1}, "the table", problems);
  const launch_flags::Table table = config::read_launch_table(reader);
  static_cast<void>(launch_flags::settings_of({{"tp", "8"}, {"precision", "fp8"}}, table));
  static_cast<void>(launch_flags::facts_said({{"--tp", "8", {}}}, table));
}

void read_launch(const std::string& path, const std::string& text) {
  static const auto tables = config::read_launch_tables(config::catalog_folders({}));
  static const config::CatalogInputs presets = config::read_catalog();
  Problems problems;
  const config::LaunchFile file = config::read_launch_file(path, text, tables, "", problems);
  if (file.table == nullptr) return;
  const launch_flags::ImportRequest request{.file = path,
                                            .given = {{sweep::Axis::cluster, "dgx-h100-ndr400", ""}}};
  simulate::Catalog catalog = presets.catalog;
  const launch_flags::Imported imported =
      launch_flags::import_settings(file.settings, *file.table, catalog, request, problems);
  if (problems.errors() > 0) return;
  const training::TrainingConfig config = launch_flags::config_of(imported, catalog);
  Problems of_text;
  const std::string sweep = launch_flags::sweep_text(imported, config, catalog, *file.table, {.file = path});
  if (!config::parse_toml(sweep, "sweep.toml", of_text)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr const char* names[] = {"fuzz.sh", "fuzz.yaml", "fuzz.toml", "fuzz.json"};
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t which = data[0] % 5;
  try {
    if (which == 4)
      read_table(text);
    else
      read_launch(names[which], text);
  } catch (const UserError&) {
  }
  return 0;
}
