// Twins of memory-bound kernels: the arrays and bytes of the real ones, little of their arithmetic.
//
// Stream: a thread block takes tiles of 4096 elements; of each array it loads 16-byte vectors side by side,
// folds them into one and stores that to every output. Row: a block takes one row, reduces it (sum of
// squares; maximum and sum of exponentials; sum of products), then reads it again, from cache, scales and
// writes it, which is what fused norms and softmaxes do.
#include <array>

#include "profilers/device/memory_kernels.hpp"
#include "profilers/overlap/stream_tiles.hpp"

namespace {

using echo::profilers::stream_threads;
using echo::profilers::stream_vector;
using echo::profilers::StreamArrays;

// Loads a tile of one array of `width`-byte elements.
template <int width>
__device__ void read_tile(const void* array, std::int64_t tile, uint4& folded) {
  uint4 data[width];
#pragma unroll
  for (int round = 0; round < width; ++round)
    data[round] = __ldcs(static_cast<const uint4*>(array) +
                         stream_vector(tile, width, round, static_cast<int>(threadIdx.x)));
#pragma unroll
  for (int round = 0; round < width; ++round) {
    folded.x ^= data[round].x;
    folded.y ^= data[round].y;
    folded.z ^= data[round].z;
    folded.w ^= data[round].w;
  }
}

template <int width>
__device__ void write_tile(void* array, std::int64_t tile, uint4 data) {
#pragma unroll
  for (int round = 0; round < width; ++round)
    __stcs(static_cast<uint4*>(array) + stream_vector(tile, width, round, static_cast<int>(threadIdx.x)),
           data);
}

// Arrays read and written of each width.
template <int r1, int r2, int r4, int w1, int w2, int w4>
__global__ void __launch_bounds__(stream_threads) echo_stream(StreamArrays arrays, std::int64_t tiles) {
  uint4 seen{};
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    uint4 data{};
#pragma unroll
    for (int i = 0; i < r1; ++i) read_tile<1>(arrays.read[i], tile, data);
#pragma unroll
    for (int i = 0; i < r2; ++i) read_tile<2>(arrays.read[r1 + i], tile, data);
#pragma unroll
    for (int i = 0; i < r4; ++i) read_tile<4>(arrays.read[r1 + r2 + i], tile, data);
#pragma unroll
    for (int i = 0; i < w1; ++i) write_tile<1>(arrays.written[i], tile, data);
#pragma unroll
    for (int i = 0; i < w2; ++i) write_tile<2>(arrays.written[w1 + i], tile, data);
#pragma unroll
    for (int i = 0; i < w4; ++i) write_tile<4>(arrays.written[w1 + w2 + i], tile, data);
    seen.x ^= data.x ^ data.y ^ data.z ^ data.w;
  }
  // Keeps loads that nothing else uses; a norm's kernel writes its partial sum like this.
  if (w1 + w2 + w4 == 0 && seen.x == 0x9e3779b9u) *static_cast<uint4*>(arrays.written[0]) = seen;
}

using StreamKernel = void (*)(StreamArrays, std::int64_t);
struct StreamRow {
  echo::profilers::StreamRecipe recipe;
  StreamKernel kernel;
};
template <int r1, int r2, int r4, int w1, int w2, int w4>
StreamRow row() {
  return {{.reads = {r1, r2, r4}, .writes = {w1, w2, w4}}, echo_stream<r1, r2, r4, w1, w2, w4>};
}

// What stream_recipes() asks for, and nothing else: each is compiled for every GPU.
const std::array<StreamRow, 21>& stream_rows() {
  static const std::array<StreamRow, 21> rows{
      row<0, 1, 0, 0, 1, 0>(), row<0, 0, 1, 0, 0, 1>(),   // one array in, one out
      row<0, 2, 0, 0, 1, 0>(), row<0, 0, 2, 0, 0, 1>(),   // two in
      row<0, 3, 0, 0, 2, 0>(), row<0, 0, 3, 0, 0, 2>(),   // a gated activation, backward
      row<0, 2, 0, 1, 1, 0>(), row<0, 0, 2, 1, 0, 1>(),   // residual with a mask
      row<0, 1, 0, 1, 1, 0>(), row<0, 0, 1, 1, 0, 1>(),   // dropout
      row<1, 1, 0, 0, 1, 0>(), row<1, 0, 1, 0, 0, 1>(),   // their backward passes
      row<0, 1, 1, 0, 0, 1>(),                            // 16-bit gradients into an fp32 sum
      row<0, 1, 3, 0, 1, 3>(), row<0, 0, 4, 0, 1, 3>(),   // Adam
      row<0, 1, 0, 1, 0, 0>(), row<0, 1, 0, 2, 0, 0>(),   // casts to 8 bits
      row<0, 1, 0, 0, 0, 0>(), row<0, 0, 1, 0, 0, 0>(),   // a norm of gradients, a magnitude
      row<0, 0, 0, 0, 1, 0>(), row<0, 0, 0, 0, 0, 1>()};  // zeroes
  return rows;
}

const StreamRow* find(const echo::profilers::StreamRecipe& recipe) {
  for (const StreamRow& row : stream_rows())
    if (row.recipe == recipe) return &row;
  return nullptr;
}

__device__ float low(unsigned pair) { return __uint_as_float(pair << 16); }
__device__ float high(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }
__device__ unsigned pair_of(float a, float b) {
  return (__float_as_uint(b) & 0xffff0000u) | (__float_as_uint(a) >> 16);
}

constexpr int row_threads = 256;

// The sum over all threads of the block, in all of them.
__device__ float block_sum(float value) {
  __shared__ float parts[row_threads / 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  __syncthreads();  // the last sum has been read
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < row_threads / 32; ++i) sum += parts[i];
  return sum;
}

__device__ float block_maximum(float value) {
  __shared__ float parts[row_threads / 32];
  for (int offset = 16; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  float most = parts[0];
  for (int i = 1; i < row_threads / 32; ++i) most = fmaxf(most, parts[i]);
  return most;
}

// What a vector of 8 elements adds to the row's sum.
__device__ float products(uint4 a, uint4 b) {
  const unsigned x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 4; ++i) sum += low(x[i]) * low(y[i]) + high(x[i]) * high(y[i]);
  return sum;
}

// scale * (a - shift * b), element by element; b = 1 where there is none.
__device__ uint4 scaled(uint4 a, uint4 b, float scale, float shift) {
  const unsigned x[4] = {a.x, a.y, a.z, a.w}, y[4] = {b.x, b.y, b.z, b.w};
  unsigned out[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    out[i] = pair_of(scale * (low(x[i]) - shift * low(y[i])), scale * (high(x[i]) - shift * high(y[i])));
  return {out[0], out[1], out[2], out[3]};
}

__device__ float exponentials(uint4 a, float most) {
  const unsigned x[4] = {a.x, a.y, a.z, a.w};
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 4; ++i) sum += __expf(low(x[i]) - most) + __expf(high(x[i]) - most);
  return sum;
}

__device__ uint4 softmax_of(uint4 a, float most, float scale) {
  const unsigned x[4] = {a.x, a.y, a.z, a.w};
  unsigned out[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    out[i] = pair_of(scale * __expf(low(x[i]) - most), scale * __expf(high(x[i]) - most));
  return {out[0], out[1], out[2], out[3]};
}

__device__ float largest(uint4 a) {
  const unsigned x[4] = {a.x, a.y, a.z, a.w};
  float most = low(x[0]);
#pragma unroll
  for (int i = 0; i < 4; ++i) most = fmaxf(most, fmaxf(low(x[i]), high(x[i])));
  return most;
}

// Norms, and the backward pass of a softmax: `has_second` reads two arrays. One block a row of `vectors`
// vectors.
template <bool has_second>
__global__ void __launch_bounds__(row_threads)
    echo_row_sum(const uint4* first, const uint4* second, uint4* out, int vectors) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * vectors;
  float sum = 0.0f;
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += row_threads) {
    const uint4 a = first[row + i];
    sum += products(a, has_second ? second[row + i] : a);
  }
  const float mean = block_sum(sum) / static_cast<float>(vectors * 8);
  const float scale = has_second ? 1.0f : rsqrtf(mean + 1e-5f), shift = has_second ? mean : 0.0f;
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += row_threads) {
    const uint4 a = first[row + i];
    out[row + i] = scaled(a, has_second ? second[row + i] : a, scale, shift);
  }
}

__global__ void __launch_bounds__(row_threads) echo_row_softmax(const uint4* first, uint4* out, int vectors) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * vectors;
  float most = -3.4e38f;
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += row_threads)
    most = fmaxf(most, largest(first[row + i]));
  most = block_maximum(most);
  float sum = 0.0f;
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += row_threads)
    sum += exponentials(first[row + i], most);
  const float scale = 1.0f / block_sum(sum);
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += row_threads)
    out[row + i] = softmax_of(first[row + i], most, scale);
}

__device__ unsigned random_pair(std::uint64_t number) {
  std::uint64_t x = number * 0x9e3779b97f4a7c15ull + 0x632be59bd9b4e019ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  x ^= x >> 31;
  const float scale = 1.0f / 2147483648.0f;
  return pair_of(scale * static_cast<float>(static_cast<int>(x)),
                 scale * static_cast<float>(static_cast<int>(x >> 32)));
}

__global__ void echo_fill(uint4* out, std::int64_t vectors) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const auto at = static_cast<std::uint64_t>(4 * i);
    out[i] = {random_pair(at), random_pair(at + 1), random_pair(at + 2), random_pair(at + 3)};
  }
}

}  // namespace

namespace echo::profilers {

bool has_stream_kernel(const StreamRecipe& recipe) { return find(recipe) != nullptr; }

cudaError_t launch_stream(const StreamRecipe& recipe, const StreamArrays& arrays, std::int64_t elements,
                          cudaStream_t stream) {
  const StreamRow* row = find(recipe);
  if (row == nullptr) return cudaErrorInvalidValue;
  const std::int64_t tiles = stream_tiles(elements);
  const auto blocks = static_cast<unsigned>(tiles < (1 << 30) ? tiles : (1 << 30));
  row->kernel<<<blocks, stream_threads, 0, stream>>>(arrays, tiles);
  return cudaGetLastError();
}

cudaError_t launch_row(RowOp op, std::int64_t rows, std::int64_t columns, const void* first,
                       const void* second, void* out, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(rows);
  const auto vectors = static_cast<int>(columns / 8);
  const auto* a = static_cast<const uint4*>(first);
  const auto* b = static_cast<const uint4*>(second);
  auto* c = static_cast<uint4*>(out);
  switch (op) {
    case RowOp::norm_forward:
      echo_row_sum<false><<<blocks, row_threads, 0, stream>>>(a, nullptr, c, vectors);
      break;
    case RowOp::norm_backward:
    case RowOp::softmax_backward:
      echo_row_sum<true><<<blocks, row_threads, 0, stream>>>(a, b, c, vectors);
      break;
    case RowOp::softmax_forward:
      echo_row_softmax<<<blocks, row_threads, 0, stream>>>(a, c, vectors);
      break;
  }
  return cudaGetLastError();
}

cudaError_t launch_fill(void* out, std::int64_t bytes, cudaStream_t stream) {
  echo_fill<<<2048, 256, 0, stream>>>(static_cast<uint4*>(out), bytes / 16);
  return cudaGetLastError();
}

}  // namespace echo::profilers
