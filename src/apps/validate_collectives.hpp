// A table of measured collectives beside what the shipped network constants say of each.
#pragma once

#include <string>
#include <vector>

#include "apps/validated_table.hpp"
#include "config/measured_collectives.hpp"

namespace echo::apps {

// Collective.
[[nodiscard]] ValidatedTable validate_collectives(const std::vector<config::MeasuredCollectiveRow>&,
                                                  const std::string& file, const ValidateOptions&);

}  // namespace echo::apps
