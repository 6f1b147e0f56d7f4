#include "launch_flags/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/at.hpp"
#include "sweep/axis.hpp"
#include "sweep/choice/value_text.hpp"

namespace echo::launch_flags {

namespace {

using training::TrainingConfig;

// "Et*5|t*5|t*5|t*5L": one part for each chunk, in the order of the layers.
std::string pipeline_layout(const std::vector<std::int32_t>& layers) {
  std::string text;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    text += i == 0 ? "E" : "|";
    if (layers[i] > 0) text += fmt::format("t*{}", layers[i]);
  }
  return text + "L";
}

void add_batch(const TrainingConfig& c, Facts& facts) {
  const std::int64_t replica = c.batch.global_samples / c.degrees.data;
  if (std::int64_t{c.batch.global_samples} % c.degrees.data != 0) return;
  facts["replica_batch"] = std::to_string(replica);
  if (replica % c.batch.micro_samples == 0)
    facts["accumulation"] = std::to_string(replica / c.batch.micro_samples);
  const bool has_stages = c.degrees.pipeline > 1;
  facts["local_batch"] = std::to_string(has_stages ? replica : c.batch.micro_samples);
  if (has_stages) facts["pipeline_micro_batch"] = std::to_string(c.batch.micro_samples);
}

void add_shards(const TrainingConfig& c, Facts& facts) {
  const std::int32_t copies = c.degrees.data * c.degrees.context;
  const std::int32_t group = c.zero_group > 0 ? c.zero_group : copies;
  if (copies % group != 0) return;
  facts["optimizer_instances"] = std::to_string(copies / group);
  if (c.zero == training::ZeroStage::none) {
    facts["dp_replicate"] = std::to_string(c.degrees.data);
    facts["dp_shard"] = "1";
    return;
  }
  if (c.degrees.data % (copies / group) != 0) return;
  facts["dp_replicate"] = std::to_string(copies / group);
  facts["dp_shard"] = std::to_string(c.degrees.data / (copies / group));
}

void add_machine(const TrainingConfig& c, const simulate::Catalog& catalog, Facts& facts) {
  const std::int32_t gpus = training::gpus_of(c.degrees);
  const std::int32_t in_node = std::max(1, catalog.cluster(c.cluster).gpus_per_node);
  const bool is_whole = gpus % in_node == 0;
  facts["gpus_per_node"] = std::to_string(is_whole || gpus > in_node ? in_node : gpus);
  facts["nodes"] = std::to_string((gpus + in_node - 1) / in_node);
}

void add_model(const training::ModelSpec& model, Facts& facts) {
  for (const auto& [name, value] : model_facts(model)) facts["model." + name] = value;
  if (model.has_experts() && model.layer_pattern.empty()) facts["moe_layers"] = moe_layers_text(model);
  if (model.local.span > 0 && !model.local.chunked)
    facts["window_left"] = std::to_string(model.local.span - 1);
  facts["qk_layernorm"] = model.query_key_norm || model.has_latent_attention() ? "true" : "false";
}

// Source: Megatron-LM megatron/training/arguments.py, validate_args: with tensor or context parallelism it
// refuses to start without one hardware queue, before Blackwell; its FSDP refuses to start with one.
void add_queues(const TrainingConfig& c, const simulate::Catalog& catalog, Facts& facts) {
  constexpr std::int32_t blackwell = 100;
  const bool splits = c.degrees.tensor > 1 || c.degrees.context > 1;
  const bool needs_one = splits && c.zero < training::ZeroStage::gradients && facts["overlap_ep"] != "true" &&
                         catalog.gpu(c).compute_capability < blackwell;
  facts["hardware_queues"] = needs_one ? "1" : "any";
}

}  // namespace

Facts facts_of(const TrainingConfig& c, const simulate::Catalog& catalog) {
  Facts facts;
  for (const sweep::AxisInfo& info : sweep::axis_table)
    facts[std::string(info.name)] =
        sweep::value_text(info.axis, sweep::value_in(c, info.axis, catalog), catalog);
  add_batch(c, facts);
  add_shards(c, facts);
  add_machine(c, catalog, facts);
  const training::ModelSpec& model = catalog.model(c.model);
  const std::int32_t chunks = training::chunks_of(c);
  const std::int32_t layers =
      model.layers + (c.layers.embedding_is_layer ? 1 : 0) + (c.layers.loss_is_layer ? 1 : 0);
  const std::int32_t of_chunk = (layers + chunks - 1) / chunks;
  if (c.layers.explicit_layers.is_none() && (layers + of_chunk - 1) / of_chunk == chunks)
    facts["layers_per_chunk"] = std::to_string(of_chunk);
  if (!c.layers.explicit_layers.is_none())
    facts["pipeline_layout"] = pipeline_layout(catalog.layer_tables.at(at(c.layers.explicit_layers.index())));
  if (c.recipe.cp_inner > 0 && c.degrees.context % c.recipe.cp_inner == 0)
    facts["cp_hierarchy"] = fmt::format("{}+{}", c.recipe.cp_inner, c.degrees.context / c.recipe.cp_inner);
  add_model(model, facts);
  add_queues(c, catalog, facts);
  // No kernel reads a table of positions: frameworks ask for one as long as the sequences.
  if (model.positions != training::Positions::learned)
    facts["model.max_positions"] = std::to_string(std::max(model.max_positions, c.batch.sequence_tokens));
  if (!model.has_experts() && facts["comm_kernels"] == "none")
    for (const char* idle : {"etp", "dispatch"}) facts.erase(idle);
  return facts;
}

}  // namespace echo::launch_flags
