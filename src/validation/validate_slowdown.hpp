// Compares a table of kernels measured alone and with communication with predicted overlapped times, and with
// the assumption of no slowdown.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "config/catalog/catalog_files.hpp"
#include "nsight/echo_table.hpp"
#include "slowdown/overlap_row.hpp"
#include "validation/validated_table.hpp"

namespace echo::validation {

struct SlowdownChoice {
  std::string name;                                           // "contention"
  std::function<double(const slowdown::OverlapRow&)> of_row;  // Echo's slowdown; empty: it cannot tell
  std::string trained_on{};  // digest of the data that a learned model saw; empty: it is not learned
};

// `choice` as --slowdown has it. auto and contention: the catalog's white box on the measured metrics, beside
// a ring that takes 15 % of the SMs and 10 % of HBM bandwidth, since the table does not say what ran there. A
// file: a model learned of metrics; one of what a simulator knows has nothing to say of metrics (of_row is
// empty). UserError, 2: no such file, no model.
[[nodiscard]] SlowdownChoice slowdown_on_metrics(const std::string& choice, const config::CatalogInputs&);

[[nodiscard]] ValidatedTable validate_slowdown(const nsight::EchoTable&, const std::string& file,
                                               const SlowdownChoice&, const ValidateOptions&);

}  // namespace echo::validation
