// One spelling for one kernel: what two keys must share to be the same measurement.
#pragma once

#include "ops/kernel.hpp"

namespace echo::ops {

// The key with every member that its kind does not read at its default, and with limits that limit nothing
// (a window as long as the keys) left out.
[[nodiscard]] KernelKey canonical(KernelKey);

// Whether the kind reads `groups`.
[[nodiscard]] bool has_groups(KernelKind);

// Why no price could be worked out of the key; null where one can: counts are positive, and neither the
// arithmetic nor the traffic is beyond any machine.
[[nodiscard]] const char* why_unsound(const KernelKey&);

}  // namespace echo::ops
