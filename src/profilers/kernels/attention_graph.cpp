// cuDNN selects its fused kernels by the order and the shapes of operations. Sources: cuDNN backend API,
// "Fused flash attention" (supported graph patterns); Dao 2023, FlashAttention-2, for the backward pass: S =
// Q K' is computed again, P = exp(S - L) from the stored logarithms L, dV = P' dO, dP = dO V', dS = P (dP -
// rowsum(dO O)), dK = dS' Q, dQ = dS K.
#include "profilers/kernels/attention_graph.hpp"

#include <cmath>
#include <limits>

namespace echo::profilers {

namespace {

struct Sizes {
  explicit Sizes(const ops::KernelKey& key)
      : heads(key.batch),
        key_heads(key.groups),
        tokens(key.m),
        channels(key.k),
        type(key.precision == machine::Precision::fp16 ? CUDNN_DATA_HALF : CUDNN_DATA_BFLOAT16) {}

  // Tokens of `count` heads, the heads of a token side by side.
  [[nodiscard]] TensorShape of_tokens(std::int64_t count) const {
    return {{1, count, tokens, channels}, {count * tokens * channels, channels, count * channels, 1}, type};
  }
  [[nodiscard]] TensorShape scores(cudnnDataType_t of = CUDNN_DATA_FLOAT) const {
    return TensorShape::dense({1, heads, tokens, tokens}, of);
  }
  [[nodiscard]] TensorShape per_row() const { return TensorShape::dense({1, heads, tokens, 1}); }

  std::int64_t heads, key_heads, tokens, channels;
  cudnnDataType_t type;
};

class Builder {
 public:
  explicit Builder(const ops::KernelKey& key) : s_(key), is_causal_(key.causal) {
    scale_ = graph().scalar(1.0f / std::sqrt(static_cast<float>(s_.channels)));
  }

  AttentionGraph forward() {
    const TensorId q = read(s_.of_tokens(s_.heads)), k = read(s_.of_tokens(s_.key_heads).transposed()),
                   v = read(s_.of_tokens(s_.key_heads));
    const TensorId scores = masked(scaled_scores(q, k));
    const TensorId most = graph().fused(s_.per_row()), less = graph().fused(s_.scores()),
                   grown = graph().fused(s_.scores()), sum = graph().fused(s_.per_row()),
                   shares = graph().fused(s_.scores(s_.type));
    graph().reduce(CUDNN_REDUCE_TENSOR_MAX, scores, most);
    graph().pointwise(CUDNN_POINTWISE_SUB, scores, most, less);
    graph().pointwise(CUDNN_POINTWISE_EXP, less, grown);
    graph().reduce(CUDNN_REDUCE_TENSOR_ADD, grown, sum);
    const TensorId logarithm = graph().fused(s_.per_row()), statistics = written(s_.per_row());
    graph().pointwise(CUDNN_POINTWISE_LOG, sum, logarithm);
    graph().pointwise(CUDNN_POINTWISE_ADD, most, logarithm, statistics);
    graph().pointwise(CUDNN_POINTWISE_DIV, grown, sum, shares);
    graph().multiply_matrices(shares, v, written(s_.of_tokens(s_.heads)));
    return std::move(out_);
  }

  AttentionGraph backward() {
    const TensorShape of_queries = s_.of_tokens(s_.heads), of_keys = s_.of_tokens(s_.key_heads);
    const TensorId q = read(of_queries), k = read(of_keys.transposed()), v = read(of_keys.transposed()),
                   o = read(of_queries), d_o = read(of_queries), statistics = read(s_.per_row());
    const TensorId row_sums = sums_of_rows(d_o, o);
    const TensorId shares = shares_again(q, k, statistics);
    const TensorId transposed_shares = transposed(shares);
    multiply_into_keys(transposed_shares, d_o);
    const TensorId d_scores = score_gradient(d_o, v, row_sums, shares);
    multiply_into_keys(transposed(d_scores), q);
    const TensorId keys = graph().fused(of_keys), unrounded = written(TensorShape::dense(of_queries.dims));
    graph().reshape(k, keys);
    graph().multiply_matrices(d_scores, keys, unrounded);
    graph().pointwise(CUDNN_POINTWISE_IDENTITY, unrounded, written(of_queries));
    return std::move(out_);
  }

 private:
  CudnnGraph& graph() { return out_.graph; }

  TensorId in_memory(const TensorShape& shape, bool is_written) {
    const TensorId id = graph().memory(shape);
    const std::int64_t elements = shape.dims[0] * shape.dims[1] * shape.dims[2] * shape.dims[3];
    out_.tensors.push_back({id, elements * (shape.type == CUDNN_DATA_FLOAT ? 4 : 2), is_written});
    return id;
  }
  TensorId read(const TensorShape& shape) { return in_memory(shape, false); }
  TensorId written(const TensorShape& shape) { return in_memory(shape, true); }

  TensorId scaled_scores(TensorId q, TensorId k) {
    const TensorId product = graph().fused(s_.scores()), scaled = graph().fused(s_.scores());
    graph().multiply_matrices(q, k, product);
    graph().pointwise(CUDNN_POINTWISE_MUL, product, scale_, scaled);
    return scaled;
  }

  // Minus infinity where the key comes after the query.
  TensorId masked(TensorId scores) {
    if (!is_causal_) return scores;
    const TensorId row = graph().fused(s_.scores(CUDNN_DATA_INT32)),
                   column = graph().fused(s_.scores(CUDNN_DATA_INT32)),
                   is_seen = graph().fused(s_.scores(CUDNN_DATA_BOOLEAN)), out = graph().fused(s_.scores());
    graph().place(2, scores, row);
    graph().place(3, scores, column);
    graph().pointwise(CUDNN_POINTWISE_CMP_GE, row, column, is_seen);
    graph().select(is_seen, scores, graph().scalar(-std::numeric_limits<float>::infinity()), out);
    return out;
  }

  // rowsum(dO O), which cuDNN keeps in memory; the factor takes the place of that of dropout.
  TensorId sums_of_rows(TensorId d_o, TensorId o) {
    const TensorId products = graph().fused(TensorShape::dense(s_.of_tokens(s_.heads).dims)),
                   sums = graph().fused(s_.per_row()), kept = written(s_.per_row());
    graph().pointwise(CUDNN_POINTWISE_MUL, d_o, o, products);
    graph().reduce(CUDNN_REDUCE_TENSOR_ADD, products, sums);
    graph().pointwise(CUDNN_POINTWISE_MUL, sums, graph().scalar(1.0f), kept);
    return kept;
  }

  TensorId shares_again(TensorId q, TensorId k, TensorId statistics) {
    const TensorId less = graph().fused(s_.scores()), shares = graph().fused(s_.scores());
    graph().pointwise(CUDNN_POINTWISE_SUB, scaled_scores(q, k), statistics, less);
    graph().pointwise(CUDNN_POINTWISE_EXP, masked(less), shares);
    return shares;
  }

  TensorId transposed(TensorId scores) {
    TensorShape shape = s_.scores(s_.type).transposed();
    const TensorId out = graph().fused(shape);
    graph().reshape(scores, out);
    return out;
  }

  // One gradient per query head; where heads share keys, those of a group are summed.
  void multiply_into_keys(TensorId scores, TensorId tokens) {
    if (s_.heads == s_.key_heads) {
      graph().multiply_matrices(scores, tokens, written(s_.of_tokens(s_.key_heads)));
      return;
    }
    const TensorId of_each = graph().fused(TensorShape::dense(s_.of_tokens(s_.heads).dims, s_.type));
    graph().multiply_matrices(scores, tokens, of_each);
    graph().reduce(CUDNN_REDUCE_TENSOR_ADD, of_each, written(s_.of_tokens(s_.key_heads)));
  }

  TensorId score_gradient(TensorId d_o, TensorId v, TensorId row_sums, TensorId shares) {
    const TensorId d_shares = graph().fused(s_.scores()), less = graph().fused(s_.scores()),
                   product = graph().fused(s_.scores()), scaled = graph().fused(s_.scores(s_.type));
    graph().multiply_matrices(d_o, v, d_shares);
    graph().pointwise(CUDNN_POINTWISE_SUB, d_shares, row_sums, less);
    graph().pointwise(CUDNN_POINTWISE_MUL, less, shares, product);
    graph().pointwise(CUDNN_POINTWISE_MUL, product, scale_, scaled);
    return scaled;
  }

  Sizes s_;
  bool is_causal_;
  AttentionGraph out_;
  TensorId scale_ = 0;
};

}  // namespace

AttentionGraph attention_graph(const ops::KernelKey& key) {
  return key.kind == ops::KernelKind::attention_forward ? Builder(key).forward() : Builder(key).backward();
}

}  // namespace echo::profilers
