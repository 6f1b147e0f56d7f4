// echo-sweep collective KIND: predicts the output of nccl-tests on a cluster of the catalog, or on a machine
// given by its dimensions.

#include <initializer_list>
#include <memory>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/named_table.hpp"
#include "cli/collective/collective_options.hpp"
#include "cli/collective/collective_table.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/catalog/preset_files.hpp"
#include "config/toml/did_you_mean.hpp"
#include "machine_files/program_file.hpp"

namespace echo::cli::commands {

namespace {

struct CollectiveOptions {
  std::string kind, cluster, bytes = "8:8G", dimensions;
  std::vector<std::string> compare, preset_paths;
  std::int64_t gpus = 0, gpus_per_node = 0;
  std::string nccl_version, algorithm, protocol, min_channels, max_channels;  // empty: not given
  std::string algorithm_file, algorithm_bytes;
  std::string collectives, chunks, order, queue;  // collectives empty: as the machine has them
  std::string contention, congestion_control, routing, oversubscription;
  bool json = false;
};

machine::ClusterId cluster_named(const config::CatalogInputs& known, const std::string& name) {
  const std::int32_t row = find_named(known.catalog.clusters, name);
  if (row >= 0) return machine::ClusterId(row);
  std::vector<std::string> names;
  for (const auto& cluster : known.catalog.clusters) names.push_back(cluster.name);
  throw UserError("unknown cluster \"" + name + "\"", config::suggest(name, names, "clusters"));
}

using GivenOptions = std::initializer_list<std::pair<const std::string&, const char*>>;

// Options that belong to another kind of collectives than the one asked for.
void refuse_given(const GivenOptions& options, const std::string& kind, const char* fix) {
  for (const auto& [value, option] : options)
    if (!value.empty())
      throw UserError(std::string(option) + " applies to " + kind + " collectives only", fix);
}

// --algo names an NCCL or a textbook algorithm, depending on --collectives; options that belong to one of the
// two are refused with the other.
training::TrainingConfig config_of(const CollectiveOptions& options) {
  training::TrainingConfig config;
  using training::Axis;
  set_axis(config, Axis::collectives, options.collectives.empty() ? "nccl-whitebox" : options.collectives,
           "--collectives");
  const bool generic = config.recipe.collectives == ops::CollectiveModel::generic;
  const auto set = [&](Axis axis, const std::string& value, const char* option) {
    if (!value.empty()) set_axis(config, axis, value, option);
  };
  set(generic ? Axis::generic_algorithm : Axis::nccl_algo, options.algorithm, "--algo");
  if (!generic)
    refuse_given({{options.chunks, "--chunks"},
                  {options.order, "--order"},
                  {options.queue, "--queue"},
                  {options.dimensions, "--dimensions"}},
                 "generic", "add --collectives generic");
  set(Axis::generic_chunks, options.chunks, "--chunks");
  set(Axis::generic_order, options.order, "--order");
  set(Axis::generic_queue, options.queue, "--queue");
  if (generic)
    refuse_given({{options.protocol, "--proto"},
                  {options.nccl_version, "--nccl-version"},
                  {options.min_channels, "--min-channels"},
                  {options.max_channels, "--max-channels"}},
                 "NCCL", "remove it, or remove --collectives generic");
  set(Axis::nccl_proto, options.protocol, "--proto");
  set(Axis::nccl_min_nchannels, options.min_channels, "--min-channels");
  set(Axis::nccl_max_nchannels, options.max_channels, "--max-channels");
  set(Axis::congestion_control, options.congestion_control, "--congestion-control");
  set(Axis::routing, options.routing, "--routing");
  set(Axis::oversubscription, options.oversubscription, "--oversubscription");
  if (options.nccl_version.empty()) return config;
  const auto version = config::nccl_version_of(options.nccl_version);
  if (!version)
    throw UserError("\"" + options.nccl_version + "\" is not an NCCL version", "write it as 2.21.5");
  config.nccl_version = *version;
  return config;
}

// How the links between nodes are priced: by the closed form, by flows, or by packets.
void take_fabric_of(const CollectiveOptions& options, const training::TrainingConfig& config,
                    config::CatalogInputs& known) {
  const bool has_library =
      config.recipe.collectives == ops::CollectiveModel::nccl_whitebox && options.algorithm_file.empty();
  if (!has_library)
    refuse_given({{options.contention, "--contention"},
                  {options.congestion_control, "--congestion-control"},
                  {options.routing, "--routing"},
                  {options.oversubscription, "--oversubscription"}},
                 "NCCL", "remove it, or the other options");
  if (!options.contention.empty()) known.calibration.contention = contention_named(options.contention);
  if (!options.congestion_control.empty() && known.calibration.contention != simulate::Contention::packet)
    throw UserError("--congestion-control has no effect without packets", "add --contention packet");
}

// A machine given by its dimensions has no library. Whether the cluster is one.
bool take_collectives_of(const config::CatalogInputs& known, CollectiveOptions& options) {
  if (options.cluster.empty()) return false;
  const machine::ClusterSpec& cluster = known.catalog.cluster(cluster_named(known, options.cluster));
  if (!cluster.dimensions.is_given()) return false;
  if (options.collectives.empty()) options.collectives = "generic";
  if (options.collectives != "generic")
    throw UserError("cluster \"" + options.cluster + "\" is given by its dimensions and has no library",
                    "remove --collectives " + options.collectives);
  return true;
}

// Algorithms laid flat over all ranks have no chunks; a tree chooses its pieces by the size.
void require_chunks(const CollectiveOptions& options, const training::TrainingConfig& config,
                    bool given_by_dimensions) {
  using enum ops::GenericAlgorithm;
  const ops::GenericAlgorithm algorithm = config.recipe.generic_algorithm;
  if (options.chunks.empty() || given_by_dimensions || algorithm == best || algorithm == hierarchical) return;
  throw UserError("--chunks applies to hierarchical collectives, not to " + std::string(name_of(algorithm)),
                  "remove it, or write --algo hierarchical");
}

// The algorithm that is written in a file, with the size of the call that it is written for.
machine::CollectiveProgram program_in(const CollectiveOptions& options) {
  const auto collective = machine_files::collective_of(options.kind);
  if (!collective)
    throw UserError("--algorithm-file does no " + options.kind,
                    "use all_reduce, all_gather, reduce_scatter or all_to_all");
  Problems problems;
  machine::CollectiveProgram program =
      machine_files::read_program(options.algorithm_file, *collective, problems);
  problems.throw_if_any();
  if (!options.algorithm_bytes.empty()) program.bytes = sizes_of(options.algorithm_bytes).front();
  return program;
}

CollectiveAsk ask_of(const CollectiveOptions& options, bool given_by_dimensions) {
  CollectiveAsk ask{.kind = collective_named(options.kind),
                    .sizes = sizes_of(options.bytes),
                    .ranks = static_cast<std::int32_t>(options.gpus),
                    .per_node = static_cast<std::int32_t>(options.gpus_per_node),
                    .config = config_of(options)};
  require_chunks(options, ask.config, given_by_dimensions);
  if (!options.algorithm_file.empty()) ask.program = program_in(options);
  if (!options.dimensions.empty()) ask.dimensions = dimensions_named(options.dimensions);
  return ask;
}

std::vector<CollectiveTable> tables_of(const CollectiveAsk& ask, const config::CatalogInputs& known,
                                       const CollectiveOptions& options) {
  std::vector<CollectiveTable> tables;
  if (!ask.dimensions.empty()) tables.push_back(price_collective_table(ask));
  if (!options.cluster.empty())
    tables.push_back(price_collective_table(ask, known, cluster_named(known, options.cluster)));
  for (const std::string& other : options.compare)
    tables.push_back(price_collective_table(ask, known, cluster_named(known, other)));
  return tables;
}

int run_collective(CollectiveOptions options) {
  config::CatalogInputs known;
  if (!options.cluster.empty() || !options.compare.empty())
    known = config::read_presets(options.preset_paths);
  const bool given_by_dimensions = take_collectives_of(known, options);
  const CollectiveAsk ask = ask_of(options, given_by_dimensions);
  take_fabric_of(options, ask.config, known);
  const std::vector<CollectiveTable> tables = tables_of(ask, known, options);
  if (tables.empty())
    throw UserError("no machine is given",
                    "add --cluster dgx-h100-ndr400 (echo-sweep presets list clusters)");
  if (options.json) {
    text::Json json;
    json.open_object().member("collective", ops::collective_kind_names[at(ask.kind)]);
    json.member("collectives", ops::collective_model_names[at(ask.config.recipe.collectives)])
        .key("machines")
        .open_array();
    for (const CollectiveTable& table : tables) add_json(json, table);
    json.close().close();
    say("{}", json.text());
  } else {
    say("{}", tables.size() == 1 ? text_of(ask, tables.front()) : side_by_side(ask, tables));
  }
  return 0;
}

std::function<int(Invocation&)> declare_collective(Options& options) {
  auto chosen = std::make_shared<CollectiveOptions>();
  options.argument(chosen->kind, "KIND",
                   "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce or send_recv");
  options.value(chosen->cluster, "--cluster", "cluster preset of the machine");
  options.values(chosen->compare, "--compare", "another cluster, shown side by side; repeatable");
  options.value(chosen->gpus, "--gpus", "number of participating GPUs; 0 = all GPUs of one node");
  options.value(chosen->gpus_per_node, "--gpus-per-node",
                "number of participating GPUs per node; 0 = all GPUs of a node");
  options.value(chosen->bytes, "--bytes",
                "sizes as nccl-tests counts them: FIRST:LAST doubles, FIRST:LAST:FACTOR, or a list 1M,3M");
  options.value(chosen->nccl_version, "--nccl-version",
                "NCCL version, such as 2.21.5 (default: the cluster's)");
  options.value(chosen->algorithm, "--algo",
                "NCCL_ALGO: ring, tree, nvls, ...; with generic collectives: ring, hierarchical, ...");
  options.value(chosen->protocol, "--proto", "NCCL_PROTO: LL, LL128 or Simple");
  options.value(chosen->min_channels, "--min-channels", "NCCL_MIN_NCHANNELS");
  options.value(chosen->max_channels, "--max-channels", "NCCL_MAX_NCHANNELS");
  options.value(
      chosen->collectives, "--collectives",
      "nccl-whitebox: the algorithms and costs of NCCL (the default, but of machines given by their "
      "dimensions); generic: textbook algorithms without library overheads");
  options.value(chosen->chunks, "--chunks",
                "number of chunks of a hierarchical generic collective; 0 = best");
  options.value(chosen->order, "--order",
                "order of the dimensions: inner-first, by-bandwidth, balanced, themis");
  options.value(chosen->queue, "--queue", "queue of the chunks: fifo, lifo");
  options.value(
      chosen->contention, "--contention",
      "how links between nodes are shared by all groups of the kind: analytical (the default), flow, packet");
  options.value(chosen->congestion_control, "--congestion-control",
                "how NICs pace packets: dcqcn, hpcc, timely, swift, dctcp, none (default: the cluster's)");
  options.value(
      chosen->routing, "--routing",
      "how the fabric chooses among paths: minimal, ecmp, adaptive, valiant (default: the cluster's)");
  options.value(chosen->oversubscription, "--oversubscription",
                "bandwidth below a leaf switch over that above it (default: the cluster's)");
  options.value(
      chosen->algorithm_file, "--algorithm-file",
      "an algorithm message by message, on bare links: MSCCL's XML, or Chakra files NAME.0.et, ...");
  options.value(chosen->algorithm_bytes, "--algorithm-bytes",
                "size of the call that Chakra files are written for; other sizes are in proportion (default: "
                "messages as they are)");
  options.value(chosen->dimensions, "--dimensions",
                "a machine for generic collectives, as in \"Ring(8) 450 GB/s 100 ns, Switch(4) 50 "
                "GB/s 1 us\"");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) { return run_collective(*chosen); };
}

}  // namespace

extern const Command collective{
    .name = "collective",
    .summary = "predict the time of a collective, in the form of nccl-tests output",
    .declare = declare_collective};

}  // namespace echo::cli::commands
