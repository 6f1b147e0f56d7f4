#include "cli/break_even/surface_sweep.hpp"

#include <optional>
#include <utility>

#include "cli/run/sweep_inputs.hpp"
#include "explain/profile_inputs.hpp"
#include "results/file_header.hpp"
#include "results/provenance.hpp"
#include "results/read_rows.hpp"

namespace echo::cli {

SurfaceSweep::SurfaceSweep(std::string file, std::vector<std::string> preset_paths,
                           std::vector<std::string> sets)
    : file_(std::move(file)), preset_paths_(std::move(preset_paths)), sets_(std::move(sets)) {
  if (results::is_result(results::existing(file_)))
    rows_ = std::make_unique<const results::ResultFile>(file_);
}

std::unique_ptr<const explain::SweepAgain> SurfaceSweep::read(const std::vector<std::string>& sets) const {
  std::vector<std::string> all = sets_;
  all.insert(all.end(), sets.begin(), sets.end());
  if (rows_) return std::make_unique<explain::SweepAgain>(explain::sweep_again(*rows_, preset_paths_, all));
  auto read = std::make_unique<explain::SweepAgain>(
      explain::SweepAgain{config::read_sweep(file_, preset_paths_, all), nullptr});
  read->measured = std::make_unique<const std::string>(explain::read_profiles(read->inputs));
  explain::price_by(*read->measured, read->inputs);
  return read;
}

std::string SurfaceSweep::what_changed() const {
  if (!rows_) return "";
  const explain::SweepAgain now = explain::sweep_again(*rows_, preset_paths_);
  const results::FileHeader again =
      sweep_header({now.inputs.spec, now.inputs.catalog, now.inputs.calibration});
  const results::FileState& then = rows_->state();
  std::string changed;
  const auto compare = [&](const std::string& a, const std::string& b, const char* what) {
    if (a != b) changed += (changed.empty() ? "" : ", ") + std::string(what);
  };
  compare(again.code_key, then.code_key, "the program");
  compare(again.catalog_key, then.catalog_key, "presets");
  compare(again.calibration_key, then.calibration_key, "constants or measured kernels");
  return changed.empty() ? "" : "since " + file_ + " was written these have changed: " + changed;
}

}  // namespace echo::cli
