// Parses short descriptions of networks: "8x400Gb/s IB", "EFA 32x100Gb/s", "8 x HDR".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace echo::config {

enum class Transport : std::int8_t { unknown, infiniband, roce, ethernet, efa, tcpx, tcpxo, slingshot };
inline constexpr std::array<std::string_view, 8> transport_names{
    "unknown", "infiniband", "roce", "ethernet", "efa", "tcpx", "tcpxo", "slingshot"};

struct FabricWords {
  Transport transport = Transport::unknown;
  std::int32_t nics = 0;       // per node; 0 = not given
  double nic_gigabits = 0.0;   // per second, one direction; 0 = not said
  double node_gigabits = 0.0;  // of all NICs together, where that is said instead
};
[[nodiscard]] FabricWords read_fabric(std::string_view text);

// "2.27.3" or "NCCL version 2.21.5+cuda12.4" as NCCL prints it in one number, 22703; 0 if absent.
[[nodiscard]] std::int32_t read_nccl_version(std::string_view text);

}  // namespace echo::config
