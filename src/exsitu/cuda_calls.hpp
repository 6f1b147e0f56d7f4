// The few CUDA functions needed by the NCCL stand-in, looked up in the libraries loaded by the process: its
// CUDA runtime, else its driver, else none. This library links neither.
#pragma once

#include <cstddef>
#include <cstdint>

namespace echo::exsitu {

// Each null where it is not to be had. Device to device, or wherever the pointers point; 0 is success.
struct CudaCalls {
  int (*copy)(void* to, const void* from, std::size_t bytes, void* stream) = nullptr;
  int (*allocate)(void** out, std::size_t bytes) = nullptr;
  int (*release)(void*) = nullptr;
  int (*device)(int* out) = nullptr;
};

// Looked for again, ever less often, until found: CUDA may come into the process after NCCL.
[[nodiscard]] CudaCalls cuda_calls();

}  // namespace echo::exsitu
