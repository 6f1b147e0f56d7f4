#include "nsight/kernel_class.hpp"

#include <gtest/gtest.h>

namespace echo::nsight {
namespace {

TEST(KernelClass, IsTheKindOfWorkInTheName) {
  using Class = KernelClass;
  const std::pair<const char*, Class> known[]{
      {"volta_sgemm_128x64_tn", Class::gemm},
      {"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", Class::gemm},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_16x6_nt_align4>(P)", Class::gemm},
      {"void cutlass::device_kernel<dpsk::grouped_gemm::cuda::fp8_ptp128c::GemmKernel>()",
       Class::grouped_gemm},
      {"void splitKreduce_kernel<float, float, float, float, true, false, false>(x)", Class::reduction},
      {"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128>>(P)", Class::attention},
      {"void cudnn::cnn::wgrad2d_grouped_direct_kernel<float>(x)", Class::conv},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>>(x)",
       Class::elementwise},
      {"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(T)>(x)",
       Class::copy},
      {"void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 2>(x)", Class::copy},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(x)", Class::reduction},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(x)", Class::norm},
      {"void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float>(x)", Class::norm},
      {"void transformer_engine::normalization::rmsnorm_fwd_general_kernel<T>(x)", Class::norm},
      {"void split_embedding_backward_codegen_rowwise_adagrad_kernel_cta_per_row_1<float>(x)",
       Class::embedding},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<T>(x)", Class::optimizer},
      {"void cub::DeviceRadixSortOnesweepKernel<P>(x)", Class::index_sort},
      {"compute_cuda_kernel", Class::other}};
  for (const auto& [name, kind] : known)
    EXPECT_EQ(kernel_class_names[static_cast<std::size_t>(class_of(name))],
              kernel_class_names[static_cast<std::size_t>(kind)])
        << name;
}

TEST(KernelClass, WordsOfLibrariesAndDistributionsDoNotCount) {
  EXPECT_NE(class_of("void fbgemm_gpu::to_dense_kernel<float>(x)"), KernelClass::gemm);
  EXPECT_EQ(class_of("distribution_elementwise_grid_stride_kernelIfLi4E_DistributionNormal"),
            KernelClass::elementwise);
}

}  // namespace
}  // namespace echo::nsight
