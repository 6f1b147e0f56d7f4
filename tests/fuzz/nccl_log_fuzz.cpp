// Any bytes are rows of nccl-tests or a UserError; rows that are read make a table of collectives that can be
// read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "config/measured/measured_collectives.hpp"
#include "config/measured/nccl_log.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const echo::config::CatalogInputs none;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  for (const char* gpu : {"", "h100-sxm"}) {
    const echo::config::NcclLogHints hints{.collective = *gpu == 0 ? "" : "all_reduce", .gpu = gpu};
    try {
      const auto rows = echo::config::read_nccl_log(text, "fuzz.log", hints);
      const auto table = echo::CsvTable::parse(echo::config::as_collective_table(rows, hints), "fuzz.csv");
      if (echo::config::read_measured_collectives(table, none).size() != rows.size()) std::abort();
    } catch (const echo::UserError&) {
    }
  }
  return 0;
}
