// What a training config is, as names and texts that tables of settings speak of.
#pragma once

#include <map>
#include <string>

#include "simulate/catalog.hpp"
#include "training/config.hpp"

namespace echo::launch_flags {

// Names of axes, with values as a sweep writes them (a layer split as "5-7"); model.FIELD of the model's
// shape; and what follows from them:
//   nodes, gpus_per_node        of the job
//   accumulation                microbatches of a replica in a step
//   replica_batch               sequences of a replica in a step
//   local_batch                 sequences of a replica: of a microbatch without a pipeline, else of a step
//   pipeline_micro_batch        sequences of a microbatch in a pipeline
//   dp_shard, dp_replicate      ranks that share the weights (1: none do), and copies of those
//   optimizer_instances         the same copies, counted over context-parallel ranks too
//   layers_per_chunk            layers of each model chunk, the last one perhaps with fewer; embedding and
//   loss count
//                               where they are layers
//   first_layers, last_layers   of the first and the last stage; only read
//   pipeline_layout             of an explicit split: chunks as Megatron-LM writes them, "Et*5|t*7L"
//   cp_hierarchy                inner and outer ranks of cp_comm = a2a+p2p: "4+2"
//   moe_layers                  1, or a list as Megatron-LM writes it, "([0]*3+[1]*58)"
//   hardware_queues             1: CUDA_DEVICE_MAX_CONNECTIONS has to be 1; any: it may be another
//   window_left                 earlier tokens that a local layer sees
//   qk_layernorm                norms of queries and keys, those of latent attention among them
using Facts = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] Facts facts_of(const training::TrainingConfig&, const simulate::Catalog&);

// The fields of a model's shape by name, without "model.". A dense model has no facts of experts; the same
// holds for latent attention, Mamba and windows.
[[nodiscard]] Facts model_facts(const training::ModelSpec&);

// The model that facts named model.FIELD describe; `unknown` are the names of fields that neither they nor
// the defaults of Megatron-LM determine. A text that is no value of its field counts as unknown.
struct DescribedModel {
  training::ModelSpec spec;
  std::vector<std::string> unknown;
};
[[nodiscard]] DescribedModel model_of(const Facts&);

// "1" or "([0]*3+[1]*58)" of a model's layers with experts, and back: first dense layers and interval.
// Nothing where the list is of another form.
[[nodiscard]] std::string moe_layers_text(const training::ModelSpec&);
[[nodiscard]] bool read_moe_layers(const std::string& text, training::ModelSpec&);

}  // namespace echo::launch_flags
