// The columns of a profile file. The table itself is generated from hdf5_schemas/profile_v1.toml.
#pragma once

#include <span>
#include <string_view>

#include "storage/hdf5.hpp"

namespace echo::storage {

struct ProfileColumn {
  const char* name;  // "precision"
  ElementType type;
  const char* role;  // "scale", "kernel", "measured"
  const char* units;
  const char* long_name;
  const char* description;
  std::span<const std::string_view> meanings;  // of codes 0, 1, ...; empty where not coded, and of GPUs
};

inline constexpr const char* profile_schema_name = "echo-sweep-profile";
[[nodiscard]] const char* profile_schema_version();              // "1.0"
[[nodiscard]] const char* profile_origin_description();          // of the group /origins
[[nodiscard]] std::span<const ProfileColumn> profile_columns();  // in the order of the digest

}  // namespace echo::storage
