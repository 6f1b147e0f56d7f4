// Attention by cuDNN, with the first choice of its heuristic.
#include "profilers/device/workbench.hpp"
#ifdef ECHO_HAS_CUDNN
#include <cudnn.h>

#include "profilers/kernels/attention_graph.hpp"
#endif

namespace echo::profilers {

#ifdef ECHO_HAS_CUDNN

namespace {

struct DestroyCudnn {
  void operator()(cudnnContext* handle) const { cudnnDestroy(handle); }
};

class AttentionKernel : public RunnableKernel {
 public:
  AttentionKernel(const ops::KernelKey& key, Workbench& bench)
      : bench_(bench), attention_(attention_graph(key)) {
    cudnnHandle_t handle = nullptr;
    check_cudnn(cudnnCreate(&handle), "cudnnCreate");
    handle_.reset(handle);
    plan_ = attention_.graph.plan(device_properties(bench.gpu().index).get());
    workspace_ = device_memory(plan_.workspace + 1);
    std::vector<std::int64_t> read, written;
    for (const AttentionTensor& tensor : attention_.tensors)
      (tensor.is_written ? written : read).push_back(tensor.bytes);
    arrays_ = lay_out(bench, read, written);
  }

  void launch(cudaStream_t stream, std::int64_t number) const override {
    std::vector<std::pair<TensorId, void*>> pointers;
    std::size_t reads = 0, writes = 0;
    for (const AttentionTensor& tensor : attention_.tensors) {
      const std::byte* pointer = tensor.is_written
                                     ? bench_.written() + arrays_.written.offset(writes++, number)
                                     : bench_.read() + arrays_.read.offset(reads++, number);
      pointers.emplace_back(tensor.id, const_cast<std::byte*>(pointer));  // cuDNN's interface knows no const
    }
    check_cudnn(cudnnSetStream(handle_.get(), stream), "cudnnSetStream");
    attention_.graph.execute(handle_.get(), plan_, pointers, workspace_.get());
  }

 private:
  const Workbench& bench_;
  AttentionGraph attention_;
  std::unique_ptr<cudnnContext, DestroyCudnn> handle_;
  CudnnPlan plan_;
  DeviceMemory workspace_;
  KernelArrays arrays_;
};

}  // namespace

std::unique_ptr<RunnableKernel> prepare_attention(const ops::KernelKey& key, Workbench& bench) {
  return std::make_unique<AttentionKernel>(key, bench);
}

#else

std::unique_ptr<RunnableKernel> prepare_attention(const ops::KernelKey&, Workbench&) {
  fail("attention", "this program was built without cuDNN");
}

#endif

}  // namespace echo::profilers
