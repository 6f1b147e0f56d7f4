// What one layer keeps of one microbatch for the backward pass on one gpu rank, by module.
#pragma once

#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"

namespace echo::training {

// Bytes.
struct LayerActivations {
  double entry = 0;                      // the layer's input: all that full recomputation keeps
  double middle = 0;                     // input of the second norm
  double norms = 0;                      // outputs of both norms: inputs of the products behind them
  double masks = 0;                      // of dropout
  double latents = 0;                    // of latent attention
  double heads = 0;                      // queries, keys and values
  double mixed = 0;                      // output of core attention
  double scores = 0;                     // inside core attention
  double net_in = 0, net_out = 0;        // of the feed-forward net's activation function
  double router = 0, dispatched = 0;     // scores; copies of tokens as experts take them
  double expert_in = 0, expert_out = 0;  // of the experts' activation function
  double shared_in = 0, shared_out = 0;  // of the shared experts'
  double working = 0;                    // gradients alive at once while this layer's backward pass runs
  double per_op = 0;                     // what per-op checkpointing keeps

  [[nodiscard]] double whole() const {
    return entry + middle + norms + masks + latents + heads + mixed + scores + net_in + net_out + router +
           dispatched + expert_in + expert_out + shared_in + shared_out;
  }
};

[[nodiscard]] LayerActivations layer_activations(const TrainingConfig&, const ModelSpec&,
                                                 const FrameworkSpec&, LayerKind);

// What of it stays until the backward pass, for a layer that is recomputed as the config says.
[[nodiscard]] double kept_layer_bytes(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&,
                                      LayerKind);

// Of whole(), what the modules of selective recomputation drop.
[[nodiscard]] double dropped_by_modules(const Recipe&, const LayerActivations&);

}  // namespace echo::training
