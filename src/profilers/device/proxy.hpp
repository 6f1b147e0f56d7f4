// Launches the communication proxy and the gate.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "profilers/overlap/communication_plan.hpp"

namespace echo::profilers {

struct ProxyLaunch {
  std::int32_t channels = 0;
  std::int64_t payload = 0;  // bytes over all channels; rounded up to whole tiles
  double link_rate = 0.0;    // bytes per second; 0 = as fast as it can
  ProxyTraffic traffic;
  const void *own = nullptr, *arrived = nullptr;  // read; proxy_array_bytes each
  void* sent = nullptr;                           // written; as large
  volatile std::int32_t* started = nullptr;       // [channels] mapped host memory; set to 1 by each block
};

cudaError_t launch_proxy(const ProxyLaunch&, cudaStream_t);

// Holds the stream until *open is not 0, or for `patience_ns` at most, so that a program that fails in
// between ends. Mapped host memory.
cudaError_t launch_gate(const volatile std::int32_t* open, std::int64_t patience_ns, cudaStream_t);

}  // namespace echo::profilers
