#include "config/catalog/preset_files.hpp"

#include <toml++/toml.h>

#include "base/named_table.hpp"
#include "config/catalog/cluster_fabric.hpp"
#include "config/catalog/dimension_keys.hpp"
#include "config/toml/did_you_mean.hpp"
#include "training/model_words.hpp"
#include "training/version_number.hpp"

namespace echo::config {
namespace {

std::int32_t count(TableReader& file, std::string_view key, Range range,
                   Presence presence = Presence::require, std::int32_t otherwise = 0) {
  std::int64_t value = otherwise;
  file.integer(key, range, value, presence);
  return static_cast<std::int32_t>(value);
}

Bytes size(TableReader& file, std::string_view key, Range range = positive) {
  double value = 0.0;
  file.quantity(key, UnitKind::bytes, range, value);
  return Bytes(static_cast<std::int64_t>(std::llround(value)));
}

BytesPerSecond bandwidth(TableReader& file, std::string_view key, Presence presence = Presence::require) {
  double value = 0.0;
  file.quantity(key, UnitKind::bytes_per_second, positive, value, presence);
  return BytesPerSecond(value);
}

SimTime duration(TableReader& file, std::string_view key, Presence presence = Presence::require) {
  double value = 0.0;
  file.quantity(key, UnitKind::duration, {0.0, 1e6}, value, presence);
  return from_seconds(value);
}

double power(TableReader& file, std::string_view key, Range range) {
  double value = 0.0;
  file.quantity(key, UnitKind::power, range, value, Presence::optional);
  return value;
}

template <class Enum>
Enum choice(TableReader& file, std::string_view key, const std::vector<std::string>& names) {
  int value = 0;
  file.choice(key, names, value);
  return static_cast<Enum>(value);
}

bool flag(TableReader& file, std::string_view key) {
  bool value = false;
  file.boolean(key, value);
  return value;
}

}  // namespace

void read_head(TableReader& file, std::string& name, std::string& source) {
  int grade = 0;
  file.text("name", name);
  file.text("source", source);
  file.choice("grade", {"vendor", "measured", "assumed"}, grade);
}

// All four, or none: a part that is missing is not 0 W.
static machine::GpuPower read_gpu_power(TableReader& file, const std::string& gpu) {
  const machine::GpuPower read{power(file, "power_cap", positive), power(file, "power_idle", positive),
                               power(file, "power_memory", positive), power(file, "power_link", positive)};
  const auto [cap, idle, memory, link] = read;
  if (read == machine::GpuPower{} ||
      (idle > 0.0 && memory >= idle && link >= idle && cap >= memory && cap >= link))
    return read;
  file.problems().error(file.place(), "the power of gpu \"" + gpu + "\" is incomplete or out of order",
                        "give power_idle, power_memory, power_link and power_cap; idle is the least, the cap "
                        "the greatest of them");
  return {};
}

static machine::NodePower read_node_power(TableReader& file, const std::string& cluster) {
  machine::NodePower read{power(file, "host_power_per_node", positive),
                          power(file, "fan_power_per_node", not_negative)};
  file.real("power_supply_efficiency", {0.5, 1.0}, read.supply_efficiency, Presence::optional);
  const bool has_host = read.host > 0.0, has_supply = read.supply_efficiency > 0.0;
  const bool has_fans = file.node("fan_power_per_node", Presence::optional) != nullptr;
  if (has_host == has_supply && has_host == has_fans) return read;
  file.problems().error(file.place(), "the power of the nodes of cluster \"" + cluster + "\" is incomplete",
                        "give host_power_per_node, fan_power_per_node (\"0 W\" where liquid cools them) and "
                        "power_supply_efficiency");
  return {};
}

machine::GpuSpec read_gpu(TableReader& file) {
  machine::GpuSpec gpu;
  read_head(file, gpu.name, gpu.source);
  gpu.memory = size(file, "memory");
  gpu.l2 = size(file, "l2");
  gpu.memory_bandwidth = bandwidth(file, "memory_bandwidth");
  gpu.nvlink = bandwidth(file, "nvlink_one_way");
  gpu.host_link = bandwidth(file, "host_link_one_way", Presence::optional);
  gpu.sm_count = count(file, "sm_count", {1, 4096});
  gpu.compute_capability = count(file, "compute_capability", {70, 200});
  gpu.context = size(file, "context", not_negative);
  file.text("kernels", gpu.kernels);
  file.real("kernels_error", {0.0, 1.0}, gpu.kernels_error, Presence::optional);
  gpu.power = read_gpu_power(file, gpu.name);
  if (const toml::table* peaks = file.table("peak_dense")) {
    TableReader reader(*peaks, place_of(*peaks), "peak_dense of gpu \"" + gpu.name + "\"", file.problems());
    for (std::size_t p = 0; p < gpu.peak.size(); ++p) {
      double value = 0.0;
      reader.quantity(machine::precision_names[p], UnitKind::flops_per_second, positive, value,
                      Presence::optional);
      gpu.peak[p] = FlopsPerSecond(value);
    }
    reader.finish();
    if (gpu.peak_of(machine::Precision::bf16).value <= 0.0 &&
        gpu.peak_of(machine::Precision::fp16).value <= 0.0) {
      file.problems().error(place_of(*peaks), "gpu \"" + gpu.name + "\" has no 16-bit peak",
                            "add bf16 or fp16");
    }
  }
  file.finish();
  return gpu;
}

// Keys of a mixture of experts; all absent from a dense model's file.
static void read_experts(TableReader& file, training::ModelSpec& model) {
  model.experts = count(file, "experts", {0, 65536}, Presence::optional);
  model.experts_per_token = count(file, "experts_per_token", {0, 65536}, Presence::optional);
  model.expert_ffn_hidden = count(file, "expert_ffn_hidden", {0, 1e9}, Presence::optional);
  model.shared_expert_hidden = count(file, "shared_expert_hidden", {0, 1e9}, Presence::optional);
  model.first_dense_layers = count(file, "first_dense_layers", {0, 65536}, Presence::optional);
  model.moe_interval = count(file, "moe_interval", at_least_one, Presence::optional, 1);
  if (model.experts_per_token > model.experts) {
    file.problems().error(file.place(), "experts_per_token exceeds experts in model \"" + model.name + "\"",
                          "lower experts_per_token to experts or less");
  }
  if (model.experts > 0 && (model.experts_per_token == 0 || model.expert_ffn_hidden == 0)) {
    file.problems().error(file.place(), "the experts of model \"" + model.name + "\" are not described",
                          "give experts_per_token and expert_ffn_hidden");
  }
  model.routing_groups = count(file, "routing_groups", {0, 65536}, Presence::optional);
  model.groups_per_token = count(file, "groups_per_token", {0, 65536}, Presence::optional);
  const std::int32_t groups = model.routing_groups, chosen = model.groups_per_token;
  const bool in_groups = groups > 0 && chosen > 0 && chosen <= groups && model.experts % groups == 0;
  if ((groups > 0 || chosen > 0) && !in_groups) {
    file.problems().error(file.place(), "the routing groups of model \"" + model.name + "\" do not fit",
                          "routing_groups divides experts, and groups_per_token is 1 to routing_groups");
  }
}

static training::LatentAttention read_latent_attention(TableReader& file, const std::string& model) {
  const toml::table* table = file.table("latent_attention", Presence::optional);
  if (table == nullptr) return {};
  TableReader reader(*table, place_of(*table), "latent_attention of model \"" + model + "\"",
                     file.problems());
  training::LatentAttention latent;
  latent.query_rank = count(reader, "query_rank", {0, 1e9});
  latent.key_value_rank = count(reader, "key_value_rank", at_least_one);
  latent.nope_dim = count(reader, "nope_dim", at_least_one);
  latent.rope_dim = count(reader, "rope_dim", at_least_one);
  latent.value_dim = count(reader, "value_dim", at_least_one);
  reader.finish();
  return latent;
}

// Keys of models with layers that see only near tokens; all absent where every layer sees all.
static training::LocalAttention read_local_attention(TableReader& file, const std::string& model) {
  training::LocalAttention local;
  const std::int32_t window = count(file, "window", {0, 1e9}, Presence::optional);
  const std::int32_t chunk = count(file, "attention_chunk", {0, 1e9}, Presence::optional);
  local.span = std::max(window, chunk);
  local.chunked = chunk > 0;
  local.full_interval = count(file, "full_attention_interval", {0, 65536}, Presence::optional);
  file.boolean("full_attention_positions", local.full_has_positions, Presence::optional);
  if (window > 0 && chunk > 0) {
    file.problems().error(file.place(), "model \"" + model + "\" has both window and attention_chunk",
                          "attention is limited either by a window or by chunks: give one");
  }
  if (local.span == 0 && (local.full_interval > 0 || !local.full_has_positions)) {
    file.problems().error(file.place(), "every layer of model \"" + model + "\" attends to all tokens",
                          "give window or attention_chunk, or remove full_attention_interval and "
                          "full_attention_positions");
  }
  return local;
}

static training::Mamba read_mamba(TableReader& file, const std::string& model) {
  const toml::table* table = file.table("mamba", Presence::optional);
  if (table == nullptr) return {};
  TableReader reader(*table, place_of(*table), "mamba of model \"" + model + "\"", file.problems());
  training::Mamba mamba;
  mamba.heads = count(reader, "heads", at_least_one);
  mamba.head_dim = count(reader, "head_dim", at_least_one);
  mamba.groups = count(reader, "groups", at_least_one);
  mamba.state = count(reader, "state", at_least_one);
  mamba.convolution = count(reader, "convolution", at_least_one, Presence::optional, mamba.convolution);
  mamba.chunk = count(reader, "chunk", at_least_one, Presence::optional, mamba.chunk);
  if (mamba.groups > 0 && mamba.heads % mamba.groups != 0) {
    file.problems().error(place_of(*table),
                          "groups does not divide heads in mamba of model \"" + model + "\"",
                          "each group must serve an integer number of heads");
  }
  reader.finish();
  return mamba;
}

// One letter per layer: M Mamba, * attention, - feed-forward net, E mixture of experts.
static void read_layer_pattern(TableReader& file, training::ModelSpec& model) {
  file.text("layer_pattern", model.layer_pattern, Presence::optional);
  const std::string& pattern = model.layer_pattern;
  const auto has = [&](char letter) { return pattern.find(letter) != std::string::npos; };
  const std::string in_model = " in model \"" + model.name + "\"";
  const auto wrong = [&](const std::string& what, const std::string& remedy) {
    file.problems().error(file.place(), what + in_model, remedy);
  };
  if (pattern.empty()) {
    if (model.mamba.heads > 0) wrong("no layer is a Mamba layer", "give layer_pattern, with an M for each");
    return;
  }
  const std::size_t odd = pattern.find_first_not_of("M*-E");
  if (odd != std::string::npos) {
    wrong("layer_pattern has the letter '" + pattern.substr(odd, 1) + "'",
          "use M (Mamba), * (attention), - (feed-forward net) and E (mixture of experts)");
  }
  if (static_cast<std::int64_t>(pattern.size()) != model.layers) {
    wrong("layer_pattern has " + std::to_string(pattern.size()) + " letters for " +
              std::to_string(model.layers) + " layers",
          "give one letter per layer");
  }
  if (has('M') != (model.mamba.heads > 0))
    wrong("Mamba layers and [mamba] must be given together", "give both or none");
  if (has('E') != (model.experts > 0))
    wrong("E layers and experts must be given together", "give both or none");
  if (model.local.span > 0 || model.first_dense_layers > 0 || model.moe_interval > 1) {
    wrong("layer_pattern already defines the kind of each layer",
          "remove window, attention_chunk, first_dense_layers and moe_interval");
  }
}

// Parts that few families have.
static void read_rare_parts(TableReader& file, training::ModelSpec& model) {
  constexpr std::array<std::pair<const char*, bool training::ModelSpec::*>, 12> parts{
      {{"post_norms", &training::ModelSpec::post_norms},
       {"attention_sinks", &training::ModelSpec::attention_sinks},
       {"scaled_positions", &training::ModelSpec::scaled_positions},
       {"clamped_activation", &training::ModelSpec::clamped_activation},
       {"query_key_norm", &training::ModelSpec::query_key_norm},
       {"whole_query_key_norm", &training::ModelSpec::whole_query_key_norm},
       {"norm_weights", &training::ModelSpec::norm_weights},
       {"single_norm", &training::ModelSpec::single_norm},
       {"embedding_norm", &training::ModelSpec::embedding_norm},
       {"qkv_bias", &training::ModelSpec::qkv_bias},
       {"head_bias", &training::ModelSpec::head_bias},
       {"shared_expert_gate", &training::ModelSpec::shared_expert_gate}}};
  for (const auto& [key, field] : parts) file.boolean(key, model.*field, Presence::optional);
  model.position_offset = count(file, "position_offset", {0, 65536}, Presence::optional);
}

// Where they contradict others.
static void check_rare_parts(TableReader& file, const training::ModelSpec& model) {
  const auto wrong = [&](const std::string& what, const std::string& remedy) {
    file.problems().error(file.place(), what + " in model \"" + model.name + "\"", remedy);
  };
  if (model.single_norm && (model.post_norms || model.has_experts() || !model.layer_pattern.empty())) {
    wrong("single_norm is not simulated with post_norms, experts or layer_pattern",
          "remove single_norm or the others");
  }
  if (model.position_offset > 0 && model.positions != training::Positions::learned)
    wrong("position_offset without a table of positions", "remove it, or set positions = \"learned\"");
  if (model.qkv_bias && model.linear_bias) wrong("linear_bias includes qkv_bias", "remove one of them");
  if (model.query_key_norm && model.whole_query_key_norm)
    wrong("both query_key_norm and whole_query_key_norm",
          "give one: a norm of each head, or one of all heads");
  if (model.shared_expert_gate && model.shared_expert_hidden == 0)
    wrong("shared_expert_gate without shared experts", "give shared_expert_hidden, or remove the gate");
}

training::ModelSpec read_model(TableReader& file) {
  training::ModelSpec model;
  read_head(file, model.name, model.source);
  model.layers = count(file, "layers", at_least_one);
  model.hidden = count(file, "hidden", at_least_one);
  model.heads = count(file, "heads", at_least_one);
  model.kv_heads = count(file, "kv_heads", at_least_one, Presence::optional, model.heads);
  const std::int32_t even = model.heads > 0 ? model.hidden / model.heads : 0;
  model.head_dim = count(file, "head_dim", at_least_one, Presence::optional, even);
  model.ffn_hidden = count(file, "ffn_hidden", at_least_one, Presence::optional, 4 * model.hidden);
  model.vocab = count(file, "vocab", at_least_one);
  model.max_positions = count(file, "max_positions", at_least_one);
  read_experts(file, model);
  model.latent = read_latent_attention(file, model.name);
  model.local = read_local_attention(file, model.name);
  model.mamba = read_mamba(file, model.name);
  read_layer_pattern(file, model);
  read_rare_parts(file, model);
  model.gated_ffn = flag(file, "gated_ffn");
  model.tied_embeddings = flag(file, "tied_embeddings");
  model.linear_bias = flag(file, "linear_bias");
  model.norm =
      choice<training::Norm>(file, "norm", {training::norm_words.begin(), training::norm_words.end()});
  model.positions = choice<training::Positions>(
      file, "positions", {training::position_words.begin(), training::position_words.end()});
  check_rare_parts(file, model);
  if (model.kv_heads > 0 && model.heads % model.kv_heads != 0) {
    file.problems().error(file.place(), "kv_heads does not divide heads in model \"" + model.name + "\"",
                          "each key-value head must serve an integer number of query heads");
  }
  file.finish();
  return model;
}

std::optional<std::int32_t> nccl_version_of(const std::string& text) {
  return training::version_number(text);
}

ClusterFile read_cluster(TableReader& file) {
  ClusterFile read;
  machine::ClusterSpec& cluster = read.spec;
  read_head(file, cluster.name, cluster.source);
  read.gpu_place = read.network_place = file.place();
  if (const toml::node* node = file.node("gpu", Presence::require)) read.gpu_place = place_of(*node);
  file.text("gpu", read.gpu);
  cluster.gpus_per_node = count(file, "gpus_per_node", {1, 1024});
  cluster.nodes = count(file, "nodes", {0, 1e7});
  cluster.scale_up_domain = count(file, "scale_up_domain", {1, 65536});
  cluster.cpu = choice<machine::CpuVendor>(file, "cpu", {"intel", "amd", "arm"});
  file.real("host_time_factor", {0.1, 10.0}, cluster.host_time_factor, Presence::optional);
  cluster.host_memory = bandwidth(file, "host_memory_bandwidth", Presence::optional);
  double host_capacity = 0.0;
  file.quantity("host_memory_capacity", UnitKind::bytes, {1.0, 1e18}, host_capacity, Presence::optional);
  cluster.host_capacity = Bytes(std::llround(host_capacity));
  read_tier_names(file, read.tiers);
  cluster.power = read_node_power(file, cluster.name);
  cluster.scale_up = {bandwidth(file, "scale_up_per_gpu_one_way"), duration(file, "scale_up_latency")};
  cluster.scale_out.bandwidth = bandwidth(file, "scale_out_per_nic_one_way");
  cluster.nics_per_node = count(file, "nics_per_node", {1, 1024});
  if (const toml::node* node = file.node("network", Presence::require)) read.network_place = place_of(*node);
  file.text("network", cluster.network);
  read_fabric_keys(file, read);
  std::string version;
  file.text("nccl_version", version);
  if (const auto number = nccl_version_of(version)) {
    cluster.nccl_version = *number;
  } else if (!version.empty()) {
    file.problems().error(place_of(*file.node("nccl_version", Presence::require)),
                          "\"" + version + "\" is not an NCCL version", "write it as \"2.21.5\"");
  }
  file.boolean("sharp", cluster.sharp, Presence::optional);
  file.boolean("launch_blocking", cluster.launch_blocking, Presence::optional);
  int library = 0;
  file.choice("comm_library", {"nccl", "rccl"}, library, Presence::optional);
  cluster.rccl = library == 1;
  read_dimension_keys(file, read);
  file.finish();
  return read;
}

}  // namespace echo::config
