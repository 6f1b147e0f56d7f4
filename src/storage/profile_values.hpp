// What stands in the columns of a profile file: measurements as the bytes of a column, and back.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "ops/kernel_fields.hpp"
#include "profile/measurement.hpp"
#include "storage/profile_columns.hpp"

namespace echo::storage {

// How a column stands to a measurement; nothing for the row number and for members of its kernel.
struct ProfileAccess {
  double (*get)(const profile::Measurement&);
  void (*set)(profile::Measurement&, double);
};
[[nodiscard]] std::optional<ProfileAccess> profile_access(std::string_view column);
// The kernel's member that a column holds; null for other columns.
[[nodiscard]] const ops::KernelField* kernel_field(std::string_view column);

// Values in the column's own type, one behind the other.
[[nodiscard]] std::vector<std::byte> column_bytes(const ProfileColumn&, const profile::Profile&);
[[nodiscard]] double value_at(ElementType, const std::vector<std::byte>&, std::size_t row);

// The texts of an origin and their datasets.
struct OriginText {
  const char* path;
  std::string profile::Origin::*member;
};
[[nodiscard]] const std::array<OriginText, 3>& origin_texts();

// The meanings of codes 0, 1, ... as one text, and of GPUs those of the profile; empty where not coded.
[[nodiscard]] std::string meanings_text(const ProfileColumn&, const profile::Profile&);

// What the digest is of: each column's bytes and the text of its meanings, then the origins' texts, origin by
// origin. A text ends with a zero byte.
void add_column(Digest&, const std::vector<std::byte>& bytes, const std::string& meanings);
void add_origins(Digest&, const profile::Profile&);

}  // namespace echo::storage
