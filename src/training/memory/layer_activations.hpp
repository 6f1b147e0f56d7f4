// Activations that one layer keeps per microbatch for the backward pass on one GPU rank, per module.
#pragma once

#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"

namespace echo::training {

// Bytes.
struct LayerActivations {
  double entry = 0;                      // the layer's input: the only tensor kept by full recomputation
  double middle = 0;                     // input of the second norm
  double norms = 0;                      // outputs of both norms: inputs of the products after them
  double masks = 0;                      // of dropout
  double latents = 0;                    // of latent attention
  double heads = 0;                      // queries, keys and values
  double mixed = 0;                      // output of core attention
  double scores = 0;                     // inside core attention
  double net_in = 0, net_out = 0;        // of the feed-forward net's activation function
  double router = 0, dispatched = 0;     // scores; copies of tokens sent to experts
  double expert_in = 0, expert_out = 0;  // of the experts' activation function
  double shared_in = 0, shared_out = 0;  // of the shared experts'
  double working = 0;                    // gradients alive at once while this layer's backward pass runs
  double per_op = 0;                     // kept by per-op checkpointing

  [[nodiscard]] double whole() const {
    return entry + middle + norms + masks + latents + heads + mixed + scores + net_in + net_out + router +
           dispatched + expert_in + expert_out + shared_in + shared_out;
  }
};

[[nodiscard]] LayerActivations layer_activations(const TrainingConfig&, const ModelSpec&,
                                                 const FrameworkSpec&, LayerKind);

// The part kept until the backward pass under the config's recomputation.
[[nodiscard]] double kept_layer_bytes(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                      LayerKind);

// The part of whole() dropped by the modules of selective recomputation.
[[nodiscard]] double dropped_by_modules(const Recipe&, const LayerActivations&);

}  // namespace echo::training
