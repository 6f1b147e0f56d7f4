#include "config/sweep_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "config/overrides.hpp"
#include "config/read_file.hpp"
#include "config/rule_reader.hpp"
#include "config/space_reader.hpp"
#include "config/toml_reader.hpp"

namespace echo::config {
namespace {

using Presence = TableReader::Presence;

// Keys of the full design that this version does not read. Silence would be taken for obedience.
constexpr std::array<const char*, 9> not_yet{"include",  "target",      "limit",     "objective", "search",
                                             "simulate", "reliability", "economics", "run"};

void refuse_not_yet(const toml::table& root, TableReader& reader, Problems& problems) {
  for (const Entry& entry : in_file_order(root)) {
    const std::string name(entry.key->str());
    if (std::find(not_yet.begin(), not_yet.end(), name) == not_yet.end()) continue;
    reader.ignore(name);
    problems.error(place_of(*entry.key), "\"" + name + "\" is not supported yet",
                   "remove it; this version reads space, derive, keep and output");
  }
}

void read_output(TableReader& root, sweep::SweepSpec& spec) {
  const toml::table* table = root.table("output", Presence::optional);
  if (table == nullptr) return;
  TableReader reader(*table, place_of(*table), "[output]", root.problems());
  reader.text("file", spec.output_file, Presence::optional);
  for (const char* later : {"breakdown", "timelines"}) {
    if (const toml::node* node = reader.node(later, Presence::optional)) {
      root.problems().error(place_of(*node), std::string("output.") + later + " is not supported yet",
                            "remove it");
    }
  }
  reader.finish();
  const std::string hole = "{name}";
  for (std::size_t at = spec.output_file.find(hole); at != std::string::npos;
       at = spec.output_file.find(hole, at)) {
    spec.output_file.replace(at, hole.size(), spec.name);
    at += spec.name.size();
  }
}

void read_head(TableReader& root, const std::string& path, sweep::SweepSpec& spec) {
  root.integer("schema", {1, 1}, spec.schema, Presence::optional);
  spec.name = std::filesystem::path(path).stem().string();
  const bool named = root.text("name", spec.name, Presence::optional);
  const auto odd = [](unsigned char c) { return c <= ' ' || c == '/' || c == '\\'; };
  if (named && std::any_of(spec.name.begin(), spec.name.end(), odd)) {
    const toml::node* node = root.node("name", Presence::optional);
    root.problems().error(place_of(*node), "the name \"" + spec.name + "\" holds blanks or slashes",
                          "it names the result file; use letters, digits and dashes");
  }
  root.text("title", spec.title, Presence::optional);
  root.integer("seed", {0, 9e18}, spec.seed, Presence::optional);
}

void read_body(const toml::table& root, const std::string& path, SweepInputs& inputs, Problems& problems) {
  const Place whole{path, 1, 1, 1};
  TableReader reader(root, whole, "the sweep", problems);
  refuse_not_yet(root, reader, problems);
  read_head(reader, path, inputs.spec);
  read_output(reader, inputs.spec);
  reader.ignore("derive");
  reader.ignore("keep");
  const toml::table* space = reader.table("space");
  std::vector<Place> places;
  read_rules(root, inputs.spec, places, problems);
  const int before = problems.errors();
  if (space != nullptr) {
    read_space(*space, place_of(*root.get("space")), inputs.aliases, inputs.catalog, inputs.spec, problems);
  }
  reader.finish();
  check_rules(inputs.spec, inputs.catalog, places, space != nullptr && problems.errors() == before, problems);
}

}  // namespace

SweepInputs read_sweep(const std::string& path, const std::vector<std::string>& preset_paths,
                       const std::vector<std::string>& sets) {
  Problems problems;
  SweepInputs inputs;
  const auto text = read_whole_file(path);
  if (!text) {
    throw UserError(
        {Problem{{path, 0, 0, 1}, "this file cannot be read", "check the path and its permissions"}});
  }
  CatalogInputs catalog = read_catalog(catalog_folders(preset_paths, path), problems);
  inputs.catalog = std::move(catalog.catalog);
  inputs.calibration = std::move(catalog.calibration);
  inputs.aliases = std::move(catalog.aliases);
  inputs.sweep_toml = *text;
  inputs.overrides = sets;
  inputs.files.push_back({"sweep", path, fingerprint(*text)});
  inputs.files.insert(inputs.files.end(), catalog.files.begin(), catalog.files.end());
  if (auto root = parse_toml(*text, path, problems)) {
    apply_overrides(sets, *root, problems);
    read_body(*root, path, inputs, problems);
    std::ostringstream resolved;
    resolved << toml::toml_formatter{*root} << '\n';
    inputs.resolved_toml = resolved.str();
  }
  problems.throw_if_any();
  inputs.warnings = problems.list();
  return inputs;
}

}  // namespace echo::config
