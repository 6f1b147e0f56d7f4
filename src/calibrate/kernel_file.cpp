#include "calibrate/kernel_file.hpp"

#include <fmt/format.h>

namespace echo::calibrate {

std::string kernel_file_text(const KernelCalibration& calibration, const std::string& source) {
  std::string text = fmt::format(
      "# Kernel constants, written by `echo-calibrate kernels --gpu {0}`; src/profile/constants.hpp explains "
      "the fields.\n"
      "name = \"{0}\"\n"
      "source = \"{1}\"\n"
      "licence = \"derived constants, MIT; tables: Apache-2.0 (aiconfigurator, SimuMax), MIT (vidur)\"\n"
      "date = \"2026-11-20\"\n\n[constants]\n",
      calibration.constants.name, source);
  const auto fields = profile::kernel_constant_fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ConstantOrigin& origin = calibration.origins[i];
    text += fmt::format("{} = {{ value = {:.6g}, error = {:.2g}, source = \"{}\" }}\n", fields[i].name,
                        calibration.constants.*fields[i].member, origin.error, origin.source);
  }
  text +=
      "\n# Errors of rows whose (n, k) family, or (heads, length) family, the fit had not seen; "
      "fractions.\n[fit]\n";
  for (const FamilyErrors& f : calibration.families) {
    text += fmt::format("{} = {{ rows = {}, median_ape = {:.4f}, mean_ape = {:.4f}, bias = {:.4f} }}\n",
                        f.family, f.errors.rows, f.errors.median, f.errors.mean, f.errors.bias);
  }
  return text;
}

}  // namespace echo::calibrate
