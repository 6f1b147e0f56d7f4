// Memory, streams and events that free themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "profilers/device/cuda_check.hpp"

namespace echo::profilers {

struct FreeDevice {
  void operator()(void* pointer) const { cudaFree(pointer); }
};
struct FreeHost {
  void operator()(void* pointer) const { cudaFreeHost(pointer); }
};
struct DestroyStream {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};

using DeviceMemory = std::unique_ptr<std::byte, FreeDevice>;
using HostMemory = std::unique_ptr<std::byte, FreeHost>;
using Stream = std::unique_ptr<CUstream_st, DestroyStream>;
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;

[[nodiscard]] inline DeviceMemory device_memory(std::int64_t bytes) {
  void* pointer = nullptr;
  check(cudaMalloc(&pointer, static_cast<std::size_t>(bytes)), "cudaMalloc");
  return DeviceMemory(static_cast<std::byte*>(pointer));
}

// Pinned, and mapped so that kernels reach it by the same pointer (unified addressing).
[[nodiscard]] inline HostMemory host_memory(std::int64_t bytes) {
  void* pointer = nullptr;
  check(cudaHostAlloc(&pointer, static_cast<std::size_t>(bytes), cudaHostAllocMapped | cudaHostAllocPortable),
        "cudaHostAlloc");
  return HostMemory(static_cast<std::byte*>(pointer));
}

[[nodiscard]] inline Stream new_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return Stream(stream);
}

[[nodiscard]] inline Event new_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "cudaEventCreate");
  return Event(event);
}

// Seconds that what `work` queues takes on the stream; waits for it.
template <class Work>
[[nodiscard]] double seconds_on(cudaStream_t stream, const Work& work) {
  const Event before = new_event(), after = new_event();
  check(cudaEventRecord(before.get(), stream), "cudaEventRecord");
  work();
  check(cudaEventRecord(after.get(), stream), "cudaEventRecord");
  check(cudaEventSynchronize(after.get()), "cudaEventSynchronize");
  float milliseconds = 0.0f;
  check(cudaEventElapsedTime(&milliseconds, before.get(), after.get()), "cudaEventElapsedTime");
  return milliseconds > 1e-3f ? static_cast<double>(milliseconds) * 1e-3 : 1e-6;
}

}  // namespace echo::profilers
