// Interface from the injection library to the NCCL library if both are in the process.
#pragma once

#include <cstdint>

namespace echo::exsitu {

struct GpuSide {
  std::uint32_t (*stream_id)(void* stream) = nullptr;  // CUPTI's number of a stream
  void (*push)(std::uint64_t serial) = nullptr;        // GPU work from here on belongs to this record
  void (*pop)() = nullptr;
};

// Called by the injection library, which finds it as echo_nccl_set_gpu_side by dlsym.
void set_gpu_side(const GpuSide*);
[[nodiscard]] GpuSide gpu_side();

}  // namespace echo::exsitu
