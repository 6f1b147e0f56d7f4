// Shared resources of measured kernels: memory to read, memory to write, cuBLASLt's handle and workspace.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "ops/kernel.hpp"
#include "profilers/device/gpu.hpp"
#include "profilers/device/memory.hpp"
#include "profilers/overlap/rotation.hpp"

namespace echo::profilers {

struct DestroyCublas {
  void operator()(cublasLtContext* handle) const { cublasLtDestroy(handle); }
};

inline constexpr std::int64_t cublas_workspace_bytes = std::int64_t{64} << 20;

// Kernels run one after another, so all of them use the same two arenas: one of random numbers that nothing
// writes, one that everything writes. Both grow to the largest kernel before anything is measured.
class Workbench {
 public:
  // Makes the GPU the current device.
  explicit Workbench(const Gpu&);

  [[nodiscard]] const Gpu& gpu() const { return gpu_; }
  [[nodiscard]] cublasLtHandle_t cublas() const { return cublas_.get(); }
  [[nodiscard]] void* workspace() const { return workspace_.get(); }
  // Both arenas at least so large. Pointers into them that were handed out before are void.
  void reserve(std::int64_t read_bytes, std::int64_t written_bytes);
  [[nodiscard]] const std::byte* read() const { return read_.get(); }
  [[nodiscard]] std::byte* written() const { return written_.get(); }

 private:
  Gpu gpu_;  // current from its construction on
  std::unique_ptr<cublasLtContext, DestroyCublas> cublas_;
  DeviceMemory workspace_, read_, written_;
  std::int64_t read_bytes_ = 0, written_bytes_ = 0;
};

// Arrays of a kernel, read and written, each launch on its turn's.
struct KernelArrays {
  Rotation read, written;
};
// Reserves room on the bench.
[[nodiscard]] KernelArrays lay_out(Workbench&, const std::vector<std::int64_t>& read_bytes,
                                   const std::vector<std::int64_t>& written_bytes);

// A kernel ready to run. The bench outlives it.
class RunnableKernel {
 public:
  virtual ~RunnableKernel() = default;
  // `number` counts launches, for the turns. UserError where CUDA or a library refuses.
  virtual void launch(cudaStream_t, std::int64_t number) const = 0;
};

// UserError, 1, with the library's reason where it cannot run the kernel here (fp8 on an A100). Precondition:
// why_not_run(key) is null.
[[nodiscard]] std::unique_ptr<RunnableKernel> prepare_kernel(const ops::KernelKey&, Workbench&);
[[nodiscard]] std::unique_ptr<RunnableKernel> prepare_gemm(const ops::KernelKey&, Workbench&);
[[nodiscard]] std::unique_ptr<RunnableKernel> prepare_attention(const ops::KernelKey&, Workbench&);

}  // namespace echo::profilers
