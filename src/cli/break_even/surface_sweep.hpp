// The sweep behind a break-even surface: a sweep file, or the one that a result file carries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/sweep_file/sweep_file.hpp"

namespace echo::cli {

class SurfaceSweep {
 public:
  // UserError, 2 or 5, where `file` is neither.
  SurfaceSweep(std::string file, std::vector<std::string> preset_paths, std::vector<std::string> sets);

  // Its calibration looks at bytes that are kept beside it.
  struct Read {
    config::SweepInputs inputs;
    std::string measured;
  };
  // The sweep with `sets` after those of the constructor.
  [[nodiscard]] std::unique_ptr<const Read> read(const std::vector<std::string>& sets) const;

  // A line where a result file was simulated with other presets or constants than this program now reads for
  // it; empty where they are the same, or there is no result file.
  [[nodiscard]] std::string what_changed() const;

 private:
  std::string file_, resolved_, sweep_path_;  // the last two of a result file; else empty
  std::vector<std::string> preset_paths_, sets_;
};

}  // namespace echo::cli
