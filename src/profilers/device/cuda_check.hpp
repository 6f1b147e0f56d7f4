// Converts return codes of CUDA's libraries to errors. Destructors do not check: they cannot report.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "base/error.hpp"

namespace echo::profilers {

// sysexits.h, EX_UNAVAILABLE: what this program needs is not here.
inline constexpr int no_gpu_exit_code = 69;

[[noreturn]] inline void fail(const std::string& what, const std::string& why) {
  throw UserError(what + " failed: " + why,
                  "nothing was written; see the requirements in src/profilers/README.md", 1);
}

inline void check(cudaError_t outcome, const char* what) {
  if (outcome == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // or the next launch that is asked would tell of it again
  fail(what, cudaGetErrorString(outcome));
}

}  // namespace echo::profilers
