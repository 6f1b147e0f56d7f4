// A kernel's price with what was measured of it.
#pragma once

#include <optional>
#include <span>

#include "kernels/constants.hpp"
#include "kernels/database/database.hpp"
#include "kernels/database/measurement.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// price_kernel() in a training step, times the ratio that the database knows; grade and error are those of
// what it knows, or of the model where it knows nothing.
[[nodiscard]] ops::KernelPrice price_known(const ops::KernelKey&, const machine::GpuSpec&,
                                           const KernelConstants&, const Database&);

// What the model says of a measured kernel under the conditions of the measurement; nothing where it can say
// nothing: no constants of GpuSpec::kernels, a precision that the GPU lacks.
[[nodiscard]] std::optional<SimTime> modelled_alike(const Measurement&, const machine::GpuSpec&,
                                                    std::span<const KernelConstants>);

}  // namespace echo::kernels
