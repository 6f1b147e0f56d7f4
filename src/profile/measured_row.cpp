// What inference libraries do around a kernel, inside of what their benchmarks time. Constants fitted to a
// library hold it (at Clocks::benchmark). A library without constants of its own is priced with those for
// training, which know the bare kernel only; to that comes what any library must do:
//   8-bit products     quantise the activation first: its largest magnitude, then the cast. Two kernels.
//   attention forward  copy the new keys and values into the cache: 2 bytes an element, read and written.
// Neglected: how long its server takes to start either.
#include "profile/measured_row.hpp"

#include "profile/price_kernels.hpp"

namespace echo::profile {

namespace {

using ops::KernelKey;
using ops::KernelKind;

SimTime serving_time(const KernelKey& key, const machine::GpuSpec& gpu, const KernelConstants& constants) {
  if (key.kind == KernelKind::gemm && machine::is_narrow(key.precision)) {
    const KernelKey cast{
        .kind = KernelKind::quantize, .precision = key.precision, .m = key.m, .n = key.k, .batch = key.batch};
    KernelKey largest = cast;
    largest.kind = KernelKind::amax;
    return price_kernel(largest, gpu, constants).alone + price_kernel(cast, gpu, constants).alone;
  }
  if (key.kind == KernelKind::attention_forward) {
    const double elements = static_cast<double>(key.n) * (key.k + ops::value_dim_of(key)) * key.groups;
    return from_seconds(2.0 * 2.0 * elements / (gpu.memory_bandwidth.value * constants.memory_copy));
  }
  return SimTime::zero();
}

}  // namespace

ops::KernelPrice price_row(const KernelKey& key, RowScope scope, const machine::GpuSpec& gpu,
                           const KernelConstants& constants) {
  ops::KernelPrice price = price_kernel(key, gpu, constants, Clocks::benchmark);
  const bool is_lent = constants_of(constants, key.library).library == ops::KernelLibrary::training;
  if (scope == RowScope::serving && is_lent) price.alone += serving_time(key, gpu, constants);
  return price;
}

}  // namespace echo::profile
