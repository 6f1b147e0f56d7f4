// The members of a kernel key: the single list that files, tables and messages use.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ops/kernel.hpp"

namespace echo::ops {

struct KernelField {
  std::string_view name;                    // "layout"
  std::span<const std::string_view> names;  // of the values 0, 1, ...; empty = a number
  std::int32_t (*get)(const KernelKey&);
  void (*set)(KernelKey&, std::int32_t);  // precondition: `names` has the value
};

inline constexpr std::size_t kernel_field_count = 23;
[[nodiscard]] std::span<const KernelField, kernel_field_count> kernel_fields();  // as in KernelKey
[[nodiscard]] const KernelField* kernel_field(std::string_view name);            // null if none

// The members as numbers, which compare as the keys do.
using KernelNumbers = std::array<std::int32_t, kernel_field_count>;
[[nodiscard]] KernelNumbers numbers_of(const KernelKey&);
[[nodiscard]] KernelKey key_of(const KernelNumbers&);

}  // namespace echo::ops
