// Any bytes are a table or a UserError; reading any cell of it ends likewise.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const echo::CsvTable table =
        echo::CsvTable::parse({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
    for (std::size_t row = 0; row < table.rows(); ++row) {
      static_cast<void>(table.text(row, "a"));
      static_cast<void>(table.integer(row, "a"));
    }
  } catch (const echo::UserError&) {
  }
  return 0;
}
