// Profile files: measured kernels on disk. hdf5_schemas/profile_v1.toml is the contract.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/database/measurement.hpp"

namespace echo::storage {

// Writes the profile, tidied: a whole file or none, equal bytes for equal content. Returns its digest (hex).
// Precondition: every row is sound. UserError, 5, where it cannot be written.
std::string write_profile(const std::filesystem::path&, const kernels::Profile&);

struct ProfileFile {
  kernels::Profile profile;
  std::string digest;  // of columns, GPU names and origins; hex
};
// UserError, 2: no such file, no profile, of a later version, damaged, or with a row that nothing could
// measure.
[[nodiscard]] ProfileFile read_profile(const std::filesystem::path&);

}  // namespace echo::storage
