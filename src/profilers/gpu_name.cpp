#include "profilers/gpu_name.hpp"

#include <array>
#include <cctype>

namespace echo::profilers {

namespace {

struct Known {
  std::string_view device, preset;
};

// cudaDeviceProp.name as nvidia-smi prints it.
constexpr std::array<Known, 12> known{{{"NVIDIA H100 80GB HBM3", "h100-sxm"},
                                       {"NVIDIA H100 96GB HBM2e", "h100-sxm-96gb-hbm2e"},
                                       {"NVIDIA H200", "h200-sxm"},
                                       {"NVIDIA H800", "h800-sxm"},
                                       {"NVIDIA A100-SXM4-40GB", "a100-sxm-40gb"},
                                       {"NVIDIA A100-SXM4-80GB", "a100-sxm-80gb"},
                                       {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
                                       {"NVIDIA A800-SXM4-80GB", "a800-sxm"},
                                       {"NVIDIA B200", "b200-sxm"},
                                       {"NVIDIA B300", "b300-sxm"},
                                       {"NVIDIA GB200", "gb200"},
                                       {"NVIDIA GB300", "gb300"}}};

}  // namespace

std::string gpu_preset(std::string_view device_name) {
  for (const Known& row : known)
    if (row.device == device_name) return std::string(row.preset);
  std::string name;
  for (const char c : device_name) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_word)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "unknown" : name;
}

}  // namespace echo::profilers
