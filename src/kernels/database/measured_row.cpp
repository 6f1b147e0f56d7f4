// The work of inference libraries around a kernel that their benchmarks include in its time. Constants
// fitted to a library contain it (at Clocks::benchmark). A library without constants of its own is priced
// with those for training, which describe the bare kernel only; to that is added the work that any library
// must do:
//   8-bit products     quantise the activation first: its largest magnitude, then the cast. Two kernels.
//   attention forward  copy the new keys and values into the cache: 2 bytes per element, read and written.
// Neglected: the time that a library's server takes to start either.
#include "kernels/database/measured_row.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "kernels/price_kernels.hpp"

namespace echo::kernels {

namespace {

using ops::KernelKey;
using ops::KernelKind;

// Mechanisms, by the prefix of the names of their constants.
constexpr std::array<std::string_view, 4> mechanisms{"gemm_", "attention_", "expert_", "memory_"};

std::size_t mechanism_of(KernelKind kind) {
  if (kind == KernelKind::gemm) return 0;
  if (kind == KernelKind::attention_forward || kind == KernelKind::attention_backward) return 1;
  return kind == KernelKind::expert_ffn ? 2 : 3;
}

using Members = std::vector<double KernelConstants::*>;

std::array<Members, mechanisms.size()> constants_by_mechanism() {
  std::array<Members, mechanisms.size()> out;
  for (const KernelConstantField& field : kernel_constant_fields())
    for (std::size_t i = 0; i < mechanisms.size(); ++i)
      if (std::string_view(field.name).substr(0, mechanisms[i].size()) == mechanisms[i])
        out[i].push_back(field.member);
  return out;
}

SimTime serving_time(const KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& constants) {
  if (key.kind == KernelKind::gemm && machine::is_narrow(key.precision)) {
    const KernelKey cast{
        .kind = KernelKind::quantize, .precision = key.precision, .m = key.m, .n = key.k, .batch = key.batch};
    KernelKey largest = cast;
    largest.kind = KernelKind::amax;
    return price_kernel(largest, gpu, constants).alone + price_kernel(cast, gpu, constants).alone;
  }
  if (key.kind == KernelKind::attention_forward) {
    const double elements = static_cast<double>(key.n) * (1.0 * key.k + ops::value_dim_of(key)) * key.groups;
    return from_seconds(2.0 * 2.0 * elements / (gpu.memory_bandwidth.value * constants.memory_copy));
  }
  return SimTime::zero();
}

}  // namespace

bool has_own_constants(const KernelKey& key, const KernelConstants& constants) {
  static const auto members = constants_by_mechanism();
  const KernelConstants& library = constants_of(constants, key.library);
  const Members& of_mechanism = members[mechanism_of(key.kind)];
  return &library != &constants && std::any_of(of_mechanism.begin(), of_mechanism.end(), [&](auto member) {
    return library.*member != constants.*member;
  });
}

ops::KernelPrice price_row(const KernelKey& key, RowScope scope, const machine::GpuSpec& gpu,
                           const KernelConstants& constants) {
  ops::KernelPrice price = price_kernel(key, gpu, constants, Clocks::benchmark);
  if (scope == RowScope::serving && !has_own_constants(key, constants))
    price.alone += serving_time(key, gpu, constants);
  return price;
}

}  // namespace echo::kernels
