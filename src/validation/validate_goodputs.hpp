// Compares published goodputs with those that the failures of their clusters give.
#pragma once

#include <string>
#include <vector>

#include "config/measured/measured_goodputs.hpp"
#include "validation/validated_table.hpp"

namespace echo::validation {

[[nodiscard]] ValidatedTable validate_goodputs(const std::vector<config::MeasuredGoodput>&,
                                               const std::string& file, const ValidateOptions&);

}  // namespace echo::validation
