// The communication that runs beside the kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/collective.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::profilers {

using slowdown::CommunicationKind;

// Arrays that the proxy reads and writes for each payload byte: {2, 1} is a ring's reduce-scatter step (own
// data and what arrived, summed and sent on), {1, 1} an all-gather step, {0, 0} holds its SMs and moves
// nothing.
struct ProxyTraffic {
  std::int32_t reads = 0, writes = 0;
  friend bool operator==(const ProxyTraffic&, const ProxyTraffic&) = default;
};

enum class CopyDirection : std::int8_t { to_host, to_device };

struct CommunicationCase {
  CommunicationKind made_by = CommunicationKind::proxy;
  ops::CollectiveKind collective = ops::CollectiveKind::reduce_scatter;
  std::int32_t channels = 0;  // CTAs; 0 = none (copy engine)
  ProxyTraffic traffic;       // proxy
  double link_rate = 0.0;     // bytes per second over all channels (proxy); 0 = not held to one
  CopyDirection direction{};  // copy engine
  friend bool operator==(const CommunicationCase&, const CommunicationCase&) = default;
};

// "proxy reduce_scatter 8 channels 100 GB/s", "NCCL all_reduce 16 channels", "copy to host".
[[nodiscard]] std::string describe(const CommunicationCase&);

// The rate that a channel can carry: a proxy of fewer channels than the rate needs would only run as fast as
// it can.
inline constexpr double most_channel_rate = 25e9, least_channel_rate = 3e9;  // bytes per second

struct CommunicationChoices {
  std::vector<std::int32_t> channels{1, 2, 4, 8, 16, 24, 32};
  std::vector<double> link_rates{12.5e9, 25e9, 50e9, 100e9, 200e9, 400e9};  // 100 Gb/s NIC to NVLink
  bool proxy = true, copies = true, nccl = false;
};

// Every case worth a cell: for each channel count the idle proxy, the proxy as fast as it can, and each rate
// that its channels can carry, the reduce-scatter's traffic at all and the all-gather's at every other;
// NCCL's all-reduce, all-gather and reduce-scatter; copies each way.
[[nodiscard]] std::vector<CommunicationCase> communication_cases(const CommunicationChoices&);

}  // namespace echo::profilers
