#include "nsight/kernel_name.hpp"

#include <gtest/gtest.h>

namespace echo::nsight {
namespace {

TEST(KernelName, ShortIsTheFunctionsOwn) {
  EXPECT_EQ(short_name_of("ampere_sgemm_128x32_tn"), "ampere_sgemm_128x32_tn");
  EXPECT_EQ(short_name_of("void at::native::<unnamed>::norm_kernel<float, float>(const T1 *, int)"),
            "norm_kernel");
  EXPECT_EQ(short_name_of("void (anonymous namespace)::softmax<a::b<(int)4>, float>(T1 *)"), "softmax");
  EXPECT_EQ(short_name_of("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm<256, 128>>(T1::Params)"),
            "Kernel2");
  EXPECT_EQ(short_name_of("void f<g(int, (unsigned)1)>::h<3>(int)"), "h");
  EXPECT_EQ(short_name_of("unsigned int * ns::kernel(int)"), "kernel");
  EXPECT_EQ(short_name_of("_Z3addPfS_"), "_Z3addPfS_");
}

TEST(KernelName, OneWithoutAFunctionIsKeptAsItIs) {
  for (const char* odd : {"", "<>", "(((", ">>><", "::", "<unnamed>"}) EXPECT_EQ(short_name_of(odd), odd);
}

TEST(KernelName, TellsWhatCommunicates) {
  EXPECT_TRUE(is_communication(
      "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)"));
  EXPECT_TRUE(is_communication("ncclKernel_AllGather_RING_LL_Sum_int8_t"));
  EXPECT_TRUE(is_communication("void vllm::cross_device_reduce_1stage<float, 2>()"));
  EXPECT_TRUE(is_communication("void tensorrt_llm::kernels::twoShotAllReduceKernel<__half, 8>()"));
  EXPECT_TRUE(is_communication("void deep_ep::intranode::dispatch<4>()"));
  EXPECT_TRUE(
      is_communication("void dpsk::ep::internode::combine<false, 8, __nv_bfloat16, 8, 2, 16, 24>(x)"));
  EXPECT_FALSE(is_communication("void at::native::reduce_kernel<512, 1>()"));
  EXPECT_FALSE(is_communication("nvjet_hsh_128x256_64x4"));
}

TEST(KernelName, TellsTheCollective) {
  using Kind = ops::CollectiveKind;
  EXPECT_EQ(collective_of("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), Kind::all_reduce);
  EXPECT_EQ(collective_of("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL"), Kind::reduce_scatter);
  EXPECT_EQ(collective_of("ncclDevKernel_AllGather_RING_LL"), Kind::all_gather);
  EXPECT_EQ(collective_of("ncclDevKernel_Broadcast_RING_LL"), Kind::broadcast);
  EXPECT_EQ(collective_of("ncclDevKernel_SendRecv"), Kind::send_recv);
  EXPECT_EQ(collective_of("ncclDevKernel_Reduce_Sum_f32_RING_LL"), Kind::reduce);
  EXPECT_EQ(collective_of("ncclDevKernel_Generic_4"), std::nullopt);
}

}  // namespace
}  // namespace echo::nsight
