#include "kernels/database/price_known.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "kernels/database/measured_row.hpp"
#include "kernels/price_kernels.hpp"

namespace echo::kernels {

ops::KernelPrice price_known(const ops::KernelKey& key, const machine::GpuSpec& gpu,
                             const KernelConstants& constants, const Database& database) {
  ops::KernelPrice price = price_kernel(key, gpu, constants);
  const Evidence known = database.find(gpu.name, key);
  if (known.grade == ops::Grade::modelled) return price;
  price.alone = scaled(price.alone, known.ratio);
  // The bytes are the same: a slower kernel uses less of the bandwidth. Its bottleneck is left to the model.
  price.memory_share = std::min(1.0, price.memory_share / known.ratio);
  price.grade = known.grade;
  price.error = known.error;
  return price;
}

std::optional<SimTime> modelled_alike(const Measurement& row, const machine::GpuSpec& gpu,
                                      std::span<const KernelConstants> constants) {
  const std::int32_t own = find_named(constants, gpu.kernels);
  if (own < 0 || !is_priceable(row.key, gpu)) return std::nullopt;
  const KernelConstants& known = constants[at(own)];
  SimTime modelled = price_row(row.key, row.scope, gpu, known).alone;
  if (row.sustained)
    modelled += price_kernel(row.key, gpu, known, Clocks::sustained).alone -
                price_kernel(row.key, gpu, known, Clocks::benchmark).alone;
  if (modelled <= SimTime::zero()) return std::nullopt;
  return modelled;
}

}  // namespace echo::kernels
