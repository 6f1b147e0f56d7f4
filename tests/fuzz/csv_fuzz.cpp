// Any bytes are a table or a UserError; reading any cell of it gives a value or a UserError, and importing it
// as measured kernels gives a UserError or kernels that could have been measured.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/csv.hpp"
#include "config/measured/profile_table.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace {

echo::config::CatalogInputs one_gpu() {
  echo::config::CatalogInputs presets;
  presets.catalog.gpus.push_back(echo::testing::h100());
  return presets;
}

void import_kernels(const echo::CsvTable& table) {
  static const echo::config::CatalogInputs presets = one_gpu();
  echo::Problems problems;
  const auto imported = echo::config::read_kernel_table(table, presets, {.gpu = "h100-sxm"}, problems);
  for (const echo::kernels::Measurement& row : imported.profile.rows)
    if (echo::kernels::why_unsound(row) != nullptr) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const echo::CsvTable table =
        echo::CsvTable::parse({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
    import_kernels(table);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      static_cast<void>(table.text(row, "a"));
      static_cast<void>(table.integer(row, "a"));
    }
  } catch (const echo::UserError&) {
  }
  return 0;
}
