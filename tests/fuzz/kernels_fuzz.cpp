// Any bytes under the header of a table of kernels are rows or a UserError. The first byte chooses the
// header.
#include <cstddef>
#include <cstdint>
#include <string>

#include "config/measured/measured_kernels.hpp"
#include "tests/support/source_dir.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const echo::config::CatalogInputs presets =
      echo::config::read_catalog({echo::support::source_dir() + "/sweeps/catalog"});
  if (size == 0) return 0;
  const auto forms = echo::config::kernel_table_forms();
  const echo::config::KernelTableForm& form = forms[data[0] % forms.size()];
  std::string text;
  for (const char* column : form.needs)
    if (column != nullptr) text += (text.empty() ? "" : ",") + std::string(column);
  text += "\n" + std::string(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const echo::CsvTable table = echo::CsvTable::parse(text, "fuzz.csv");
    static_cast<void>(echo::config::read_measured_kernels(table, form.kind, presets));
  } catch (const echo::UserError&) {
  }
  return 0;
}
