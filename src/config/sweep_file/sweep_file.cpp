// Reading a sweep.
// Problem: a sweep is several files (itself, what it includes, presets) and the command line, and a user
// wants all mistakes in them reported at once. Idea: parse and override first, then follow includes,
// then read the catalog with what they define, then section by section, each adding its problems to one list;
// expressions come last, when all names are known. Only at the end is anything thrown.
#include "config/sweep_file/sweep_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/memory_limit.hpp"
#include "config/catalog/fitted/learned_model.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/sweep_file/economics_reader.hpp"
#include "config/sweep_file/goal_reader.hpp"
#include "config/sweep_file/include_files.hpp"
#include "config/sweep_file/reliability_reader.hpp"
#include "config/sweep_file/rule_reader.hpp"
#include "config/sweep_file/settings_reader.hpp"
#include "config/sweep_file/space_reader.hpp"
#include "config/sweep_file/sweep_keys.hpp"
#include "config/sweep_file/what_if_reader.hpp"
#include "config/sweep_file/workload_growth.hpp"
#include "config/sweep_file/workload_reader.hpp"
#include "config/toml/overrides.hpp"
#include "config/toml/read_file.hpp"
#include "config/toml/toml_reader.hpp"

namespace echo::config {
namespace {

constexpr std::size_t most_compiled_rules = 200'000;  // each group compiles every rule: some 3 s

void read_body(const toml::table& root, const std::vector<IncludedFile>& included,
               const std::vector<ReliabilityFile>& reliability, const std::string& path, SweepInputs& inputs,
               Problems& problems) {
  TableReader reader(root, {path, 1, 1, 1}, "the sweep", problems);
  inputs.spec.name = std::filesystem::path(path).stem().string();
  read_settings(reader, inputs.spec);
  read_reliability_section(reader, reliability, inputs.spec.terms.reliability);
  for (const char* list : {"include", "derive", "keep", "limit", "objective", "what_if"}) reader.ignore(list);
  std::vector<const toml::table*> roots;
  for (const IncludedFile& file : included) roots.push_back(&file.root);
  roots.push_back(&root);
  std::vector<Place> places;
  read_rules(roots, inputs.spec, places, problems);
  read_limits(roots, inputs.spec, places, problems);
  read_objectives(root, inputs.spec, problems);
  const int before = problems.errors();
  read_workload(root, places, inputs, problems);
  const toml::table* space = reader.table("space");
  if (space != nullptr) {
    read_space(*space, place_of(*root.get("space")), inputs.aliases, inputs.catalog, inputs.spec, problems);
  }
  check_growth(root, inputs, problems);
  check_economics(root, inputs.catalog, inputs.spec, problems);
  reader.finish();
  if (inputs.spec.groups.size() * inputs.spec.rules.size() > most_compiled_rules)
    return problems.error(
        {path, 0, 0, 1},
        std::to_string(inputs.spec.groups.size()) + " groups with " +
            std::to_string(inputs.spec.rules.size()) + " rules each are too many",
        "their product is at most " + std::to_string(most_compiled_rules) + "; split the sweep");
  check_expressions(inputs.spec, inputs.catalog, places, space != nullptr && problems.errors() == before,
                    problems);
}

// Applies [simulate] slowdown, contention and setting to the catalog's calibration.
void choose_models(const toml::table& root, SweepInputs& inputs, Problems& problems) {
  inputs.calibration.contention = inputs.spec.contention;
  inputs.calibration.packet_budget = inputs.spec.packet_budget;
  inputs.calibration.setting = inputs.spec.setting;
  if (inputs.spec.skew.draws > 0) inputs.calibration.production.gpu_spread.value = inputs.spec.skew.sigma;
  if (inputs.spec.slowdown == sweep::SlowdownModel::off) inputs.calibration.slowdown = slowdown::NoSlowdown{};
  if (inputs.spec.slowdown != sweep::SlowdownModel::file) return;
  const std::string& path = inputs.spec.slowdown_file;
  const auto learned = read_learned_model(path, place_of(*root["simulate"]["slowdown"].node()), problems);
  if (!learned) return;
  inputs.learned = learned->image;
  inputs.files.push_back({"learned", path, learned->digest});
}

// Number of the folders, highest precedence first, that --preset-path named.
std::size_t own_folders(const std::vector<std::string>& folders,
                        const std::vector<std::string>& preset_paths) {
  return static_cast<std::size_t>(
      std::count_if(folders.begin(), folders.end(), [&](const std::string& folder) {
        return std::find(preset_paths.begin(), preset_paths.end(), folder) != preset_paths.end();
      }));
}

// The sweep after overrides, and each file it includes, after them too, under [included."path"]; which
// slowdown model and trace it names; and what its what-ifs make of presets.
std::string resolved(const toml::table& root, const std::vector<IncludedFile>& included,
                     const std::vector<HardwareChange>& changes, const SweepInputs& inputs) {
  toml::table whole = root, files;
  for (const IncludedFile& file : included) files.insert_or_assign(file.path, file.root);
  if (!files.empty()) whole.insert_or_assign("included", std::move(files));
  for (const InputFile& input : inputs.files) {
    if (input.kind == "learned")
      whole.insert_or_assign("slowdown_model", toml::table{{"file", input.path}, {"digest", input.hash}});
    if (input.kind == "trace")
      whole.insert_or_assign("traced", toml::table{{"file", input.path}, {"digest", input.hash}});
  }
  if (!changes.empty())
    whole.insert_or_assign("what_if_values", what_if_values(changes, inputs.spec, inputs.catalog));
  std::ostringstream text;
  text << toml::toml_formatter{whole} << '\n';
  return text.str();
}

// A sweep and what it includes, after overrides.
struct ParsedSweep {
  std::optional<toml::table> root;
  std::vector<IncludedFile> included;
};

std::vector<toml::table*> roots_of(std::vector<IncludedFile>& included) {
  std::vector<toml::table*> roots;
  for (IncludedFile& file : included) roots.push_back(&file.root);
  return roots;
}

// Presets that the sweep itself defines, as [models.NAME]: as if it included a last file of them.
void split_off_presets(const std::string& path, ParsedSweep& parsed) {
  toml::table own;
  for (const std::string_view kind : included_sections()) {
    toml::table* const section = parsed.root->get_as<toml::table>(kind);
    if (section == nullptr) continue;
    const toml::key key = parsed.root->find(kind)->first;
    own.insert(key, std::move(*section));
    parsed.root->erase(kind);
  }
  if (!own.empty()) parsed.included.push_back({path, "", std::move(own)});
}

void read_parsed(ParsedSweep& parsed, const std::string& path, const std::vector<std::string>& preset_paths,
                 SweepInputs& inputs, Problems& problems) {
  for (const IncludedFile& file : parsed.included)
    if (file.path != path) inputs.files.push_back({"include", file.path, file.hash});
  const std::vector<std::string> own = preset_places(preset_paths).folders;
  const std::vector<std::string> folders = catalog_folders(own, path);
  CatalogInputs catalog =
      read_catalog(folders, problems, {.files = &parsed.included, .behind = own_folders(folders, own)});
  inputs.catalog = std::move(catalog.catalog);
  inputs.calibration = std::move(catalog.calibration);
  inputs.aliases = std::move(catalog.aliases);
  inputs.files.insert(inputs.files.end(), catalog.files.begin(), catalog.files.end());
  if (parsed.root) {
    auto [changes, said] = apply_what_ifs(*parsed.root, inputs.catalog, inputs.calibration, problems);
    inputs.spec.what_ifs = std::move(said);
    read_body(*parsed.root, parsed.included, catalog.reliability, path, inputs, problems);
    if (problems.errors() == 0) check_what_ifs(changes, inputs.spec, inputs.catalog, problems);
    choose_models(*parsed.root, inputs, problems);
    inputs.resolved_toml = resolved(*parsed.root, parsed.included, changes, inputs);
  }
  problems.throw_if_any();
  inputs.warnings = problems.list();
}

SweepInputs read_all(const std::string& path, const std::vector<std::string>& preset_paths,
                     const std::vector<std::string>& sets) {
  Problems problems;
  SweepInputs inputs;
  const auto text = read_whole_file(path);
  if (!text) {
    throw UserError(
        {Problem{{path, 0, 0, 1}, "this file cannot be read", "check the path and its permissions"}});
  }
  inputs.sweep_toml = *text;
  inputs.overrides = sets;
  inputs.files.push_back({"sweep", path, fingerprint(*text)});
  ParsedSweep parsed{.root = parse_toml(*text, path, problems), .included = {}};
  std::vector<std::string> own_sets = sets;  // overrides of `include` come first
  if (parsed.root) {
    const auto rest = std::stable_partition(own_sets.begin(), own_sets.end(), [](const std::string& set) {
      return set.starts_with("include=") || set.starts_with("include =");
    });
    apply_overrides({own_sets.begin(), rest}, *parsed.root, {}, problems);
    parsed.included = read_includes(*parsed.root, path, problems);
    for (IncludedFile& file : read_named_files(preset_places(preset_paths).files, problems))
      parsed.included.push_back(std::move(file));
    split_off_presets(path, parsed);
    apply_overrides({rest, own_sets.end()}, *parsed.root, roots_of(parsed.included), problems);
  }
  read_parsed(parsed, path, preset_paths, inputs, problems);
  return inputs;
}

SweepInputs read_kept(const std::string& resolved_toml, const std::string& path,
                      const std::vector<std::string>& preset_paths, const std::vector<std::string>& sets) {
  Problems problems;
  SweepInputs inputs;
  inputs.sweep_toml = resolved_toml;
  inputs.overrides = sets;
  inputs.files.push_back({"sweep", path, fingerprint(resolved_toml)});
  ParsedSweep parsed{.root = parse_toml(resolved_toml, path, problems), .included = {}};
  if (parsed.root) {
    toml::table& root = *parsed.root;
    const toml::table kept = root.get_as<toml::table>("included") != nullptr
                                 ? *root.get_as<toml::table>("included")
                                 : toml::table();
    for (const char* added : {"included", "slowdown_model", "traced", "what_if_values"}) root.erase(added);
    parsed.included = kept_includes(root, path, kept, problems);
    for (const auto& [name, file] : kept) {  // those that the command line named
      const bool is_there = std::ranges::find(parsed.included, std::string(name.str()),
                                              &IncludedFile::path) != parsed.included.end();
      if (!is_there && file.is_table())
        parsed.included.push_back({std::string(name.str()), "", *file.as_table()});
    }
    apply_overrides(sets, root, roots_of(parsed.included), problems);
  }
  read_parsed(parsed, path, preset_paths, inputs, problems);
  return inputs;
}

}  // namespace

SweepInputs read_sweep(const std::string& path, const std::vector<std::string>& preset_paths,
                       const std::vector<std::string>& sets) {
  return within_memory(path, [&] { return read_all(path, preset_paths, sets); });
}

SweepInputs read_sweep_again(const std::string& resolved_toml, const std::string& path,
                             const std::vector<std::string>& preset_paths,
                             const std::vector<std::string>& sets) {
  return within_memory(path, [&] { return read_kept(resolved_toml, path, preset_paths, sets); });
}

}  // namespace echo::config
