// Bytes per logit, e = those of the weights:
//   split over the vocabulary (megatron/core/tensor_parallel/cross_entropy.py; nanotron's is the same)
//     fused, compiled  e + 4: the logits, and in fp32 what becomes softmax and then gradient in place
//     eager            e + 8: beside them the fp32 logits that were taken apart
//   torch.nn.functional.cross_entropy
//     compiled         2 e: the logits and their gradient; sums of exponentials are formed again
//     eager, fused     e + 12: log-softmax, its gradient and the logits' in fp32 (PyTorch LogSoftMax keeps
//                      its output; nll_loss_backward makes a tensor of its own)
//     eager, split     e + 16: log-softmax, one-hot gradient, its exponential and their sum
//                      (torch/distributed/tensor/parallel/loss.py)
//   in place           e
//   gathered         t (e + 12) + e at tensor degree t: torch's of the whole vocabulary, and the rank's
//                    own part
// Weight gradients that are put off (Megatron-LM core/tensor_parallel/layers.py, grad_output_buffer and
// embedding_activation_buffer) keep the gradients of the logits, e, and the inputs of the output layer.
// A vocabulary is split by the tensor degree. Each layer of multi-token prediction computes logits of its
// own, one after the other, and keeps them until its backward pass.
#include "training/memory/loss_memory.hpp"

#include "training/layout/rank_parameters.hpp"
#include "training/memory/stored_bytes.hpp"

namespace echo::training {

namespace {

double bytes_per_logit(const TrainingConfig& c, const FrameworkSpec& f) {
  const double e = machine::element_bytes(c.precision);
  const ops::KernelStyle style = c.recipe.kernels_loss;
  switch (f.loss) {
    case LossStore::vocab_parallel:
      return style == ops::KernelStyle::eager ? e + 8.0 : e + 4.0;
    case LossStore::torch:
      if (style == ops::KernelStyle::compiled) return 2.0 * e;
      return c.degrees.tensor > 1 ? e + 16.0 : e + 12.0;
    case LossStore::in_place:
      return e;
    case LossStore::gathered:
      return c.degrees.tensor > 1 ? c.degrees.tensor * (e + 12.0) + e : e + 12.0;
  }
  return e;
}

}  // namespace

LossMemory loss_memory(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f) {
  const double e = machine::element_bytes(c.precision), tokens = tokens_per_rank(c);
  const double vocabulary = static_cast<double>(padded_vocabulary(c, m, f)) / c.degrees.tensor;
  const double kept = static_cast<double>(c.recipe.mtp_layers) * tokens * vocabulary * 4.0;
  return {.logits = tokens * vocabulary * bytes_per_logit(c, f) + kept,
          .stream = 2.0 * tokens * e * m.hidden / sequence_shares(c),
          .put_off = deferred_microbatches(c) * tokens * e * (vocabulary + m.hidden / sequence_shares(c))};
}

}  // namespace echo::training
