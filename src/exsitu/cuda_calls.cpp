#include "exsitu/cuda_calls.hpp"

#include <dlfcn.h>

#include <atomic>

namespace echo::exsitu {

// Value of cudaMemcpyKind with which the addresses determine the direction.
static constexpr int by_address = 4;

static int (*runtime_copy)(void*, const void*, std::size_t, int, void*) = nullptr;
static int (*driver_copy)(std::uintptr_t, std::uintptr_t, std::size_t, void*) = nullptr;

static int copy_by_runtime(void* to, const void* from, std::size_t bytes, void* stream) {
  return runtime_copy(to, from, bytes, by_address, stream);
}
static int copy_by_driver(void* to, const void* from, std::size_t bytes, void* stream) {
  return driver_copy(reinterpret_cast<std::uintptr_t>(to), reinterpret_cast<std::uintptr_t>(from), bytes,
                     stream);
}

template <class Function>
static bool look_up(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

static bool by_runtime(void* library, CudaCalls& out) {
  if (!look_up(library, "cudaMemcpyAsync", runtime_copy)) return false;
  out.copy = copy_by_runtime;
  look_up(library, "cudaMalloc", out.allocate);
  look_up(library, "cudaFree", out.release);
  look_up(library, "cudaGetDevice", out.device);
  return true;
}

// A program with a statically linked runtime still has the driver as a library.
static bool by_driver(void* library, CudaCalls& out) {
  if (!look_up(library, "cuMemcpyAsync", driver_copy)) return false;
  out.copy = copy_by_driver;
  look_up(library, "cuMemAlloc_v2", out.allocate);
  look_up(library, "cuMemFree_v2", out.release);  // a CUdeviceptr travels as a pointer does
  look_up(library, "cuCtxGetDevice", out.device);
  return true;
}

static bool find_calls(CudaCalls& out) {
  if (by_runtime(RTLD_DEFAULT, out)) return true;
  // Loaded for one other library only (RTLD_LOCAL), as Python's extension modules are.
  for (const char* name : {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"})
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD))
      if (by_runtime(library, out)) return true;
  if (void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)) return by_driver(library, out);
  return false;
}

CudaCalls cuda_calls() {
  static std::atomic<const CudaCalls*> found{nullptr};
  if (const CudaCalls* calls = found.load(std::memory_order_acquire)) return *calls;
  static std::atomic<std::uint32_t> asked{0};
  const std::uint32_t times = asked.fetch_add(1, std::memory_order_relaxed);
  CudaCalls calls;
  if ((times & (times - 1)) != 0) return calls;  // ever less often: a look costs a microsecond
  if (find_calls(calls)) found.store(new CudaCalls(calls), std::memory_order_release);
  return calls;
}

}  // namespace echo::exsitu
