// Compares a table of measured collectives with predictions by the shipped network constants.
#pragma once

#include <string>
#include <vector>

#include "config/measured/measured_collectives.hpp"
#include "validation/validated_table.hpp"

namespace echo::validation {

// Collective.
[[nodiscard]] ValidatedTable validate_collectives(const std::vector<config::MeasuredCollectiveRow>&,
                                                  const std::string& file, const ValidateOptions&);

}  // namespace echo::validation
