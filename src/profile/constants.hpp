// Fitted constants of one GPU kind's kernels: flat named numbers, read from sweeps/catalog/kernels/<gpu>.toml.
#pragma once

#include <span>
#include <string>

namespace echo::profile {

struct KernelConstants {
  std::string name;
  friend bool operator==(const KernelConstants&, const KernelConstants&) = default;
};

// Name and place of each constant, so that readers, writers and serialisers need no list of their own.
struct KernelConstantField {
  const char* name;
  double KernelConstants::*member;
};
[[nodiscard]] std::span<const KernelConstantField> kernel_constant_fields();

}  // namespace echo::profile
