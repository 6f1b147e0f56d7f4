#include "calibrate/kernels/kernel_recipe.hpp"

#include <cmath>

#include "calibrate/kernels/kernel_assumed.hpp"
#include "kernels/price_kernels.hpp"

namespace echo::calibrate {

using C = kernels::KernelConstants;

bool weighs_fully(const KernelMeasurement& row) { return row.weight >= 1.0; }

Recipe::Recipe(std::string tables, const config::CatalogInputs& catalog, const machine::GpuSpec& kind)
    : folder(std::move(tables)), presets(catalog), gpu(kind), sources(kernel_sources(kind.kernels)) {
  // `now` points into `out`, which never moves: libraries are reserved once.
  out.libraries.reserve(ops::kernel_library_names.size());
  out.training.constants.name = gpu.kernels;
  out.training.origins.resize(kernels::kernel_constant_fields().size());
  for (const AssumedConstant& c : assumed_constants()) {
    const double value = sources.gpu == "a100-sxm"   ? c.a100
                         : sources.gpu == "h100-sxm" ? c.h100
                         : sources.gpu == "h200-sxm" ? c.h200
                                                     : c.blackwell;
    set(c.member, value, std::abs(value) * c.relative_error, c.source);
  }
  if (gpu.compute_capability >= 103)  // Blackwell Ultra
    for (const auto member : {&C::attention_softmax, &C::attention_backward_softmax})
      set(member, constants().*member / 2, 0.1 * constants().*member,
          "assumed: half the B200's, as its special function units issue twice the exponentials (NVIDIA, "
          "Inside NVIDIA Blackwell Ultra)");
  // The tables are micro-benchmarks; the power of a training step is fitted last.
  constants().gemm_sustained = constants().gemm_sustained_8 = 0.0;
}

double Recipe::price(const KernelMeasurement& row, const C& c) const {
  return to_seconds(kernels::price_kernel(row.key, gpu, c).alone);
}

void Recipe::turn_to(ops::KernelLibrary library) {
  for (LibraryCalibration& one : out.libraries)
    if (one.constants.library == library) {
      now = &one;
      return;
    }
  out.libraries.push_back({.constants = out.training.constants, .origins = {}, .families = {}});
  now = &out.libraries.back();
  now->constants.library = library;
  now->origins.resize(kernels::kernel_constant_fields().size());
  for (const kernels::KnotsField& field : kernels::knots_fields()) now->constants.*field.member = {};
}

void Recipe::set(double C::*member, double value, double error, std::string source) {
  now->constants.*member = value;
  const auto fields = kernels::kernel_constant_fields();
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].member == member) now->origins[i] = {error, std::move(source)};
}

C Recipe::fit(const std::string& family, const FitProblem& problem, std::size_t kept,
              const std::string& source, const Scored& scored) {
  const CrossValidation held_out = cross_validate(problem, now->constants, scored);
  const C fitted = fit_constants(problem, now->constants);
  for (std::size_t i = 0; i < kept; ++i) {
    const auto member = problem.free[i].member;
    set(member, fitted.*member, held_out.spread[i], "fitted: " + source);
  }
  if (problem.knots.member != nullptr) now->constants.*problem.knots.member = fitted.*problem.knots.member;
  if (problem.error != nullptr)
    set(problem.error, held_out.errors.mean, held_out.errors.mean / 2, "fitted: held-out rows of " + source);
  now->families.push_back({family, held_out.errors});
  return fitted;
}

}  // namespace echo::calibrate
