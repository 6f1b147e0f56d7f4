// GPUs as profilers name them, and what their data sheets say that profiles do not.
#pragma once

#include <string_view>

namespace echo::slowdown {

// Sources: data sheets; the CUDA programming guide for shared memory and threads.
struct ProfiledGpu {
  std::string_view name;    // the first letters of a profile's name, without its maker
  double bandwidth;         // of memory, bytes per second
  double shared_memory;     // bytes per SM
  double threads = 2048.0;  // per SM: 1536 of compute capability 8.6 and 8.9, 1024 of 7.5
};

// Null for a name that is not known.
[[nodiscard]] const ProfiledGpu* profiled_gpu(std::string_view name);

// "NVIDIA A100-SXM4-80GB" is "A100-SXM4-80GB".
[[nodiscard]] std::string_view without_maker(std::string_view name);

}  // namespace echo::slowdown
