// cuDNN proposes kernels for a GPU that is not here: it is told the GPU's properties. It wants a driver's
// library to be there, too, for which the toolkit's stub will do: it has the names, and every function of it
// fails. Not under the sanitizers: cuDNN loads and unloads libraries whose start-up memory then counts as
// leaked.
#include "tests/support/sanitized.hpp"

#if defined(ECHO_HAS_CUDNN) && !defined(ECHO_SANITIZED)
#include "profilers/kernels/attention_graph.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace echo::profilers {
namespace {

// In cuDNN's own words; figures of an H100 SXM as cudaDeviceProp gives them.
constexpr const char* h100 = R"({"deviceName": "NVIDIA H100 80GB HBM3", "deviceVer": 900, "driverVer": 13000,
  "multiProcessorCount": 132, "warpSize": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048, "maxCtasPerSM": 32,
  "regsPerBlock": 65536, "maxRegistersPerSM": 65536, "maxSharedMemoryPerBlock": 49152,
  "maxSharedMemoryPerBlockOptin": 232448, "reservedSharedMemoryPerBlock": 1024, "l2CacheSize": 52428800,
  "totalGlobalMem": 84929347584, "smClockRateKHz": 1980000, "memClockRateKHz": 2619000,
  "maxGridSize": [2147483647, 65535, 65535], "maxBlockSize": [1024, 1024, 64], "supportCoopLaunch": 1,
  "isTccDriver": 0, "pciDeviceId": 0, "cudaDeviceId": 0})";

ops::KernelKey attention(ops::KernelKind kind, bool causal, std::int32_t groups) {
  return {.kind = kind, .causal = causal, .m = 4096, .n = 4096, .k = 128, .batch = 32, .groups = groups};
}

bool has_driver_library() {
  return dlopen("libcuda.so.1", RTLD_NOW) != nullptr || dlopen(ECHO_CUDA_STUB, RTLD_NOW) != nullptr;
}

TEST(AttentionGraph, IsOneThatCudnnHasAKernelFor) {
  if (!has_driver_library()) GTEST_SKIP() << "neither a driver nor the toolkit's stub of one";
  for (const ops::KernelKind kind : {ops::KernelKind::attention_forward, ops::KernelKind::attention_backward})
    for (const bool causal : {false, true})
      for (const std::int32_t groups : {32, 8}) {
        AttentionGraph attention_of = attention_graph(attention(kind, causal, groups));
        EXPECT_FALSE(attention_of.graph.propose(device_properties(h100).get()).empty())
            << ops::name_of(kind) << (causal ? " causal, " : ", ") << groups << " heads of keys";
      }
}

TEST(AttentionGraph, ReadsAndWritesTheOpsTensors) {
  const auto bytes = [](const AttentionGraph& graph, bool is_written) {
    std::int64_t sum = 0;
    for (const AttentionTensor& tensor : graph.tensors)
      if (tensor.is_written == is_written) sum += tensor.bytes;
    return sum;
  };
  const std::int64_t queries = 4096ll * 32 * 128 * 2, keys = 4096ll * 8 * 128 * 2, rows = 4096ll * 32 * 4;
  const AttentionGraph forward = attention_graph(attention(ops::KernelKind::attention_forward, true, 8));
  EXPECT_EQ(bytes(forward, false), queries + 2 * keys);
  EXPECT_EQ(bytes(forward, true), queries + rows);
  EXPECT_EQ(bytes(forward, false) + bytes(forward, true),
            ops::traffic_of(attention(ops::KernelKind::attention_forward, true, 8)).value);
  const AttentionGraph backward = attention_graph(attention(ops::KernelKind::attention_backward, true, 8));
  EXPECT_EQ(bytes(backward, false), 3 * queries + 2 * keys + rows);
  EXPECT_EQ(bytes(backward, true), queries + 2 * keys + 2 * queries + rows);
}

TEST(AttentionGraph, HasNoKernelForHeadsThatNoneIsWrittenFor) {
  if (!has_driver_library()) GTEST_SKIP() << "neither a driver nor the toolkit's stub of one";
  ops::KernelKey key = attention(ops::KernelKind::attention_backward, true, 32);
  key.k = 1024;
  AttentionGraph wide = attention_graph(key);
  EXPECT_TRUE(wide.graph.propose(device_properties(h100).get()).empty());
}

TEST(CudnnGraph, RefusesADeviceThatIsNotDescribed) {
  EXPECT_THROW(static_cast<void>(device_properties(std::string("{}"))), UserError);
}

}  // namespace
}  // namespace echo::profilers
#endif
