// Writes and reads site constants as a file that a sweep includes.
#pragma once

#include <string>
#include <vector>

#include "config/catalog/fitted/site_constants.hpp"

namespace echo::config {

struct FittedSiteConstant {
  SiteConstant constant;
  double factor = 1.0, sigma = 0.0;  // sigma: of the factor's logarithm, once the rows are seen
  int rows = 0;                      // how many rows it shows in
};

struct SiteFile {
  std::string path;    // of this file, for its first lines
  std::string source;  // source of the numbers: "mine.csv (XXH3-128 ...), 12 rows"
  std::vector<FittedSiteConstant> constants;
};

// Each preset that a constant moves, with its base and the values that differ from the shipped ones. Says
// no time and no place: equal fits give equal bytes.
[[nodiscard]] std::string site_file_text(const SiteFile&, const simulate::Catalog& shipped,
                                         const simulate::Calibration& shipped_constants);

// What --preset-path and --include name: folders of presets, and files of them.
struct PresetPlaces {
  std::vector<std::string> folders, files;
};
[[nodiscard]] PresetPlaces preset_places(const std::vector<std::string>& preset_paths);

// The catalog of `preset_paths` and the built-in one, with the files among them between the two. `resolved`:
// the resolved text of a sweep, in which the presets of its included files stand as they were; files win over
// them. Throws UserError with every problem.
[[nodiscard]] CatalogInputs read_presets(const std::vector<std::string>& preset_paths,
                                         const std::string& resolved = "");

// The presets of files, which are not in a folder of their own, for lists: each as the text of a preset file.
struct FilePreset {
  std::string kind, name, path, text;  // kind: "clusters"
};
[[nodiscard]] std::vector<FilePreset> presets_in_files(const std::vector<std::string>& files);

// The catalog of `preset_paths` and the built-in one with the presets of such files between them, as a sweep
// that includes them sees it; rules and limits in the files are left alone. Throws UserError with every
// problem.
[[nodiscard]] CatalogInputs read_catalog_with(const std::vector<std::string>& site_files,
                                              const std::vector<std::string>& preset_paths);
// The same with one file that is not on disk yet.
[[nodiscard]] CatalogInputs read_catalog_with_text(const std::string& site_file, const std::string& path,
                                                   const std::vector<std::string>& preset_paths);

}  // namespace echo::config
