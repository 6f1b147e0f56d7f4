// Products by cuBLASLt, with the first choice of its heuristic, as frameworks call it.
#include <cublasLt.h>

#include "base/contract.hpp"
#include "profilers/device/workbench.hpp"
#include "profilers/kernels/gemm_problem.hpp"

namespace echo::profilers {

using machine::Precision;

namespace {

void check_cublas(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(what, cublasLtGetStatusString(status));
}

struct Types {
  cudaDataType_t operands, result;
  cublasComputeType_t compute;
};

Types types_of(const ops::KernelKey& key) {
  Types types{CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F};
  switch (key.precision) {
    case Precision::bf16:
    case Precision::mxfp8:  // not run: kernel_mechanism.hpp
    case Precision::nvfp4:
      break;
    case Precision::fp16:
      types.operands = types.result = CUDA_R_16F;
      break;
    case Precision::fp8:
      types.operands = CUDA_R_8F_E4M3;
      break;
    case Precision::tf32:
      types = {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32};
      break;
    case Precision::fp32:
      types = {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
      break;
  }
  if (key.fp32_accumulate) types.result = CUDA_R_32F;
  return types;
}

struct FreeDescription {
  void operator()(cublasLtMatmulDescOpaque_t* d) const { cublasLtMatmulDescDestroy(d); }
};
struct FreeLayout {
  void operator()(cublasLtMatrixLayoutOpaque_t* l) const { cublasLtMatrixLayoutDestroy(l); }
};
struct FreePreference {
  void operator()(cublasLtMatmulPreferenceOpaque_t* p) const { cublasLtMatmulPreferenceDestroy(p); }
};
using Description = std::unique_ptr<cublasLtMatmulDescOpaque_t, FreeDescription>;
using Layout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, FreeLayout>;
using Preference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, FreePreference>;

Layout layout_of(const GemmOperand& operand, cudaDataType_t type, std::int32_t batch) {
  cublasLtMatrixLayout_t raw = nullptr;
  check_cublas(cublasLtMatrixLayoutCreate(&raw, type, static_cast<std::uint64_t>(operand.rows),
                                          static_cast<std::uint64_t>(operand.columns), operand.ld),
               "cublasLtMatrixLayoutCreate");
  Layout layout(raw);
  const std::int64_t stride = operand.elements();
  check_cublas(
      cublasLtMatrixLayoutSetAttribute(raw, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch),
      "a batch count");
  check_cublas(cublasLtMatrixLayoutSetAttribute(raw, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                                sizeof stride),
               "a batch stride");
  return layout;
}

void set_transposed(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t which,
                    bool is_transposed) {
  const cublasOperation_t operation = is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  check_cublas(cublasLtMatmulDescSetAttribute(description, which, &operation, sizeof operation),
               "a transpose");
}

// All arguments of a call except the pointers.
struct Product {
  Description description;
  Layout a, b, d;
  cublasLtMatmulAlgo_t algorithm{};
  float beta = 0.0f;
};

Product plan(const ops::KernelKey& key, const GemmProblem& problem, const Types& types,
             cublasLtHandle_t handle) {
  Product out{.description = nullptr,
              .a = layout_of(problem.a, types.operands, key.batch),
              .b = layout_of(problem.b, types.operands, key.batch),
              .d = layout_of(problem.d, types.result, key.batch),
              .algorithm = {},
              .beta = key.fp32_accumulate ? 1.0f : 0.0f};
  cublasLtMatmulDesc_t description = nullptr;
  check_cublas(cublasLtMatmulDescCreate(&description, types.compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
  out.description.reset(description);
  set_transposed(description, CUBLASLT_MATMUL_DESC_TRANSA, problem.a.is_transposed);
  set_transposed(description, CUBLASLT_MATMUL_DESC_TRANSB, problem.b.is_transposed);
  cublasLtMatmulPreference_t raw = nullptr;
  check_cublas(cublasLtMatmulPreferenceCreate(&raw), "cublasLtMatmulPreferenceCreate");
  const Preference preference(raw);
  const auto workspace = static_cast<std::uint64_t>(cublas_workspace_bytes);
  check_cublas(cublasLtMatmulPreferenceSetAttribute(raw, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                                    sizeof workspace),
               "a workspace limit");
  cublasLtMatmulHeuristicResult_t first{};
  int found = 0;
  check_cublas(cublasLtMatmulAlgoGetHeuristic(handle, description, out.a.get(), out.b.get(), out.d.get(),
                                              out.d.get(), raw, 1, &first, &found),
               "cublasLtMatmulAlgoGetHeuristic");
  if (found == 0) fail("cuBLASLt", "it has no kernel for this product on this GPU");
  out.algorithm = first.algo;
  return out;
}

std::int64_t type_bytes(cudaDataType_t type) {
  if (type == CUDA_R_8F_E4M3) return 1;
  return type == CUDA_R_32F ? 4 : 2;
}

class GemmKernel : public RunnableKernel {
 public:
  GemmKernel(const ops::KernelKey& key, Workbench& bench) : bench_(bench) {
    const GemmProblem problem = gemm_problem(key);
    const Types types = types_of(key);
    const auto bytes = [&](const GemmOperand& operand, cudaDataType_t type) {
      return operand.elements() * key.batch * type_bytes(type);
    };
    product_ = plan(key, problem, types, bench.cublas());
    arrays_ = lay_out(bench, {bytes(problem.a, types.operands), bytes(problem.b, types.operands)},
                      {bytes(problem.d, types.result)});
  }

  void launch(cudaStream_t stream, std::int64_t number) const override {
    const float alpha = 1.0f;
    const std::byte* a = bench_.read() + arrays_.read.offset(0, number);
    const std::byte* b = bench_.read() + arrays_.read.offset(1, number);
    std::byte* d = bench_.written() + arrays_.written.offset(0, number);
    check_cublas(cublasLtMatmul(bench_.cublas(), product_.description.get(), &alpha, a, product_.a.get(), b,
                                product_.b.get(), &product_.beta, d, product_.d.get(), d, product_.d.get(),
                                &product_.algorithm, bench_.workspace(),
                                static_cast<std::size_t>(cublas_workspace_bytes), stream),
                 "cublasLtMatmul");
  }

 private:
  const Workbench& bench_;
  Product product_;
  KernelArrays arrays_;
};

// The products of a group one by one, each with matrices of its own.
class GroupedGemm : public RunnableKernel {
 public:
  GroupedGemm(const ops::KernelKey& one, std::int32_t count, Workbench& bench)
      : one_(one, bench), count_(count) {}
  void launch(cudaStream_t stream, std::int64_t number) const override {
    for (std::int32_t i = 0; i < count_; ++i) one_.launch(stream, number * count_ + i);
  }

 private:
  GemmKernel one_;
  std::int32_t count_;
};

}  // namespace

std::unique_ptr<RunnableKernel> prepare_gemm(const ops::KernelKey& key, Workbench& bench) {
  if (!key.grouped) return std::make_unique<GemmKernel>(key, bench);
  ops::KernelKey one = key;
  one.grouped = false;
  one.batch = 1;
  return std::make_unique<GroupedGemm>(one, key.batch, bench);
}

}  // namespace echo::profilers
