// The catalog on disk: every preset, fitted constant and alias, read once by worker 0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/catalog/fitted/publications.hpp"
#include "config/catalog/reliability_file.hpp"
#include "config/stand_ins.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"

namespace echo::config {

struct IncludedFile;

// One file that was read, for provenance. `hash`: XXH3-128 of its bytes, in hex.
struct InputFile {
  std::string kind, path, hash;  // kind: sweep, include, preset, calibration, alias, profile, learned
  friend bool operator==(const InputFile&, const InputFile&) = default;
};

// Names other people use, and the preset each means (aliases.toml). Matching ignores case.
struct Alias {
  std::string kind, name, preset;  // kind: gpu, precision, framework, model, schedule, collective
};
class Aliases {
 public:
  explicit Aliases(std::vector<Alias> rows = {});
  // The preset that `name` stands for; without an alias, `name` in lower case.
  [[nodiscard]] std::string resolve(std::string_view kind, std::string_view name) const;
  // True if the catalog states that there is no preset for this name yet.
  [[nodiscard]] bool has_no_preset(std::string_view kind, std::string_view name) const;
  [[nodiscard]] const std::vector<Alias>& rows() const { return rows_; }

 private:
  std::vector<Alias> rows_;  // an empty `preset` marks a name without one
};

struct CatalogInputs {
  simulate::Catalog catalog;          // each table sorted by name
  simulate::Calibration calibration;  // same
  Aliases aliases;
  StandIns stand_ins;
  std::vector<ReliabilityFile> reliability;  // sorted by name
  std::vector<PublishedRuns> publications;   // those of better folders first; suites come last
  std::vector<InputFile> files;
};

// Where presets are looked for, best first: `preset_paths`, the sweep's own folder + "/catalog", the user's
// ($XDG_CONFIG_HOME or ~/.config, + "/echo-sweep"), the built-in one (built_in_catalog.hpp). Folders that do
// not exist are left out, but for those of `preset_paths`; for want of one of them, or of a built-in catalog,
// it throws UserError.
[[nodiscard]] std::vector<std::string> catalog_folders(const std::vector<std::string>& preset_paths,
                                                       const std::string& sweep_file = "");

// Reads {gpus,models,clusters,memory_tiers,nics,switches,frameworks,recipes,kernels,networks,slowdown,errors,
// settings,reliability}/*.toml, aliases.toml, publications.toml and suites.toml of every folder; of two
// presets with one name the earlier folder's wins. Throws UserError with every problem of every file.
[[nodiscard]] CatalogInputs read_catalog(const std::vector<std::string>& folders = catalog_folders({}));

// Presets that included files define as [gpus.NAME], ...: of equal names the last file's wins. They come
// right behind the first `behind` of the folders.
struct IncludedPresets {
  std::vector<IncludedFile>* files = nullptr;
  std::size_t behind = 0;
};

// The same, with the problems added to a list that others go on with.
[[nodiscard]] CatalogInputs read_catalog(const std::vector<std::string>& folders, Problems& problems,
                                         IncludedPresets included = {});

}  // namespace echo::config
