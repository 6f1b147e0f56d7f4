// Maps the driver's names of GPUs to the catalog's.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace echo::profilers {

// cudaDeviceProp.name as nvidia-smi prints it, and the preset it is.
struct DriverName {
  std::string_view device, preset;
};
// Those that sweeps/catalog/aliases.toml has; generated from it.
[[nodiscard]] std::span<const DriverName> driver_names();

// "NVIDIA H100 80GB HBM3" -> "h100-sxm". One the catalog does not have: the driver's name in small letters
// with dashes, "nvidia-l40s".
[[nodiscard]] std::string gpu_preset(std::string_view device_name);

}  // namespace echo::profilers
