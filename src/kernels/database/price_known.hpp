// A kernel's price corrected by the database of measurements.
#pragma once

#include <optional>
#include <span>

#include "kernels/constants.hpp"
#include "kernels/database/database.hpp"
#include "kernels/database/measurement.hpp"
#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// price_kernel() in a training step, times the ratio from the database; grade and error are those of the
// database's evidence, or of the model without evidence.
[[nodiscard]] ops::KernelPrice price_known(const ops::KernelKey&, const machine::GpuSpec&,
                                           const KernelConstants&, const Database&);

// Modelled time of a measured kernel under the conditions of the measurement; nothing if the model cannot
// price it: no constants for GpuSpec::kernels, or a precision that the GPU lacks.
[[nodiscard]] std::optional<SimTime> modelled_alike(const Measurement&, const machine::GpuSpec&,
                                                    std::span<const KernelConstants>);

}  // namespace echo::kernels
