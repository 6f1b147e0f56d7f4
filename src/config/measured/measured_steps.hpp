// A table of measured training steps (`step_time_s` among its columns) as configs of the simulator.
// Blank cells take the framework preset's default. Columns that hold measurements (step_time_s, peak_mem_gib,
// mem_kind, note) are never used to build a config.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/measured/measured_memory.hpp"
#include "simulate/catalog.hpp"
#include "simulate/setting.hpp"
#include "training/config.hpp"

namespace echo::config {

struct MeasuredStep {
  std::string row;                           // row_id, or the 1-based data line
  std::string source, stratum, model;        // as in the table
  std::optional<simulate::Setting> setting;  // of the run, where the table says
  std::string skipped;                       // why it is not scored; empty = scored
  std::optional<training::TrainingConfig> config;
  // run: a rule of publications.toml describes it, or the row names its recipe. suite: one of suites.toml
  // does. Else what cells leave open is assumed to be as the framework comes, on the vendor's machine.
  simulate::SettingsFrom settings_from = simulate::SettingsFrom::defaults;
  bool recompute_open = false, zero_open = false;  // not given in the table
  std::optional<double> step_seconds;              // measured
  std::optional<MeasuredMemory> peak_memory;       // measured
  MemoryOutcome outcome = MemoryOutcome::unknown;
};

struct MeasuredSteps {
  simulate::Catalog
      catalog;  // the preset catalog, plus the models, clusters and layer splits the rows spell out
  std::vector<MeasuredStep> rows;
  std::vector<Bytes> gpu_memory;  // [gpus of the catalog] memory of each GPU
  std::vector<Problem> warnings;  // columns that nobody looks at
};

// The config of a row, which must have one; then, each needing less memory than the one before, those that
// what the table leaves open (recomputation, sharding of the optimizer) allows as well.
[[nodiscard]] std::vector<training::TrainingConfig> readings_of(const MeasuredStep&);

[[nodiscard]] bool is_step_table(const CsvTable&);
// Throws UserError where a cell is no number. GPUs of the returned catalog have unlimited memory: a step that
// was measured did fit, whatever the memory model thinks.
[[nodiscard]] MeasuredSteps read_measured_steps(const CsvTable&, const CatalogInputs&);

}  // namespace echo::config
