#include "profilers/device/workbench.hpp"

#include <array>
#include <utility>

#include "base/contract.hpp"
#include "profilers/device/memory_kernels.hpp"
#include "profilers/kernels/kernel_mechanism.hpp"
#include "profilers/overlap/stream_tiles.hpp"

namespace echo::profilers {

using ops::KernelKey;
using ops::KernelKind;

namespace {

// Random numbers or zeroes.
DeviceMemory filled(std::int64_t bytes, bool is_random) {
  DeviceMemory memory = device_memory(bytes);
  if (is_random)
    check(launch_fill(memory.get(), bytes, nullptr), "filling memory");
  else
    check(cudaMemset(memory.get(), 0, static_cast<std::size_t>(bytes)), "cudaMemset");
  check(cudaDeviceSynchronize(), "filling memory");
  return memory;
}

// Grows `memory` to `bytes`; where the GPU has less, kernels that were laid out before keep theirs.
void grow(DeviceMemory& memory, std::int64_t& held, std::int64_t bytes, bool is_random) {
  if (bytes <= held) return;
  const std::int64_t before = std::exchange(held, 0);
  memory.reset();  // before the new one: both might not fit
  try {
    memory = filled(bytes, is_random);
    held = bytes;
  } catch (const UserError&) {
    if (before > 0) memory = filled(before, is_random);
    held = before;
    throw;
  }
}

// Bytes of each array of these counts by width.
std::vector<std::int64_t> array_bytes(const std::array<std::int32_t, 3>& counts, std::int64_t elements) {
  std::vector<std::int64_t> bytes;
  for (std::size_t i = 0; i < counts.size(); ++i)
    bytes.insert(bytes.end(), static_cast<std::size_t>(counts[i]),
                 stream_array_bytes(elements, StreamRecipe::widths[i]));
  return bytes;
}

class StreamKernel : public RunnableKernel {
 public:
  StreamKernel(const StreamRecipe& recipe, std::int64_t elements, Workbench& bench)
      : bench_(bench), recipe_(recipe), elements_(elements) {
    ECHO_EXPECT(has_stream_kernel(recipe_));
    const std::vector<std::int64_t> read = array_bytes(recipe_.reads, elements_);
    std::vector<std::int64_t> written = array_bytes(recipe_.writes, elements_);
    ECHO_EXPECT(read.size() <= StreamArrays::most && written.size() <= StreamArrays::most);
    if (written.empty()) written.push_back(vector_bytes);
    arrays_ = lay_out(bench, read, written);
  }

  void launch(cudaStream_t stream, std::int64_t number) const override {
    StreamArrays pointers;
    for (std::size_t i = 0; i < arrays_.read.offsets.size(); ++i)
      pointers.read[i] = bench_.read() + arrays_.read.offset(i, number);
    for (std::size_t i = 0; i < arrays_.written.offsets.size(); ++i)
      pointers.written[i] = bench_.written() + arrays_.written.offset(i, number);
    check(launch_stream(recipe_, pointers, elements_, stream), "a stream kernel");
  }

 private:
  const Workbench& bench_;
  StreamRecipe recipe_;
  std::int64_t elements_;
  KernelArrays arrays_;
};

// Kernels that run one after the other and form one op. They use the same arenas, so that where arrays fit
// in L2 a later one finds some of the data that an earlier one read, as an update finds the gradients that
// were just clipped.
class KernelChain : public RunnableKernel {
 public:
  explicit KernelChain(std::vector<std::unique_ptr<RunnableKernel>> kernels) : kernels_(std::move(kernels)) {}
  void launch(cudaStream_t stream, std::int64_t number) const override {
    for (const auto& kernel : kernels_) kernel->launch(stream, number);
  }

 private:
  std::vector<std::unique_ptr<RunnableKernel>> kernels_;
};

std::unique_ptr<RunnableKernel> prepare_stream(const KernelKey& key, Workbench& bench) {
  std::vector<std::unique_ptr<RunnableKernel>> kernels;
  for (const StreamRecipe& recipe : stream_recipes(key))
    kernels.push_back(std::make_unique<StreamKernel>(recipe, stream_elements(key), bench));
  if (kernels.size() == 1) return std::move(kernels.front());
  return std::make_unique<KernelChain>(std::move(kernels));
}

RowOp row_op(KernelKind kind) {
  if (kind == KernelKind::norm_forward) return RowOp::norm_forward;
  if (kind == KernelKind::norm_backward) return RowOp::norm_backward;
  return kind == KernelKind::softmax_forward ? RowOp::softmax_forward : RowOp::softmax_backward;
}

class RowKernel : public RunnableKernel {
 public:
  RowKernel(const KernelKey& key, Workbench& bench)
      : bench_(bench),
        op_(row_op(key.kind)),
        rows_(std::int64_t{key.m} * key.batch),
        columns_(key.n),
        has_second_(op_ == RowOp::norm_backward || op_ == RowOp::softmax_backward) {
    const std::int64_t bytes = rows_ * columns_ * 2;
    arrays_ = lay_out(bench, std::vector<std::int64_t>(has_second_ ? 2 : 1, bytes), {bytes});
  }

  void launch(cudaStream_t stream, std::int64_t number) const override {
    const std::byte* first = bench_.read() + arrays_.read.offset(0, number);
    const std::byte* second = has_second_ ? bench_.read() + arrays_.read.offset(1, number) : nullptr;
    std::byte* out = bench_.written() + arrays_.written.offset(0, number);
    check(launch_row(op_, rows_, columns_, first, second, out, stream), "a row kernel");
  }

 private:
  const Workbench& bench_;
  RowOp op_;
  std::int64_t rows_, columns_;
  bool has_second_;
  KernelArrays arrays_;
};

}  // namespace

static Gpu made_current(const Gpu& gpu) {
  check(cudaSetDevice(gpu.index), "cudaSetDevice");
  return gpu;
}

Workbench::Workbench(const Gpu& gpu)
    : gpu_(made_current(gpu)), workspace_(device_memory(cublas_workspace_bytes)) {
  cublasLtHandle_t handle = nullptr;
  if (cublasLtCreate(&handle) != CUBLAS_STATUS_SUCCESS) fail("cublasLtCreate", "no reason given");
  cublas_.reset(handle);
}

void Workbench::reserve(std::int64_t read_bytes, std::int64_t written_bytes) {
  grow(read_, read_bytes_, read_bytes, true);
  grow(written_, written_bytes_, written_bytes, false);
}

KernelArrays lay_out(Workbench& bench, const std::vector<std::int64_t>& read_bytes,
                     const std::vector<std::int64_t>& written_bytes) {
  std::int64_t all = 0;
  for (const std::int64_t bytes : read_bytes) all += bytes;
  for (const std::int64_t bytes : written_bytes) all += bytes;
  const std::int64_t turns = turns_for(all, bench.gpu().l2);
  KernelArrays arrays{rotation(read_bytes, turns), rotation(written_bytes, turns)};
  bench.reserve(arrays.read.bytes(), arrays.written.bytes());
  return arrays;
}

std::unique_ptr<RunnableKernel> prepare_kernel(const KernelKey& key, Workbench& bench) {
  switch (mechanism_of(key)) {
    case Mechanism::gemm:
      return prepare_gemm(key, bench);
    case Mechanism::attention:
      return prepare_attention(key, bench);
    case Mechanism::row:
      return std::make_unique<RowKernel>(key, bench);
    case Mechanism::stream:
      return prepare_stream(key, bench);
    case Mechanism::none:
      break;
  }
  fail("a kernel", "it cannot be run");
}

}  // namespace echo::profilers
