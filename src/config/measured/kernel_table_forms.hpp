// The forms of tables of measured kernels, recognised by their column names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/csv.hpp"

namespace echo::config {

enum class KernelTable : std::int8_t { gemm, attention, experts, training_efficiency, layer_ops };

struct KernelTableForm {
  KernelTable kind;
  const char* name;                   // "gemm"
  std::array<const char*, 12> needs;  // columns that identify it; null after the last
  const char* region;                 // rows for which accuracy is claimed, as text; empty = all rows
  [[nodiscard]] bool is_form_of(const CsvTable&) const;
};

[[nodiscard]] std::span<const KernelTableForm> kernel_table_forms();
[[nodiscard]] const KernelTableForm& form_of(KernelTable);
// The form of a table; nothing if it has none of these.
[[nodiscard]] std::optional<KernelTable> kernel_table_of(const CsvTable&);

}  // namespace echo::config
