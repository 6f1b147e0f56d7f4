// A GPU without tables of its own is priced with a relative's constants, which are shares of its data
// sheet's numbers (peaks, SMs, bandwidth, L2). Leaving a measured GPU out shows the error of this: its rows,
// priced with its own data sheet and the relative's constants, of the same library. The catalog's constants
// are used unchanged; nothing is fitted here.
#include "calibrate/kernels/kernel_transfer.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "accuracy/error_table.hpp"
#include "base/at.hpp"
#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/named_table.hpp"
#include "calibrate/kernels/kernel_tables.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/measured/measured_kernels.hpp"
#include "kernels/database/measured_row.hpp"

namespace echo::calibrate {

namespace {

struct Pair {
  const char* gpu;       // whose rows
  const char* relative;  // whose constants
};
constexpr std::array<Pair, 6> pairs{{{"h200-sxm", "h100-sxm"},
                                     {"gb200", "b200-sxm"},
                                     {"h100-sxm", "h200-sxm"},
                                     {"b200-sxm", "gb200"},
                                     {"b200-sxm", "h200-sxm"},
                                     {"h100-sxm", "a100-sxm"}}};

void print_pair(const Pair& pair, const std::string& folder, const config::CatalogInputs& presets) {
  const auto& kernels = presets.calibration.kernels;
  const kernels::KernelConstants& relative = kernels[at(find_named(kernels, pair.relative))];
  std::map<std::string, std::vector<accuracy::Comparison>> groups;
  for (const char* name : {"gemm_", "attention_fwd_", "moe_"}) {
    const CsvTable table =
        CsvTable::read_file(fmt::format("{}/{}{}.csv", folder, name, kernel_sources(pair.gpu).file));
    const auto kind = config::kernel_table_of(table);
    if (!kind) continue;
    for (const config::MeasuredKernel& row : config::read_measured_kernels(table, *kind, presets)) {
      if (!row.skipped.empty() || !row.in_region) continue;
      const auto& gpu = presets.catalog.gpus[at(row.gpu)];
      const double predicted = to_seconds(kernels::price_row(row.key, row.scope, gpu, relative).alone);
      const std::string group = row.library + " " + row.stratum;
      groups[group].push_back({group, row.seconds, predicted});
    }
  }
  for (const auto& [group, rows] : groups) {
    const accuracy::ErrorSummary errors = accuracy::summarise(rows);
    fmt::print("{:<10} from {:<10} {:<28} {:>6} {:>7.2f} {:>7.2f} {:>+7.2f}\n", pair.gpu, pair.relative,
               group, errors.scored, 100 * errors.median_ape, 100 * errors.mean_ape, 100 * errors.bias);
  }
}

}  // namespace

int run_transfer(std::span<char*> args) {
  const char* folder = std::getenv("ECHO_DATA_DIR");
  std::string data = std::string(folder != nullptr ? folder : "../shared/data") + "/kernels";
  for (std::size_t i = 0; i < args.size(); i += 2) {
    if (std::string_view(args[i]) != "--data" || i + 1 == args.size())
      throw UserError(fmt::format("unknown or incomplete argument \"{}\"", args[i]),
                      "transfer [--data FOLDER]");
    data = args[i + 1];
  }
  const config::CatalogInputs presets = config::read_catalog();
  fmt::print("{:<10}      {:<10} {:<28} {:>6} {:>7} {:>7} {:>7}   (%)\n", "GPU", "constants", "library, rows",
             "rows", "median", "mean", "bias");
  for (const Pair& pair : pairs) print_pair(pair, data, presets);
  return 0;
}

}  // namespace echo::calibrate
