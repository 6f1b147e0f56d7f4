// The command that fits one GPU kind's kernel constants.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/named_table.hpp"
#include "base/problems.hpp"
#include "calibrate/kernels/kernel_calibration.hpp"
#include "config/catalog/catalog_files.hpp"

namespace echo::calibrate {

namespace {

constexpr const char* usage = "kernels --gpu NAME [--data FOLDER] [--out FILE]";

struct Arguments {
  std::string gpu, data, out;
};

Arguments parse(std::span<char*> args) {
  const char* folder = std::getenv("ECHO_DATA_DIR");
  Arguments out{"", std::string(folder != nullptr ? folder : "../shared/data") + "/kernels", ""};
  for (std::size_t i = 0; i < args.size(); i += 2) {
    const std::string_view name = args[i];
    std::string* place = name == "--gpu"    ? &out.gpu
                         : name == "--data" ? &out.data
                         : name == "--out"  ? &out.out
                                            : nullptr;
    if (place == nullptr || i + 1 == args.size())
      throw UserError(fmt::format("unknown or incomplete argument \"{}\"", name), usage);
    *place = args[i + 1];
  }
  if (out.gpu.empty()) throw UserError("no GPU kind given", usage);
  return out;
}

// The first GPU of the catalog that is priced with the constants called `kernels`; the one of that name if
// there is one.
const machine::GpuSpec& gpu_of(const std::vector<machine::GpuSpec>& gpus, const std::string& kernels) {
  // A100: the 80 GB card is the one that was measured.
  const std::int32_t own = find_named(gpus, kernels == "a100-sxm" ? "a100-sxm-80gb" : kernels);
  if (own < 0)
    throw UserError("the catalog has no GPU \"" + kernels + "\"", "add sweeps/catalog/gpus/<name>.toml");
  return gpus[at(own)];
}

void print_errors(const LibraryCalibration& library) {
  const auto name = ops::kernel_library_names.at(at(library.constants.library));
  for (const FamilyErrors& f : library.families) {
    fmt::print("{:<40} {:>6} {:>8.2f} {:>8.2f} {:>8.2f}\n", fmt::format("{} {}", name, f.family),
               f.errors.rows, 100 * f.errors.median, 100 * f.errors.mean, 100 * f.errors.bias);
  }
}

}  // namespace

int run_kernels(std::span<char*> args) {
  const Arguments arguments = parse(args);
  (void)kernel_sources(arguments.gpu);  // refuses a GPU kind without tables
  // Problems of the catalog are ignored here: this command writes the very files that may still lack a
  // constant.
  Problems problems;
  const config::CatalogInputs presets = config::read_catalog(config::catalog_folders({}), problems);
  const KernelCalibration done =
      calibrate_kernels(arguments.data, presets, gpu_of(presets.catalog.gpus, arguments.gpu));
  const std::string text = kernel_file_text(done,
                                            "fitted on ai-dynamo/aiconfigurator, MooreThreads/SimuMax and "
                                            "microsoft/vidur tables; assumed where they are silent");
  fmt::print("{:<40} {:>6} {:>8} {:>8} {:>8}   (held out, %)\n", arguments.gpu, "rows", "median", "mean",
             "bias");
  print_errors(done.training);
  for (const LibraryCalibration& library : done.libraries) print_errors(library);
  if (arguments.out.empty()) {
    fmt::print("\n{}", text);
    return 0;
  }
  std::ofstream file(arguments.out);
  if (!(file << text)) throw UserError("cannot write " + arguments.out, "choose a folder that exists", 3);
  return 0;
}

}  // namespace echo::calibrate
