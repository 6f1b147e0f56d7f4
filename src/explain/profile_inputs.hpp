// The measured kernels that a sweep is priced by: files made into one database.
#pragma once

#include <string>
#include <vector>

#include "config/sweep_file/sweep_file.hpp"
#include "results/provenance.hpp"

namespace echo::explain {

// Bytes of the database of spec.profiles and `more`, for profile::Database; empty where there is none. Adds
// each file and its digest to read.files, and a warning where it times no GPU of the catalog. UserError, 2:
// no such file, no profile.
[[nodiscard]] std::string read_profiles(config::SweepInputs& read, const std::vector<std::string>& more = {});

// Has the calibration look at `measured` (of read_profiles) and at the slowdown model the sweep names; both
// must stay where they are.
void price_by(const std::string& measured, config::SweepInputs& read);

inline constexpr const char* trace_mark = "trace:";  // before a trace's name among a file's inputs

// How provenance names an input that is no preset.
[[nodiscard]] std::string provenance_name(const config::InputFile&);

// The database of a result file's profiles, as they lie where they were read; `problem` says which is gone or
// holds something else now, and is left out.
[[nodiscard]] std::string profiles_again(const std::vector<results::InputFile>&, const simulate::Catalog&,
                                         const simulate::Calibration&, std::string& problem);

}  // namespace echo::explain
