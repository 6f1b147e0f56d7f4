// The number by which NCCL names a version, from its text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace echo::training {

// "2.21.5" as NCCL prints it in one number: 22105 (20805 and 2804 before and after the scheme changed
// at 2.9), the inverse of version_text() in axis.hpp. Nothing where the text is no version of NCCL 2.
[[nodiscard]] std::optional<std::int32_t> version_number(const std::string& text);

}  // namespace echo::training
