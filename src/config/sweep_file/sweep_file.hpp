// Reads a sweep: its TOML file, the presets it names, and overrides from the command line.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "config/catalog/catalog_files.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

struct SweepInputs {
  sweep::SweepSpec spec;
  simulate::Catalog catalog;          // with the layer tables and NCCL settings this sweep names
  simulate::Calibration calibration;  // the catalog's, as [simulate] slowdown and contention have it
  std::string learned;  // the image of the model that [simulate] slowdown names, for slowdown::LearnedView
  Aliases aliases;
  std::string sweep_toml;              // the file as written
  std::string resolved_toml;           // with overrides applied, normalised, included files appended
  std::vector<std::string> overrides;  // "key=value", as given
  std::vector<InputFile> files;        // the sweep first, then the catalog
  std::vector<Problem> warnings;
};

// `sets`: "space.tp=[1,2]" replaces or adds that key; a value that is not TOML is taken as a string.
// Throws UserError with every problem of the sweep and of the catalog.
[[nodiscard]] SweepInputs read_sweep(const std::string& path,
                                     const std::vector<std::string>& preset_paths = {},
                                     const std::vector<std::string>& sets = {});

// The same from a sweep's `resolved_toml`; `path`: of the sweep it was made from, for what it names relative
// to itself. What the sweep includes is taken from the text; models, traces and presets are read from their
// files as they are now. `sets` as of read_sweep. Throws UserError as read_sweep does.
[[nodiscard]] SweepInputs read_sweep_again(const std::string& resolved_toml, const std::string& path,
                                           const std::vector<std::string>& preset_paths = {},
                                           const std::vector<std::string>& sets = {});

}  // namespace echo::config
