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

// Everything a block depends on, collected once per config.
struct BlockContext {
  const training::TrainingConfig& config;
  const training::ModelSpec& model;
  const training::FrameworkSpec& framework;
  const training::RankLayout& layout;
  std::int64_t vocabulary = 0;           // padded, whole table
  bool splits_backward = false;          // weight gradients are a separate pass (zero-bubble schedules)
  std::int32_t compute_capability = 90;  // of the GPU: determines the copies its narrow products need
  training::ExpertLoad load;             // of the simulated rank: the busiest
  bool adds_gradients = true;  // to those of earlier microbatches, by a kernel unless a product does

  [[nodiscard]] bool is_frozen() const { return config.recipe.lora_rank > 0; }  // except its adapters
};

// Callback when the gradient of a weight of `parameters` entries (per GPU rank) is complete, with the op that
// completes it; used by data-parallel buckets. A null function is not called.
struct GradientReady {
  void (*call)(void* self, Builder&, training::WeightKind, std::int64_t parameters, OpId done) = nullptr;
  void* self = nullptr;
  void operator()(Builder& b, training::WeightKind kind, std::int64_t parameters, OpId done) const {
    if (call != nullptr) call(self, b, kind, parameters, done);
  }
};

// All of a layer's forward, or only the part needed by backward.
enum class Extent : bool { whole, needed };

// Each appends ops to the open block. `start_after`: op the first kernel waits for (a parameter gather), or
// -1.
void layer_forward(Builder&, const BlockContext&, training::LayerKind, TimeCategory part,
                   OpId start_after = OpId::none(), Extent extent = Extent::whole);
// Recomputes what `recompute` (the config's, or none) dropped; see recompute.hpp.
void layer_backward(Builder&, const BlockContext&, training::LayerKind, training::Recompute recompute,
                    const GradientReady& ready = {}, OpId start_after = OpId::none());
// The separate pass of a split backward: weight gradients of a layer, and of the output layer.
void layer_weight_gradients(Builder&, const BlockContext&, training::LayerKind);
void head_weight_gradients(Builder&, const BlockContext&);
void embedding_forward(Builder&, const BlockContext&, OpId start_after = OpId::none());
void embedding_backward(Builder&, const BlockContext&, const GradientReady& ready = {});
void head_forward(Builder&, const BlockContext&,
                  OpId start_after = OpId::none());  // final norm, logits, loss
void head_backward(Builder&, const BlockContext&, const GradientReady& ready = {});

}  // namespace echo::workload
