// What stands in the columns of a profile file.
#pragma once

#include <optional>
#include <string_view>

#include "profile/measurement.hpp"

namespace echo::storage {

// How a column stands to a measurement; nothing for the row number and for members of its kernel
// (ops::kernel_field).
struct ProfileAccess {
  double (*get)(const profile::Measurement&);
  void (*set)(profile::Measurement&, double);
};
[[nodiscard]] std::optional<ProfileAccess> profile_access(std::string_view column);

}  // namespace echo::storage
