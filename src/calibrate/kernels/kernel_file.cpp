#include "calibrate/kernels/kernel_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/at.hpp"

namespace echo::calibrate {

namespace {

std::string constants_text(const LibraryCalibration& library, const std::string& prefix) {
  std::string text;
  const auto fields = kernels::kernel_constant_fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ConstantOrigin& origin = library.origins[i];
    if (origin.source.empty()) continue;
    text += fmt::format("{} = {{ value = {:.6g}, error = {:.2g}, source = \"{}\" }}\n", fields[i].name,
                        library.constants.*fields[i].member, origin.error, origin.source);
  }
  return text.empty() ? "" : fmt::format("\n[{}constants]\n", prefix) + text;
}

std::string knots_text(const LibraryCalibration& library, const std::string& prefix) {
  std::string text;
  for (const kernels::KnotsField& field : kernels::knots_fields()) {
    const kernels::Knots& knots = library.constants.*field.member;
    if (knots.factor.empty()) continue;
    text += fmt::format("\n[{}knots.{}]  # octaves of {}; measured over modelled\nat = [", prefix, field.name,
                        field.coordinates);
    for (std::size_t axis = 0; axis < 3; ++axis)
      text += fmt::format("{}[{}]", axis > 0 ? ", " : "", fmt::join(knots.at[axis], ", "));
    text += "]\nfactor = [";
    const std::size_t row = knots.at[2].size() > 1 ? knots.at[2].size() : knots.at[1].size();
    for (std::size_t i = 0; i < knots.factor.size(); ++i)
      text += fmt::format("{}{:.4f}", i == 0 ? "" : i % row == 0 ? ",\n  " : ", ", knots.factor[i]);
    text += "]\n";
  }
  return text;
}

std::string errors_text(const LibraryCalibration& library, const std::string& prefix) {
  if (library.families.empty()) return "";
  std::string text = fmt::format(
      "\n# Errors of rows whose (n, k) family, or (heads, length) family, the fit had not seen; "
      "fractions.\n[{}fit]\n",
      prefix);
  for (const FamilyErrors& f : library.families) {
    text += fmt::format("{} = {{ rows = {}, median_ape = {:.4f}, mean_ape = {:.4f}, bias = {:.4f} }}\n",
                        f.family, f.errors.rows, f.errors.median, f.errors.mean, f.errors.bias);
  }
  return text;
}

std::string text_of(const LibraryCalibration& library, const std::string& prefix) {
  return constants_text(library, prefix) + knots_text(library, prefix) + errors_text(library, prefix);
}

}  // namespace

std::string kernel_file_text(const KernelCalibration& calibration, const std::string& source) {
  std::string text = fmt::format(
      "# Kernel constants, written by `echo-calibrate kernels --gpu {0}`; src/kernels/constants.hpp explains "
      "the fields.\n"
      "name = \"{0}\"\n"
      "source = \"{1}\"\n"
      "licence = \"derived constants, MIT; tables: Apache-2.0 (aiconfigurator, SimuMax), MIT (vidur)\"\n"
      "date = \"2026-11-20\"\n",
      calibration.training.constants.name, source);
  text += text_of(calibration.training, "");
  for (const LibraryCalibration& library : calibration.libraries) {
    const auto name = ops::kernel_library_names.at(at(library.constants.library));
    text += text_of(library, fmt::format("library.{}.", name));
  }
  return text;
}

}  // namespace echo::calibrate
