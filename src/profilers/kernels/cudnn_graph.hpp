// Operations for cuDNN to fuse into one kernel, by its backend API. Building and planning needs no GPU: cuDNN
// plans for given device properties (since 9.8).
#pragma once

#include <cudnn.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace echo::profilers {

// Throws UserError, 1, with cuDNN's own reason.
void check_cudnn(cudnnStatus_t, const char* what);

struct DestroyDescriptor {
  void operator()(void* descriptor) const { cudnnBackendDestroyDescriptor(descriptor); }
};
using CudnnDescriptor = std::unique_ptr<void, DestroyDescriptor>;

// What a plan is made for: a device of this machine, or one described by cuDNN's own JSON.
[[nodiscard]] CudnnDescriptor device_properties(std::int32_t device);
[[nodiscard]] CudnnDescriptor device_properties(const std::string& json);

using TensorId = std::int64_t;

// Four dimensions: samples, heads, rows, columns. Strides in elements.
struct TensorShape {
  std::array<std::int64_t, 4> dims{}, strides{};
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  // The shape of dense memory in the order of the dimensions.
  [[nodiscard]] static TensorShape dense(std::array<std::int64_t, 4> dims,
                                         cudnnDataType_t = CUDNN_DATA_FLOAT);
  // Rows and columns exchanged, in the same memory.
  [[nodiscard]] TensorShape transposed() const;
};

struct CudnnPlan {
  CudnnDescriptor plan;
  std::int64_t workspace = 0;  // bytes
};

class CudnnGraph {
 public:
  // In the caller's memory, given when the plan is executed; or never in memory at all.
  TensorId memory(const TensorShape& shape) { return add_tensor(shape, Residence::memory); }
  TensorId fused(const TensorShape& shape) { return add_tensor(shape, Residence::fused); }
  TensorId scalar(float value);

  void multiply_matrices(TensorId a, TensorId b, TensorId out);
  void pointwise(cudnnPointwiseMode_t, TensorId x, TensorId out);
  void pointwise(cudnnPointwiseMode_t, TensorId x, TensorId y, TensorId out);
  // x where `mask` holds, y elsewhere.
  void select(TensorId mask, TensorId x, TensorId y, TensorId out);
  // The element's own place along the axis.
  void place(std::int64_t axis, TensorId like, TensorId out);
  void reduce(cudnnReduceTensorOp_t, TensorId x, TensorId out);
  void reshape(TensorId x, TensorId out);

  // Kernels that cuDNN proposes for the device, best first; none where it knows none. Closes the graph.
  [[nodiscard]] std::vector<CudnnDescriptor> propose(void* device);
  // The first of them that can be planned: generates and loads its code, so a driver is needed. UserError, 1:
  // none can.
  [[nodiscard]] CudnnPlan plan(void* device);
  // The handle's device and stream. `pointers`: of every tensor in memory.
  void execute(cudnnHandle_t, const CudnnPlan&, const std::vector<std::pair<TensorId, void*>>& pointers,
               void* workspace) const;

 private:
  enum class Residence : std::int8_t { memory, fused, scalar };
  TensorId add_tensor(const TensorShape&, Residence);
  void* tensor(TensorId id) const { return tensors_[static_cast<std::size_t>(id - 1)].get(); }
  CudnnDescriptor pointwise_kind(cudnnPointwiseMode_t, cudnnDataType_t) const;
  void add_operation(CudnnDescriptor);

  std::vector<CudnnDescriptor> tensors_;  // [id - 1]
  std::vector<CudnnDescriptor> kinds_, operations_;
  CudnnDescriptor graph_;
  std::vector<std::pair<TensorId, float>> scalars_;
};

}  // namespace echo::profilers
