// Overlaps in profiles of training steps: torch.profiler's, and exports of Nsight Systems that hold kernels
// both alone and beside communication.
#pragma once

#include <string>
#include <vector>

#include "overlaps/import.hpp"

namespace echo::cli {

// Whether a file is a profile of torch.profiler, by its name and first bytes.
[[nodiscard]] bool is_torch_profile(const std::string& path);

// The name of the format of a recorded step that says how long each op took and not when; empty: it is none.
[[nodiscard]] std::string step_format(const std::string& path);
// Why such a step cannot be imported.
[[nodiscard]] std::string no_times_of(const std::string& format);

struct ProfileChoices {
  std::string gpu;     // where a profile does not name its own
  std::string source;  // of the rows; empty: the path of each profile
};

struct ProfileFiles {
  std::vector<std::string> torch, nsight;
};
// Which is which. UserError, 2, names every file that is neither.
[[nodiscard]] ProfileFiles profile_files(const std::vector<std::string>& files);

// UserError, 2, with all problems of all files. Nsight Systems' exports: `nsight`; those of several GPUs
// become a profile each.
[[nodiscard]] overlaps::Imported import_profile_files(const std::vector<std::string>& torch,
                                                      const std::vector<std::string>& nsight);

[[nodiscard]] std::string profile_rows_csv(const overlaps::Imported&, const ProfileChoices&);
// Per profile what it holds and what was left out and why; then, by class of kernel and kind of collective,
// the median slowdown of the recommended rows, weighted.
[[nodiscard]] std::string profile_import_text(const overlaps::Imported&);
[[nodiscard]] std::string profile_import_json(const overlaps::Imported&, const std::string& output);

}  // namespace echo::cli
