// The sweep behind a break-even surface: a sweep file, or the one that a result file carries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explain/sweep_again.hpp"

namespace echo::cli {

class SurfaceSweep {
 public:
  // UserError, 2 or 5, where `file` is neither.
  SurfaceSweep(std::string file, std::vector<std::string> preset_paths, std::vector<std::string> sets);

  // The sweep with `sets` after those of the constructor. Its calibration looks at bytes beside it.
  [[nodiscard]] std::unique_ptr<const explain::SweepAgain> read(const std::vector<std::string>& sets) const;

  // A line where a result file was simulated with other presets or constants than this program now reads for
  // it; empty where they are the same, or there is no result file.
  [[nodiscard]] std::string what_changed() const;

 private:
  std::string file_;
  std::unique_ptr<const results::ResultFile> rows_;  // null: the file is a sweep
  std::vector<std::string> preset_paths_, sets_;
};

}  // namespace echo::cli
