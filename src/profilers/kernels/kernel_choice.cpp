#include "profilers/kernels/kernel_choice.hpp"

#include <algorithm>
#include <set>

#include "ops/canonical_kernel.hpp"

namespace echo::profilers {

namespace {

std::set<ops::KernelKey> measured_keys(const KernelFilter& filter) {
  std::set<ops::KernelKey> keys;
  if (filter.measured == nullptr || filter.gpu.empty()) return keys;
  const auto& gpus = filter.measured->gpus;
  for (const kernels::Measurement& row : filter.measured->rows)
    if (gpus[static_cast<std::size_t>(row.gpu)] == filter.gpu && row.scope == kernels::RowScope::kernel)
      keys.insert(ops::canonical(row.key));
  return keys;
}

}  // namespace

// CUDA C++ Programming Guide, "compute capabilities": bf16 and tf32 tensor cores since 8.0, fp8 since 8.9.
const char* why_not_here(const ops::KernelKey& key, std::int32_t compute_capability) {
  if (compute_capability == 0) return nullptr;
  if (machine::is_narrow(key.precision) && compute_capability < 89) return "this GPU has no fp8";
  const bool is_80 = key.precision == machine::Precision::bf16 || key.precision == machine::Precision::tf32;
  if (is_80 && compute_capability < 80) return "this GPU has no bf16 and no tf32";
  return nullptr;
}

ChosenKernels chosen(ChosenKernels wanted, const KernelFilter& filter) {
  const std::set<ops::KernelKey> done = measured_keys(filter);
  ChosenKernels out{.kernels = {}, .left_out = std::move(wanted.left_out)};
  for (const ops::KernelKey& key : wanted.kernels) {
    const bool is_kind = filter.kinds.empty() || std::find(filter.kinds.begin(), filter.kinds.end(),
                                                           ops::name_of(key.kind)) != filter.kinds.end();
    if (!is_kind)
      ++out.left_out["of kinds not in --kinds"];
    else if (const char* why = why_not_here(key, filter.compute_capability))
      ++out.left_out[why];
    else if (done.contains(key))
      ++out.left_out["already in the profile"];
    else
      out.kernels.push_back(key);
  }
  return out;
}

}  // namespace echo::profilers
