// [simulate] and [workload] as the attributes of a result file keep them, and back.
#pragma once

#include <string>

#include "results/file_header.hpp"
#include "results/provenance.hpp"
#include "results/read_rows.hpp"
#include "sweep/spec.hpp"

namespace echo::explain {

[[nodiscard]] results::RowSettings row_settings(const sweep::SweepSpec&);

// The members of a spec that row_settings() keeps; `trace`: where its trace was read, empty where it has
// none. `problem` says what this program does not know. For a file before schema 1.7, which has no such
// attributes: as its one row in `table` and its sweep tell.
[[nodiscard]] sweep::SweepSpec settings_again(const results::RowSettings&, const std::string& trace,
                                              const std::string& resolved_toml, const results::Table&,
                                              std::string& problem);

}  // namespace echo::explain
