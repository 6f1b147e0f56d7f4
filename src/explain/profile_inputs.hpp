// Reads the profiles that price a sweep into one database of measured kernels.
#pragma once

#include <string>
#include <vector>

#include "config/sweep_file/sweep_file.hpp"
#include "results/provenance.hpp"

namespace echo::explain {

// Bytes of the database of spec.profiles and `more`, for profile::Database; empty if there are none. Adds
// each file and its digest to read.files, and a warning if it times no GPU of the catalog. UserError 2: no
// such file, or not a profile.
[[nodiscard]] std::string read_profiles(config::SweepInputs& read, const std::vector<std::string>& more = {});

// Makes the calibration refer to `measured` (from read_profiles) and to the slowdown model named in the
// sweep; both must not move.
void price_by(const std::string& measured, config::SweepInputs& read);

inline constexpr const char* trace_mark = "trace:";  // before a trace's name among a file's inputs

// The name in provenance of an input that is not a preset.
[[nodiscard]] std::string provenance_name(const config::InputFile&);

// The database of a result file's profiles, read again from their paths; profiles that are gone or have
// changed are left out and named in `problem`.
[[nodiscard]] std::string profiles_again(const std::vector<results::InputFile>&, const simulate::Catalog&,
                                         const simulate::Calibration&, std::string& problem);

}  // namespace echo::explain
