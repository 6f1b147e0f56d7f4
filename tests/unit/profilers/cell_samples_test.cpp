#include "profilers/overlap/cell_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "nsight/kernel_name.hpp"

namespace echo::profilers {
namespace {

using slowdown::CommunicationKind;

GpuRecord kernel(const char* name, std::int64_t start, std::int64_t end, std::int64_t blocks = 132,
                 std::int32_t threads = 384) {
  return {.kind = RecordKind::kernel,
          .name = name,
          .when = {start, end},
          .shape = {.blocks = blocks, .threads = threads, .registers = 168, .shared_memory = 200000}};
}

GpuRecord copy(std::int64_t start, std::int64_t end) {
  return {.kind = RecordKind::copy, .name = {}, .when = {start, end}, .shape = {}, .bytes = 1 << 20};
}

// As a run of four products beside an eight-channel proxy leaves them: the gate, the proxy from before the
// first launch to the middle of the third. Names as cuBLAS and nvcc mangle them.
std::vector<GpuRecord> recorded_run() {
  return {kernel("echo_gate", 100, 900, 1, 1),
          kernel("echo_communication_proxy", 300, 3500, 8, 512),
          kernel("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", 1000, 2000),
          kernel("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", 2000, 3000),
          kernel("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", 3000, 4000),
          kernel("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", 4000, 4800)};
}

TEST(ReadCell, TellsHowMuchOfEachLaunchHadCommunicationBeside) {
  const CellSamples samples = read_cell(recorded_run(), {.launches = 4, .beside = CommunicationKind::proxy});
  ASSERT_EQ(samples.kernel.size(), 4u);
  EXPECT_DOUBLE_EQ(samples.kernel[0].seconds, 1e-6);
  EXPECT_DOUBLE_EQ(samples.kernel[0].beside, 1.0);
  EXPECT_DOUBLE_EQ(samples.kernel[2].beside, 0.5);
  EXPECT_DOUBLE_EQ(samples.kernel[3].beside, 0.0);
  ASSERT_EQ(samples.communication.size(), 1u);
  EXPECT_DOUBLE_EQ(samples.communication[0].seconds, 3.2e-6);
  EXPECT_DOUBLE_EQ(samples.communication[0].beside, 2500.0 / 3200.0);
  EXPECT_EQ(samples.channels, 8);
  EXPECT_EQ(samples.threads, 512);
  EXPECT_EQ(samples.kernel_shape.blocks, 132);
}

TEST(ReadCell, DoesNotDependOnTheOrderOfRecords) {
  std::vector<GpuRecord> records = recorded_run();
  std::reverse(records.begin(), records.end());
  const CellSamples samples = read_cell(records, {.launches = 4, .beside = CommunicationKind::proxy});
  EXPECT_DOUBLE_EQ(samples.kernel[0].beside, 1.0);
  EXPECT_DOUBLE_EQ(samples.kernel[3].seconds, 0.8e-6);
}

TEST(ReadCell, TakesALaunchOfSeveralKernelsAsOne) {
  const std::vector<GpuRecord> records{kernel("gemm", 0, 100), kernel("splitKreduce", 110, 130),
                                       kernel("gemm", 140, 240), kernel("splitKreduce", 250, 270)};
  const CellSamples samples = read_cell(records, {.launches = 2, .kernels_per_launch = 2});
  ASSERT_EQ(samples.kernel.size(), 2u);
  EXPECT_DOUBLE_EQ(samples.kernel[0].seconds, 130e-9);
  EXPECT_EQ(samples.kernel_name, "gemm");
}

TEST(ReadCell, LooksAtOneDevice) {
  std::vector<GpuRecord> records = recorded_run();
  records.push_back(kernel("another", 0, 10));
  records.back().device = 1;
  EXPECT_EQ(read_cell(records, {.launches = 4, .beside = CommunicationKind::proxy}).kernel.size(), 4u);
}

TEST(ReadCell, ReadsCollectivesAndCopies) {
  const std::vector<GpuRecord> collective{
      kernel("_Z40ncclDevKernel_AllReduce_Sum_bf16_RING_LL24ncclDevKernelArgs", 0, 500, 16, 544),
      kernel("gemm", 100, 200)};
  const CellSamples one = read_cell(collective, {.launches = 1, .beside = CommunicationKind::collective});
  EXPECT_EQ(one.channels, 16);
  EXPECT_DOUBLE_EQ(one.kernel[0].beside, 1.0);
  const std::vector<GpuRecord> copies{copy(0, 100), copy(100, 200), kernel("gemm", 150, 250)};
  const CellSamples two = read_cell(copies, {.launches = 1, .beside = CommunicationKind::copy_engine});
  EXPECT_EQ(two.communication.size(), 2u);
  EXPECT_EQ(two.channels, 0);
  EXPECT_DOUBLE_EQ(two.kernel[0].beside, 0.5);
}

TEST(ReadCell, RefusesARunWhoseRecordsWereLost) {
  std::vector<GpuRecord> records = recorded_run();
  records.pop_back();
  EXPECT_THROW(static_cast<void>(read_cell(records, {.launches = 4, .beside = CommunicationKind::proxy})),
               UserError);
  records = {kernel("gemm", 0, 100)};
  EXPECT_THROW(static_cast<void>(read_cell(records, {.launches = 1, .beside = CommunicationKind::proxy})),
               UserError);
}

TEST(Names, AreDemangledAndShortenedAsProfilersDo) {
  EXPECT_EQ(demangled("_ZN3foo3barEv"), "foo::bar()");
  EXPECT_EQ(demangled("echo_gate"), "echo_gate");
  // A template in a namespace without a name, as our memory kernels are.
  EXPECT_EQ(nsight::short_name_of(demangled("_ZN12_GLOBAL__N_111echo_streamILi0ELi1EEEvi")), "echo_stream");
}

}  // namespace
}  // namespace echo::profilers
