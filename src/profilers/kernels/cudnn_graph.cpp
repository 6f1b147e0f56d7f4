#include "profilers/kernels/cudnn_graph.hpp"

#include "base/error.hpp"

namespace echo::profilers {

namespace {

CudnnDescriptor new_descriptor(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t raw = nullptr;
  check_cudnn(cudnnBackendCreateDescriptor(type, &raw), "a cuDNN descriptor");
  return CudnnDescriptor(raw);
}

template <class Value>
void set(void* descriptor, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
         std::int64_t count, const Value* values) {
  check_cudnn(cudnnBackendSetAttribute(descriptor, name, type, count, values),
              "an attribute of a cuDNN graph");
}

void set_descriptor(void* descriptor, cudnnBackendAttributeName_t name, void* value) {
  set(descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

void finalize(void* descriptor, const char* what) { check_cudnn(cudnnBackendFinalize(descriptor), what); }

std::vector<CudnnDescriptor> proposals(void* graph, void* device) {
  const CudnnDescriptor heuristic = new_descriptor(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  set_descriptor(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
  set(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  set_descriptor(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device);
  finalize(heuristic.get(), "cuDNN's choice of a kernel");
  constexpr std::int64_t most = 8;
  std::vector<CudnnDescriptor> configs;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (std::int64_t i = 0; i < most; ++i) {
    configs.push_back(new_descriptor(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
    raw.push_back(configs.back().get());
  }
  std::int64_t found = 0;
  check_cudnn(cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                       CUDNN_TYPE_BACKEND_DESCRIPTOR, most, &found, raw.data()),
              "cuDNN's choice of a kernel");
  configs.resize(static_cast<std::size_t>(found < most ? found : most));
  return configs;
}

std::array<std::int64_t, 4> dense_strides(const std::array<std::int64_t, 4>& dims) {
  return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
}

}  // namespace

void check_cudnn(cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 512> why{};
  cudnnGetLastErrorString(why.data(), why.size());
  throw UserError(std::string(what) + " failed: " + cudnnGetErrorString(status) + ", " + why.data(),
                  "attention is left out of the dataset", 1);
}

CudnnDescriptor device_properties(std::int32_t device) {
  CudnnDescriptor out = new_descriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  set(out.get(), CUDNN_ATTR_DEVICEPROP_DEVICE_ID, CUDNN_TYPE_INT32, 1, &device);
  finalize(out.get(), "cuDNN's view of the GPU");
  return out;
}

CudnnDescriptor device_properties(const std::string& json) {
  CudnnDescriptor out = new_descriptor(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  set(out.get(), CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
      static_cast<std::int64_t>(json.size()), json.data());
  finalize(out.get(), "cuDNN's view of the GPU");
  return out;
}

TensorShape TensorShape::dense(std::array<std::int64_t, 4> dims, cudnnDataType_t type) {
  return {dims, dense_strides(dims), type};
}

TensorShape TensorShape::transposed() const {
  TensorShape out = *this;
  std::swap(out.dims[2], out.dims[3]);
  std::swap(out.strides[2], out.strides[3]);
  return out;
}

TensorId CudnnGraph::add_tensor(const TensorShape& shape, Residence residence) {
  const auto id = static_cast<TensorId>(tensors_.size()) + 1;
  const bool is_fused = residence == Residence::fused, is_scalar = residence == Residence::scalar;
  const std::int64_t alignment = 16;
  CudnnDescriptor out = new_descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  set(out.get(), CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
  set(out.get(), CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &shape.type);
  set(out.get(), CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, shape.dims.data());
  set(out.get(), CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, shape.strides.data());
  set(out.get(), CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
  set(out.get(), CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_fused);
  set(out.get(), CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &is_scalar);
  finalize(out.get(), "a tensor of a cuDNN graph");
  tensors_.push_back(std::move(out));
  return id;
}

TensorId CudnnGraph::scalar(float value) {
  const TensorId id = add_tensor(TensorShape::dense({1, 1, 1, 1}), Residence::scalar);
  scalars_.emplace_back(id, value);
  return id;
}

void CudnnGraph::add_operation(CudnnDescriptor operation) {
  finalize(operation.get(), "an operation of a cuDNN graph");
  operations_.push_back(std::move(operation));
}

void CudnnGraph::multiply_matrices(TensorId a, TensorId b, TensorId out) {
  CudnnDescriptor kind = new_descriptor(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  const cudnnDataType_t sums = CUDNN_DATA_FLOAT;
  set(kind.get(), CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &sums);
  finalize(kind.get(), "a product of a cuDNN graph");
  CudnnDescriptor operation = new_descriptor(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_MATMUL_ADESC, tensor(a));
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_MATMUL_BDESC, tensor(b));
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_MATMUL_CDESC, tensor(out));
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_MATMUL_DESC, kind.get());
  add_operation(std::move(operation));
  kinds_.push_back(std::move(kind));
}

CudnnDescriptor CudnnGraph::pointwise_kind(cudnnPointwiseMode_t mode, cudnnDataType_t precision) const {
  CudnnDescriptor kind = new_descriptor(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  set(kind.get(), CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
  set(kind.get(), CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &precision);
  return kind;
}

void CudnnGraph::pointwise(cudnnPointwiseMode_t mode, TensorId x, TensorId out) {
  pointwise(mode, x, 0, out);
}

void CudnnGraph::pointwise(cudnnPointwiseMode_t mode, TensorId x, TensorId y, TensorId out) {
  const bool compares = mode == CUDNN_POINTWISE_CMP_GE;
  CudnnDescriptor kind = pointwise_kind(mode, compares ? CUDNN_DATA_BOOLEAN : CUDNN_DATA_FLOAT);
  finalize(kind.get(), "an operation of a cuDNN graph");
  CudnnDescriptor operation = new_descriptor(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, kind.get());
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensor(x));
  if (y != 0) set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_BDESC, tensor(y));
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensor(out));
  add_operation(std::move(operation));
  kinds_.push_back(std::move(kind));
}

void CudnnGraph::select(TensorId mask, TensorId x, TensorId y, TensorId out) {
  CudnnDescriptor kind = pointwise_kind(CUDNN_POINTWISE_BINARY_SELECT, CUDNN_DATA_FLOAT);
  finalize(kind.get(), "a choice of a cuDNN graph");
  CudnnDescriptor operation = new_descriptor(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, kind.get());
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensor(x));
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_BDESC, tensor(y));
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_TDESC, tensor(mask));
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensor(out));
  add_operation(std::move(operation));
  kinds_.push_back(std::move(kind));
}

void CudnnGraph::place(std::int64_t axis, TensorId like, TensorId out) {
  CudnnDescriptor kind = pointwise_kind(CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_FLOAT);
  set(kind.get(), CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, 1, &axis);
  finalize(kind.get(), "an index of a cuDNN graph");
  CudnnDescriptor operation = new_descriptor(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, kind.get());
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensor(like));
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensor(out));
  add_operation(std::move(operation));
  kinds_.push_back(std::move(kind));
}

void CudnnGraph::reduce(cudnnReduceTensorOp_t how, TensorId x, TensorId out) {
  CudnnDescriptor kind = new_descriptor(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  const cudnnDataType_t sums = CUDNN_DATA_FLOAT;
  set(kind.get(), CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &how);
  set(kind.get(), CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &sums);
  finalize(kind.get(), "a reduction of a cuDNN graph");
  CudnnDescriptor operation = new_descriptor(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_REDUCTION_XDESC, tensor(x));
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_REDUCTION_YDESC, tensor(out));
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_REDUCTION_DESC, kind.get());
  add_operation(std::move(operation));
  kinds_.push_back(std::move(kind));
}

void CudnnGraph::reshape(TensorId x, TensorId out) {
  CudnnDescriptor operation = new_descriptor(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_RESHAPE_XDESC, tensor(x));
  set_descriptor(operation.get(), CUDNN_ATTR_OPERATION_RESHAPE_YDESC, tensor(out));
  add_operation(std::move(operation));
}

std::vector<CudnnDescriptor> CudnnGraph::propose(void* device) {
  std::vector<cudnnBackendDescriptor_t> operations;
  for (const CudnnDescriptor& operation : operations_) operations.push_back(operation.get());
  graph_ = new_descriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set(graph_.get(), CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
      static_cast<std::int64_t>(operations.size()), operations.data());
  finalize(graph_.get(), "a cuDNN graph");
  return proposals(graph_.get(), device);
}

CudnnPlan CudnnGraph::plan(void* device) {
  for (const CudnnDescriptor& config : propose(device)) {
    CudnnPlan out{.plan = new_descriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)};
    set_descriptor(out.plan.get(), CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config.get());
    if (cudnnBackendFinalize(out.plan.get()) != CUDNN_STATUS_SUCCESS) continue;
    std::int64_t count = 0;
    check_cudnn(cudnnBackendGetAttribute(out.plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                         CUDNN_TYPE_INT64, 1, &count, &out.workspace),
                "the workspace of a cuDNN plan");
    return out;
  }
  throw UserError("cuDNN has no kernel for the graph on this GPU", "attention is left out of the dataset", 1);
}

void CudnnGraph::execute(cudnnHandle_t handle, const CudnnPlan& plan,
                         const std::vector<std::pair<TensorId, void*>>& pointers, void* workspace) const {
  std::vector<TensorId> ids;
  std::vector<void*> where;
  for (const auto& [id, pointer] : pointers) {
    ids.push_back(id);
    where.push_back(pointer);
  }
  std::vector<std::pair<TensorId, float>> values = scalars_;
  for (auto& [id, value] : values) {
    ids.push_back(id);
    where.push_back(&value);
  }
  const CudnnDescriptor pack = new_descriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  set(pack.get(), CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, static_cast<std::int64_t>(ids.size()),
      ids.data());
  set(pack.get(), CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
      static_cast<std::int64_t>(where.size()), where.data());
  set(pack.get(), CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  finalize(pack.get(), "the tensors of a cuDNN plan");
  check_cudnn(cudnnBackendExecute(handle, plan.plan.get(), pack.get()), "a cuDNN plan");
}

}  // namespace echo::profilers
