// A group whose ranks are not evenly spaced is priced as one with the same number of nodes and the same
// number of ranks on the fullest node.
#include "cli/traces/trace_pricing.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/named_table.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/toml/did_you_mean.hpp"
#include "simulate/prices/price_work.hpp"
#include "training/layout/rank_layout.hpp"

namespace echo::cli {

namespace {

using trace::Node;
using trace::NodeKind;

template <class Table>
std::int32_t row_of(const Table& table, const std::string& name, const char* what) {
  if (const std::int32_t row = find_named(table, name); row >= 0) return row;
  std::vector<std::string> names;
  names.reserve(table.size());
  for (const auto& one : table) names.push_back(one.name);
  throw UserError("unknown " + std::string(what) + " \"" + name + "\"",
                  config::suggest(name, names, std::string(what) + "s"));
}

machine::GroupSpan span_of(const std::vector<std::int32_t>& ranks, std::int32_t domain, std::int32_t world) {
  const auto count = static_cast<std::int32_t>(ranks.size());
  const std::int32_t stride = count > 1 ? ranks[1] - ranks[0] : 1;
  bool even = stride > 0;
  std::map<std::int32_t, std::int32_t> nodes;
  for (std::int32_t i = 0; i < count; ++i) {
    even = even && ranks[at(i)] == ranks[0] + i * stride;
    ++nodes[ranks[at(i)] / domain];
  }
  if (even) return training::span_of(count, stride, domain, world);
  machine::GroupSpan span{
      .ranks = count, .nodes = static_cast<std::int32_t>(nodes.size()), .ranks_per_node = 1};
  for (const auto& [node, members] : nodes) span.ranks_per_node = std::max(span.ranks_per_node, members);
  if (span.nodes > 1) span.sharing = std::max(1, std::min(domain, world) / span.ranks_per_node);
  return span;
}

// The demand of an op on the machine, in the form a workload uses.
class Questions {
 public:
  Questions(const trace::Trace& trace, std::int32_t domain) : trace_(trace), domain_(domain) {
    work_.kernels = trace.kernels;
  }
  // An index into Workload's kernels and collectives together; nothing if it is unknown.
  std::optional<std::size_t> of(const Node& node, std::int32_t rank) {
    if (node.kind == NodeKind::compute && node.kernel >= 0) return static_cast<std::size_t>(node.kernel);
    if (!node.communicates()) return std::nullopt;
    ops::CollectiveQuery query{.kind = node.collective, .payload = node.bytes};
    if (node.kind != NodeKind::collective) {
      query.kind = ops::CollectiveKind::send_recv;
      query.group = span({std::min(rank, node.peer), std::max(rank, node.peer)});
    } else if (node.group >= 0) {
      query.group = span(trace_.groups[at(node.group)].ranks);
    } else if (query.kind != ops::CollectiveKind::host_copy &&
               query.kind != ops::CollectiveKind::host_update) {
      return std::nullopt;
    }
    const auto [place, fresh] = numbers_.try_emplace(query, work_.collectives.size());
    if (fresh) work_.collectives.push_back(query);
    return work_.kernels.size() + place->second;
  }
  [[nodiscard]] const workload::Workload& work() const { return work_; }

 private:
  [[nodiscard]] machine::GroupSpan span(const std::vector<std::int32_t>& ranks) const {
    return span_of(ranks, domain_, trace_.world);
  }
  const trace::Trace& trace_;
  std::int32_t domain_;
  workload::Workload work_;
  std::map<ops::CollectiveQuery, std::size_t> numbers_;
};

}  // namespace

PricedOps price_untimed(trace::Trace& trace, const std::string& cluster, const std::string& gpu,
                        const std::vector<std::string>& preset_paths) {
  const config::CatalogInputs known = config::read_presets(preset_paths);
  training::TrainingConfig config;
  config.cluster = machine::ClusterId(row_of(known.catalog.clusters, cluster, "cluster"));
  if (!gpu.empty()) config.gpu = machine::GpuId(row_of(known.catalog.gpus, gpu, "gpu"));
  config.framework = training::FrameworkId(row_of(known.catalog.frameworks, "megatron-core", "framework"));
  config.recipe = known.catalog.framework(config).recipe;
  const machine::ClusterSpec& machine = known.catalog.cluster(config.cluster);

  Questions questions(trace, std::max(machine.gpus_per_node, machine.scale_up_domain));
  for (const trace::RankTrace& rank : trace.ranks)
    for (const Node& node : rank.nodes)
      if (!node.is_timed()) (void)questions.of(node, rank.rank);
  simulate::PriceMemo memo;
  simulate::Prices prices;
  simulate::price_work(config, known.catalog, known.calibration, questions.work(), memo, prices);

  PricedOps done;
  for (trace::RankTrace& rank : trace.ranks)
    for (Node& node : rank.nodes) {
      if (node.is_timed() || node.kind == NodeKind::wait) continue;
      const std::optional<std::size_t> work = questions.of(node, rank.rank);
      ++(work ? done.priced : done.left);
      if (work) node.duration = prices.alone[*work];
    }
  if (done.priced > 0)
    trace.notes.push_back(std::to_string(done.priced) + " ops without a duration are priced on " + cluster +
                          (gpu.empty() ? "" : " with " + gpu));
  return done;
}

}  // namespace echo::cli
