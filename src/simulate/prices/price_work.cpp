#include "simulate/prices/price_work.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "collective/price_collectives.hpp"
#include "kernels/database/price_known.hpp"
#include "machine/topology.hpp"
#include "network/shared_links.hpp"
#include "ops/launches.hpp"
#include "simulate/prices/fill_factors.hpp"
#include "simulate/prices/host_time.hpp"
#include "simulate/prices/links_by_flows.hpp"
#include "simulate/prices/price_host.hpp"
#include "textbook/given_dimensions.hpp"
#include "textbook/machine_dimensions.hpp"
#include "textbook/price_generic.hpp"

namespace echo::simulate {

namespace {

class Hasher {
 public:
  Hasher& add(std::int64_t value) { return state_ = mix(state_ ^ static_cast<std::uint64_t>(value)), *this; }
  [[nodiscard]] std::size_t done() const { return static_cast<std::size_t>(state_); }

 private:
  std::uint64_t state_ = 0;
};

std::int64_t packed(std::int32_t high, std::int32_t low) {
  return (static_cast<std::int64_t>(high) << 32) ^ static_cast<std::uint32_t>(low);
}

template <class Table>
const auto& named(const Table& table, const std::string& name) {
  const std::int32_t i = find_named(table, name);
  ECHO_EXPECT(i >= 0);
  return table[at(i)];
}

}  // namespace

BottleneckTimes bottlenecks_of(const ops::KernelKey& key, const ops::KernelPrice& price, SimTime in_step,
                               const KernelIssue& issue) {
  BottleneckTimes bottlenecks;
  const auto whole = static_cast<double>(in_step.count()), alone = static_cast<double>(price.alone.count());
  const bool issued = key.grouped && key.batch * issue.per_expert > price.alone;
  bottlenecks[Bottleneck::host] = issued ? whole : whole - alone;
  if (issued) return bottlenecks;
  bottlenecks[Bottleneck::arithmetic] = alone * price.by_arithmetic;
  bottlenecks[Bottleneck::memory] = alone * price.by_memory;
  bottlenecks[Bottleneck::fixed] = alone * (1.0 - price.by_arithmetic - price.by_memory);
  return bottlenecks;
}

// Dependent kernels are separated by a gap. Products of a group do not depend on each other and run on
// parallel streams; but the host, which is woken by the token counts only just before them, is not ahead of
// the GPU, so a group takes at least as long as the issue of its products. Inside a CUDA graph the GPU goes
// from node to node by itself: 3.4 us per kernel of 2.9 us (Gray 2019, NVIDIA blog "Getting Started with
// CUDA Graphs"); the few kernels of a step outside of graphs are given that gap as well.
constexpr SimTime gap_in_graph = std::chrono::nanoseconds(500);

KernelIssue::KernelIssue(const training::TrainingConfig& config, const training::FrameworkSpec& framework,
                         const machine::ClusterSpec& cluster)
    : gap(framework.kernel_gap), per_expert(on_hosts_of(cluster, framework.host_per_expert)) {
  if (!config.recipe.cuda_graphs) return;
  gap = std::min(gap, gap_in_graph);
  per_expert = SimTime::zero();
}

SimTime within_a_step(const ops::KernelKey& key, SimTime alone, const KernelIssue& issue) {
  if (!key.grouped) return alone + ops::launches_of(key) * issue.gap;
  return std::max(alone, key.batch * issue.per_expert) + issue.gap;
}

std::size_t PriceKeyHash::operator()(const std::pair<std::int32_t, ops::KernelKey>& p) const {
  const ops::KernelKey& k = p.second;
  const std::int32_t flags = static_cast<std::int32_t>(k.kind) | static_cast<std::int32_t>(k.precision) << 8 |
                             static_cast<std::int32_t>(k.layout) << 12 |
                             static_cast<std::int32_t>(k.style) << 16 | (k.causal ? 1 << 20 : 0) |
                             (k.gated ? 1 << 21 : 0) | (k.fp32_accumulate ? 1 << 22 : 0) |
                             (k.grouped ? 1 << 23 : 0) | static_cast<std::int32_t>(k.attention) << 24 |
                             static_cast<std::int32_t>(k.library) << 26;
  return Hasher()
      .add(packed(p.first, flags))
      .add(packed(k.m, k.n))
      .add(packed(k.k, k.batch))
      .add(packed(k.groups, k.value_dim))
      .add(packed(k.span, k.chunked ? 1 : 0))
      .add(packed(k.routing.experts, k.routing.rows))
      .add(packed(k.routing.reached, k.routing.unevenness * 2 + (k.routing.tuned ? 1 : 0)))
      .done();
}

static std::int32_t code_of(const FabricKey& fabric) {
  const std::int32_t routing = fabric.routing ? static_cast<std::int32_t>(*fabric.routing) + 1 : 0;
  const std::int32_t control =
      fabric.congestion_control ? static_cast<std::int32_t>(*fabric.congestion_control) + 1 : 0;
  const std::int32_t presets = (fabric.nic.index() + 1) * 64 + fabric.network_switch.index() + 1;
  return ((presets * 64 + fabric.topology.index() + 1) * 16 + routing) * 16 + control;
}

std::size_t PriceKeyHash::operator()(const CollectiveKey& key) const {
  const machine::GroupSpan& g = key.query.group;
  const ops::CommSettings& s = key.settings;
  const std::int32_t forced = static_cast<std::int32_t>(s.algorithm) |
                              static_cast<std::int32_t>(s.protocol) << 4 | s.min_channels << 8 |
                              s.max_channels << 16;
  const std::int32_t others = s.max_p2p_channels | static_cast<std::int32_t>(s.library) << 8 |
                              s.kernels << 12 | (s.sharp ? 1 << 20 : 0);
  return Hasher()
      .add(packed(key.where, static_cast<std::int32_t>(key.query.kind)))
      .add(key.query.payload.value)
      .add(key.query.relay.payload.value)
      .add(packed(g.ranks, g.nodes))
      .add(packed(g.ranks_per_node, g.stride))
      .add(packed(g.sharing, s.nccl_version))
      .add(packed(code_of(key.fabric), key.fabric.oversubscription_permille))
      .add(packed(g.extent * 2 + (key.fabric.scattered ? 1 : 0), key.fabric.nodes))
      .add(packed(key.generic, forced))
      .add(others)
      .add((key.by_flows ? 1 : 0) + (key.by_packets ? 2 : 0))
      .add(packed(static_cast<std::int32_t>(key.query.tier.tier), key.query.tier.gpus))
      .add(packed(key.query.set_aside, 0))
      .add(key.query.tier.read.value * 2 - key.query.tier.written.value)
      .done();
}

std::size_t PriceKeyHash::operator()(const FlowLinksKey& key) const {
  const machine::GroupSpan& g = key.group;
  return Hasher()
      .add(packed(key.where,
                  static_cast<std::int32_t>(key.algorithm) * 16 + static_cast<std::int32_t>(key.kind)))
      .add(packed(code_of(key.fabric), key.fabric.oversubscription_permille))
      .add(packed(g.ranks, g.nodes))
      .add(packed(g.ranks_per_node, g.stride))
      .add(packed(g.sharing * 2 + (key.fabric.scattered ? 1 : 0), key.fabric.nodes))
      .done();
}

ops::GenericSettings generic_settings_of(const training::Recipe& recipe) {
  return {.algorithm = recipe.generic_algorithm,
          .chunks = recipe.generic_chunks,
          .order = recipe.generic_order,
          .queue = recipe.generic_queue};
}

// The library whose collectives a recipe uses, and its settings, in one number.
static std::int32_t generic_code(const training::Recipe& recipe) {
  if (recipe.collectives != ops::CollectiveModel::generic) return 0;
  return 1 | static_cast<std::int32_t>(recipe.generic_algorithm) << 1 |
         static_cast<std::int32_t>(recipe.generic_order) << 5 |
         static_cast<std::int32_t>(recipe.generic_queue) << 7 | recipe.generic_chunks << 8;
}

ops::CommSettings comm_settings_of(const training::TrainingConfig& config, const Catalog& catalog) {
  const training::Recipe& recipe = config.recipe;
  const bool own = recipe.comm_library == ops::CommLibrary::cluster;
  const std::int32_t of_no_experts =
      ops::without(ops::without(recipe.comm_kernels, ops::CommKernel::deepep), ops::CommKernel::hybridep);
  const machine::ClusterSpec& cluster = catalog.cluster(config.cluster);
  const bool is_generated = !config.model.is_none() && catalog.model(config.model).trace.is_none();
  const bool whole = recipe.dispatch == training::Dispatch::per_node || !is_generated;
  return {.nccl_version = config.nccl_version,
          .algorithm = recipe.nccl_algo,
          .protocol = recipe.nccl_proto,
          .min_channels = recipe.nccl_min_nchannels,
          .max_channels = recipe.nccl_max_nchannels,
          .max_p2p_channels = recipe.nccl_max_p2p_nchannels,
          .library = !own           ? recipe.comm_library
                     : cluster.rccl ? ops::CommLibrary::rccl
                                    : ops::CommLibrary::nccl,
          .kernels = whole ? recipe.comm_kernels : of_no_experts,
          .sharp = cluster.sharp};
}

// Two stages of one kernel, chunk by chunk: the longer one's time, the traffic of both.
static ops::CollectiveEstimate pipelined(const ops::CollectiveEstimate& a, const ops::CollectiveEstimate& b) {
  ops::CollectiveEstimate both = a.time >= b.time ? a : b;
  const auto bytes = [](const ops::CollectiveEstimate& one) {
    return one.memory_rate * static_cast<double>(one.time.count());
  };
  if (both.time > SimTime::zero())
    both.memory_rate = (bytes(a) + bytes(b)) / static_cast<double>(both.time.count());
  both.channels = std::max(a.channels, b.channels);
  return both;
}

// What all queries of a config have in common; the query is left to fill in.
static CollectiveKey common_key(const training::TrainingConfig& config, const Catalog& catalog,
                                const Calibration& calibration) {
  const machine::ClusterSpec& own = catalog.cluster(config.cluster);
  const bool by_packets = calibration.contention == Contention::packet;
  return {.where =
              config.cluster.index() * clusters_apart + (config.gpu.is_none() ? own.gpu : config.gpu).index(),
          .generic = generic_code(config.recipe),
          .fabric = by_packets ? packet_fabric_of(config, own) : fabric_of(config, own),
          .settings = comm_settings_of(config, catalog),
          .by_flows = calibration.contention == Contention::flow,
          .by_packets = by_packets};
}

static const PriceMemo::Collectives::value_type& priced(const CollectiveKey& key,
                                                        const training::TrainingConfig& config,
                                                        const Catalog& catalog,
                                                        const Calibration& calibration, PriceMemo& memo) {
  const machine::ClusterSpec& own = catalog.cluster(config.cluster);
  const auto& [where, generic, fabric, settings, query, by_flows, by_packets] = key;
  const auto [entry, is_new] = memo.collectives.try_emplace(key);
  PricedCollective& price = entry->second;  // stays where it is when others are added
  if (is_new) price.number = memo.collectives_numbered++;
  if (is_new && is_of_host(query.kind)) {
    price.alone = price_host(query, catalog.gpu(config), own);
  } else if (is_new) {
    const machine::ClusterSpec cluster = with_fabric(own, fabric, catalog);
    const collective::NetworkConstants& constants = named(calibration.networks, cluster.network);
    machine::GroupLinks links =
        machine::links_of(query.group, cluster, catalog.gpu(config), traffic_of(query.kind, fabric));
    if (query.relay.payload.value > 0) {
      const ops::CollectiveQuery leg{query.kind, query.relay.payload, query.relay.group};
      ops::CollectiveQuery across = query;
      across.relay = {};
      const PricedCollective& inside = priced_collective(leg, config, catalog, calibration, memo);
      const PricedCollective& outside = priced_collective(across, config, catalog, calibration, memo);
      price.alone = pipelined(outside.alone, inside.alone);
      price.use = outside.use;
      return *entry;
    }
    if (cluster.dimensions.is_given()) {
      price.alone = textbook::price_given(query, cluster, generic_settings_of(config.recipe)).estimate;
    } else if (config.recipe.collectives == ops::CollectiveModel::generic) {
      price.alone = textbook::price_generic(query, textbook::dimensions_of(query.group, links, cluster),
                                            generic_settings_of(config.recipe))
                        .estimate;
    } else {
      price.alone = collective::price(query, links, settings, cluster.nccl_version, constants);
      if ((by_flows || by_packets) && query.group.nodes > 1 && price.alone.time > SimTime::zero()) {
        const FlowQuestion ask{query, price.alone, links, cluster, fabric, calibration.packet_budget};
        links = by_flows ? links_by_flows(ask, where, memo) : links_by_packets(ask, where, memo);
        price.alone = collective::price(query, links, as_chosen(settings, price.alone), cluster.nccl_version,
                                        constants);
      }
    }
    price.use = network::use_of(query, price.alone, links, cluster, catalog.gpu(config));
    if (query.set_aside >= 0) price.alone.channels = std::min(price.alone.channels, query.set_aside);
  }
  return *entry;
}

const PricedCollective& priced_collective(const ops::CollectiveQuery& query,
                                          const training::TrainingConfig& config, const Catalog& catalog,
                                          const Calibration& calibration, PriceMemo& memo) {
  CollectiveKey key = common_key(config, catalog, calibration);
  key.query = query;
  return priced(key, config, catalog, calibration, memo).second;
}

ops::CollectiveEstimate price_collective(const ops::CollectiveQuery& query,
                                         const training::TrainingConfig& config, const Catalog& catalog,
                                         const Calibration& calibration, PriceMemo& memo) {
  return priced_collective(query, config, catalog, calibration, memo).alone;
}

BottleneckTimes bottlenecks_of(const ops::CollectiveEstimate& price) {
  BottleneckTimes bottlenecks;
  const auto time = static_cast<double>(price.time.count());
  bottlenecks[Bottleneck::scale_up] = time * price.by_scale_up;
  bottlenecks[Bottleneck::scale_out] = time * price.by_scale_out;
  bottlenecks[Bottleneck::latency] = time * price.by_latency;
  bottlenecks[Bottleneck::fixed] = time * (1.0 - price.by_scale_up - price.by_scale_out - price.by_latency);
  return bottlenecks;
}

// Contract: `key` names the config's kernel library.
static const PriceMemo::Kernels::value_type& priced(const std::pair<std::int32_t, ops::KernelKey>& key,
                                                    const training::TrainingConfig& config,
                                                    const Catalog& catalog, const Calibration& calibration,
                                                    PriceMemo& memo) {
  const auto [entry, is_new] = memo.kernels.try_emplace(key);
  if (is_new) {
    const machine::GpuSpec& gpu = catalog.gpu(config);
    entry->second = {
        kernels::price_known(key.second, gpu, named(calibration.kernels, gpu.kernels), calibration.measured),
        memo.kernels_numbered++};
  }
  return *entry;
}

static std::int32_t gpu_of(const training::TrainingConfig& config, const Catalog& catalog) {
  return (config.gpu.is_none() ? catalog.cluster(config.cluster).gpu : config.gpu).index();
}

// What `priced` returns of the key, which a workload has at `place`.
template <class Map>
static const typename Map::mapped_type& priced_at(std::size_t place, const typename Map::key_type& key,
                                                  PlaceHints<Map>& places,
                                                  const training::TrainingConfig& config,
                                                  const Catalog& catalog, const Calibration& calibration,
                                                  PriceMemo& memo) {
  if (const auto* const known = places.find(place, key)) return known->second;
  const auto& entry = priced(key, config, catalog, calibration, memo);
  places.note(place, entry);
  return entry.second;
}

SimTime price_kernel(ops::KernelKey key, const training::TrainingConfig& config, const Catalog& catalog,
                     const Calibration& calibration, PriceMemo& memo) {
  key.library = config.recipe.kernel_library;
  const PricedKernel& price =
      priced({gpu_of(config, catalog), key}, config, catalog, calibration, memo).second;
  return within_a_step(key, price.alone.alone,
                       {config, catalog.framework(config), catalog.cluster(config.cluster)});
}

// Those of the first `kernels` kernels stay.
static void keep_kernels(std::size_t kernels, Prices& out) {
  out.kernels.resize(kernels);
  out.kernel_number.resize(kernels);
  out.alone.resize(kernels);
  out.bottlenecks.resize(kernels);
}

// The kernels that have no price yet.
static void price_kernels(const training::TrainingConfig& config, const Catalog& catalog,
                          const Calibration& calibration, const workload::Workload& work, PriceMemo& memo,
                          Prices& out) {
  const training::FrameworkSpec& framework = catalog.framework(config);
  const KernelIssue issue(config, framework, catalog.cluster(config.cluster));
  std::pair<std::int32_t, ops::KernelKey> of_gpu{gpu_of(config, catalog), {}};
  for (std::size_t i = out.kernels.size(); i < work.kernels.size(); ++i) {
    ops::KernelKey& key = of_gpu.second = work.kernels[i];
    key.library = config.recipe.kernel_library;
    const PricedKernel& known = priced_at(i, of_gpu, memo.kernel_places, config, catalog, calibration, memo);
    const ops::KernelPrice& price = known.alone;
    out.kernels.push_back(price);
    out.kernel_number.push_back(known.number);
    out.alone.push_back(within_a_step(key, price.alone, issue));
    out.bottlenecks.push_back(bottlenecks_of(key, price, out.alone.back(), issue));
  }
}

void price_body(const training::TrainingConfig& config, const Catalog& catalog,
                const Calibration& calibration, const workload::Workload& body, PriceMemo& memo,
                Prices& out) {
  keep_kernels(0, out);
  price_kernels(config, catalog, calibration, body, memo, out);
}

void price_work(const training::TrainingConfig& config, const Catalog& catalog,
                const Calibration& calibration, const workload::Workload& work, PriceMemo& memo,
                Prices& out) {
  price_ends(config, catalog, calibration, work, 0, memo, out);
}

void price_ends(const training::TrainingConfig& config, const Catalog& catalog,
                const Calibration& calibration, const workload::Workload& work, std::int32_t kernels,
                PriceMemo& memo, Prices& out) {
  keep_kernels(at(kernels), out);
  price_kernels(config, catalog, calibration, work, memo, out);
  const machine::GpuSpec& gpu = catalog.gpu(config);
  out.collectives.clear();
  out.collective_number.clear();
  out.uses.clear();
  CollectiveKey asked = common_key(config, catalog, calibration);
  for (std::size_t i = 0; i < work.collectives.size(); ++i) {
    asked.query = work.collectives[i];
    const PricedCollective& price =
        priced_at(i, asked, memo.collective_places, config, catalog, calibration, memo);
    out.collectives.push_back(price.alone);
    out.collective_number.push_back(price.number);
    out.uses.push_back(price.use);
    out.alone.push_back(out.collectives.back().time);
    out.bottlenecks.push_back(bottlenecks_of(out.collectives.back()));
  }
  const std::size_t in_blocks =
      fill_factors(calibration, {gpu.sm_count, gpu.memory_bandwidth.value}, work, memo.factors, out);
  const bool shares = calibration.contention != Contention::off;
  network::fill_losses(
      shares ? std::span<const network::LinkDemand>(out.uses) : std::span<const network::LinkDemand>(),
      in_blocks, out.scale_up_loss, out.scale_out_loss);
}

}  // namespace echo::simulate
