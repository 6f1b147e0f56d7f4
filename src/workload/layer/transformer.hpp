// Blocks of a decoder transformer as Megatron-LM runs it under tensor, sequence and expert parallelism.
#pragma once

#include <cstdint>

#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/layout/expert_load.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/layout/rank_parameters.hpp"
#include "training/model.hpp"
#include "workload/builder.hpp"

namespace echo::workload {

// Everything a block needs to know, gathered once per config.
struct BlockContext {
  const training::TrainingConfig& config;
  const training::ModelSpec& model;
  const training::FrameworkSpec& framework;
  const training::RankLayout& layout;
  std::int64_t vocabulary = 0;           // padded, whole table
  bool splits_backward = false;          // weight gradients are a pass of their own (zero-bubble schedules)
  std::int32_t compute_capability = 90;  // of the GPU: which copies its narrow products take
  training::ExpertLoad load;             // of the rank that is simulated: the busiest
  bool adds_gradients = true;  // to those of earlier microbatches, by a kernel where no product does it

  [[nodiscard]] bool is_frozen() const { return config.recipe.lora_rank > 0; }  // but for its adapters
};

// Called as soon as the gradient of a weight of `parameters` entries (per gpu rank) is complete, with the op
// that completes it: where data-parallel buckets hook in. Null function = nothing.
struct GradientReady {
  void (*call)(void* self, Builder&, training::WeightKind, std::int64_t parameters, OpIndex done) = nullptr;
  void* self = nullptr;
  void operator()(Builder& b, training::WeightKind kind, std::int64_t parameters, OpIndex done) const {
    if (call != nullptr) call(self, b, kind, parameters, done);
  }
};

// The whole of a layer's forward, or as far as backward needs it.
enum class Extent : bool { whole, needed };

// Each appends ops to the open block. `start_after`: op the first kernel waits for (a parameter gather), or
// -1.
void layer_forward(Builder&, const BlockContext&, training::LayerKind, TimeCategory part,
                   OpIndex start_after = -1, Extent extent = Extent::whole);
// What `recompute` (the config's, or none) drops of the layer is computed again, by recompute.hpp.
void layer_backward(Builder&, const BlockContext&, training::LayerKind, training::Recompute recompute,
                    const GradientReady& ready = {}, OpIndex start_after = -1);
// The pass left over where backward is split: weight gradients of a layer, and of the output layer.
void layer_weight_gradients(Builder&, const BlockContext&, training::LayerKind);
void head_weight_gradients(Builder&, const BlockContext&);
void embedding_forward(Builder&, const BlockContext&, OpIndex start_after = -1);
void embedding_backward(Builder&, const BlockContext&, const GradientReady& ready = {});
void head_forward(Builder&, const BlockContext&, OpIndex start_after = -1);  // final norm, logits, loss
void head_backward(Builder&, const BlockContext&, const GradientReady& ready = {});

}  // namespace echo::workload
