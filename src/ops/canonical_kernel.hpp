// The canonical form of a kernel key: two keys are the same measurement if their canonical forms are equal.
#pragma once

#include "ops/kernel.hpp"

namespace echo::ops {

// The key with every member that its kind does not read set to its default, and without ineffective limits
// (a window as long as the keys).
[[nodiscard]] KernelKey canonical(KernelKey);

// Whether the kind reads `groups`.
[[nodiscard]] bool has_groups(KernelKind);

// Why the key cannot be priced; null if it can: counts are positive, and neither the arithmetic nor the
// traffic is beyond any machine.
[[nodiscard]] const char* why_unsound(const KernelKey&);

}  // namespace echo::ops
