// The values in the columns of a profile file.
#pragma once

#include <optional>
#include <string_view>

#include "kernels/database/measurement.hpp"

namespace echo::storage {

// How a column stands to a measurement; nothing for the row number and for members of its kernel
// (ops::kernel_field).
struct ProfileAccess {
  double (*get)(const kernels::Measurement&);
  void (*set)(kernels::Measurement&, double);
};
[[nodiscard]] std::optional<ProfileAccess> profile_access(std::string_view column);

}  // namespace echo::storage
