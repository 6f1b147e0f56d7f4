#include "cli/collective/collective_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/at.hpp"
#include "base/error.hpp"
#include "collective/algorithm.hpp"
#include "machine/topology.hpp"
#include "ops/describe.hpp"
#include "simulate/prices/price_work.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"
#include "textbook/given_dimensions.hpp"
#include "textbook/machine_dimensions.hpp"
#include "textbook/run_program.hpp"

namespace echo::cli {
namespace {

using ops::CollectiveKind;

std::string name_of(const ops::CollectiveEstimate& e) {
  const std::string_view name = collective::name_of_algorithm(e);
  return name.empty() ? "-" : std::string(name);
}

CollectiveRow row_of(const CollectiveAsk& ask, std::int64_t bytes, std::int32_t ranks,
                     const ops::CollectiveEstimate& estimate) {
  const bool generic =
      estimate.generic != ops::GenericAlgorithm::best || estimate.algorithm == ops::NcclAlgorithm::automatic;
  const double rate =
      estimate.time > SimTime::zero() ? static_cast<double>(bytes) / to_seconds(estimate.time) : 0.0;
  return {.bytes = bytes,
          .estimate = estimate,
          .algorithm = ask.program ? ask.program->name : name_of(estimate),
          .protocol = generic ? "-" : std::string(ops::protocol_names[at(estimate.protocol)]),
          .algorithm_bandwidth = rate,
          .bus_bandwidth = rate * bus_factor(ask.kind, ranks)};
}

machine::GroupSpan span_of(const CollectiveAsk& ask, const machine::ClusterSpec& cluster) {
  const bool is_given = cluster.dimensions.is_given();  // all of it by default
  const std::int32_t node =
      is_given ? static_cast<std::int32_t>(cluster.dimensions.gpus()) : cluster.scale_up_domain;
  const std::int32_t wanted = ask.per_node > 0 ? ask.per_node : node;
  const bool is_pair = ask.kind == CollectiveKind::send_recv;
  const std::int32_t by_default = ask.program ? ask.program->ranks : is_pair ? 2 : wanted;
  const std::int32_t ranks = ask.ranks > 0 ? ask.ranks : by_default;
  const std::int32_t per_node = std::min(wanted, ranks);
  if (per_node > node) {
    throw UserError(fmt::format("{} has {} GPUs in a node, not {}", cluster.name, node, per_node),
                    fmt::format("use --gpus-per-node {} or less", node));
  }
  if (is_pair && ranks != 2)
    throw UserError(fmt::format("send_recv is between 2 GPUs, not {}", ranks), "use --gpus 2");
  if (ranks < 2) throw UserError("a collective needs at least 2 GPUs", "use --gpus 2 or more");
  if (ranks % per_node != 0) {
    throw UserError(fmt::format("{} GPUs do not fill nodes of {} evenly", ranks, per_node),
                    fmt::format("use a multiple of {}, or --gpus-per-node", per_node));
  }
  if (is_given) {
    const std::int32_t domain = std::min(ranks, cluster.scale_up_domain);
    return {.ranks = ranks, .nodes = (ranks + domain - 1) / domain, .ranks_per_node = domain};
  }
  const std::int32_t nodes = ranks / per_node;
  const std::int32_t domains_a_node = std::max(1, cluster.scale_up_domain / cluster.gpus_per_node);
  if (cluster.nodes > 0 && nodes > std::max(1, cluster.nodes / domains_a_node)) {
    throw UserError(fmt::format("{} has {} nodes, not {}", cluster.name, cluster.nodes, nodes),
                    fmt::format("use --gpus {} or less", cluster.nodes / domains_a_node * per_node));
  }
  return {.ranks = ranks, .nodes = nodes, .ranks_per_node = per_node};
}

std::string version_text(std::int32_t version) {  // as NCCL prints it: 22105, and 2804 before 2.9
  if (version < 10000) return fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100);
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

// "Ring(4) 53.7 GB/s a link, Switch(2) ..., 4 chunks".
std::string facts_of(const machine::GivenMachine& machine) {
  std::string facts;
  for (const machine::GivenDimension& d : machine.dimensions)
    facts += fmt::format("{}({}) {:.1f} GB/s a link, ", machine::dimension_kind_names[at(d.kind)], d.size,
                         d.link.value * 1e-9);
  return facts + fmt::format("{} chunks, congestion-{} links; 16 channels assumed",
                             machine.chunks > 0 ? std::to_string(machine.chunks) : "the best number of",
                             machine::link_sharing_names[at(machine.sharing)]);
}

// "; flows over its links", "; packets over its links, paced by dcqcn".
std::string shared_links_text(const CollectiveAsk& ask, const machine::ClusterSpec& cluster,
                              simulate::Contention contention) {
  if (contention == simulate::Contention::flow) return "; flows over its links";
  if (contention != simulate::Contention::packet) return "";
  const machine::CongestionControl control =
      ask.config.fabric.congestion_control.value_or(cluster.congestion_control);
  return fmt::format("; packets over its links, paced by {}", machine::congestion_control_names[at(control)]);
}

std::string facts_of(const CollectiveAsk& ask, const machine::ClusterSpec& cluster,
                     simulate::Contention contention) {
  if (cluster.dimensions.is_given()) return facts_of(cluster.dimensions);
  std::string facts = fmt::format("scale-up {:.0f} GB/s per GPU, {} NICs of {:.1f} GB/s per node, {}",
                                  cluster.scale_up.bandwidth.value * 1e-9, cluster.nics_per_node,
                                  cluster.scale_out.bandwidth.value * 1e-9,
                                  machine::topology_table()[at(cluster.topology.index())]->name);
  if (ask.config.recipe.collectives == ops::CollectiveModel::generic)
    return facts + "; generic: links only, no software overhead; 16 channels assumed";
  const std::int32_t version = ask.config.nccl_version != 0 ? ask.config.nccl_version : cluster.nccl_version;
  return facts + fmt::format("; NCCL {}, constants {}", version_text(version), cluster.network) +
         shared_links_text(ask, cluster, contention);
}

std::string dimension_text(const std::vector<textbook::Dimension>& dimensions) {
  std::string text;
  for (const textbook::Dimension& d : dimensions)
    text +=
        fmt::format("{}{}({})", text.empty() ? "" : "_", textbook::dimension_kind_names[at(d.kind)], d.size);
  return text;
}

std::string percent(double share) { return fmt::format("{:.0f}", share * 100.0); }
std::string rate_text(double rate) { return fmt::format("{:.2f}", rate * 1e-9); }
std::string time_text(SimTime time) { return fmt::format("{:.2f}", to_microseconds(time)); }

}  // namespace

double bus_factor(CollectiveKind kind, std::int32_t ranks) {
  const double n = ranks;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2.0 * (n - 1.0) / n;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
      return (n - 1.0) / n;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::send_recv:
    case CollectiveKind::host_copy:
    case CollectiveKind::host_update:
      return 1.0;
  }
  return 1.0;
}

// The program over the dimensions of its group.
static ops::CollectiveEstimate price_program(const CollectiveAsk& ask, std::int64_t bytes,
                                             const std::vector<textbook::Dimension>& dimensions,
                                             const textbook::MessageCosts& costs) {
  const auto cost = textbook::run_program(*ask.program, bytes, dimensions, costs);
  if (!cost) throw UserError(ask.program->name + " never ends", "correct the file");
  return textbook::priced_as(ops::GenericAlgorithm::hierarchical, {ask.kind, bytes}, ask.program->ranks,
                             {*cost, 1})
      .estimate;
}

static void require_ranks(const CollectiveAsk& ask, std::int32_t ranks) {
  if (!ask.program || ask.program->ranks == ranks) return;
  throw UserError(fmt::format("{} is for {} ranks, not {}", ask.program->name, ask.program->ranks, ranks),
                  fmt::format("use --gpus {}, or dimensions of so many", ask.program->ranks));
}

CollectiveTable price_collective_table(const CollectiveAsk& ask, const config::CatalogInputs& known,
                                       machine::ClusterId id) {
  const machine::ClusterSpec& cluster = known.catalog.cluster(id);
  const machine::GroupSpan span = span_of(ask, cluster);
  training::TrainingConfig config = ask.config;
  config.cluster = id;
  config.degrees.data = span.nodes * cluster.gpus_per_node;  // of the machine that these nodes fill
  simulate::PriceMemo memo;
  CollectiveTable table{.machine = cluster.name,
                        .facts = facts_of(ask, cluster, known.calibration.contention),
                        .ranks = span.ranks,
                        .nodes = span.nodes};
  require_ranks(ask, span.ranks);
  std::vector<textbook::Dimension> dimensions;
  textbook::MessageCosts costs{.sharing = machine::LinkSharing::aware};
  if (ask.program && cluster.dimensions.is_given()) {
    costs.reduction_memory = cluster.dimensions.reduction_memory, costs.sharing = cluster.dimensions.sharing;
    for (const auto& one : textbook::given_dimensions_of(span, cluster)) dimensions.push_back(one.shape);
  } else if (ask.program) {
    dimensions =
        textbook::dimensions_of(span, machine::links_of(span, cluster, known.catalog.gpu(config)), cluster);
  }
  for (const std::int64_t bytes : ask.sizes) {
    const ops::CollectiveQuery query{.kind = ask.kind, .payload = Bytes(bytes), .group = span};
    table.rows.push_back(row_of(
        ask, bytes, span.ranks,
        ask.program ? price_program(ask, bytes, dimensions, costs)
                    : simulate::price_collective(query, config, known.catalog, known.calibration, memo)));
  }
  return table;
}

CollectiveTable price_collective_table(const CollectiveAsk& ask) {
  const ops::GenericSettings settings = simulate::generic_settings_of(ask.config.recipe);
  CollectiveTable table{.machine = dimension_text(ask.dimensions),
                        .facts = "generic: links only, no software overhead; 16 channels assumed",
                        .ranks = 1,
                        .nodes = 1};
  for (const textbook::Dimension& d : ask.dimensions) {
    table.ranks *= d.size;
    if (d.reach == textbook::Reach::scale_out) table.nodes *= d.size;
  }
  const machine::GroupSpan span{
      .ranks = table.ranks, .nodes = table.nodes, .ranks_per_node = table.ranks / table.nodes};
  require_ranks(ask, table.ranks);
  const textbook::MessageCosts costs{.sharing = machine::LinkSharing::aware};
  for (const std::int64_t bytes : ask.sizes) {
    const ops::CollectiveQuery query{.kind = ask.kind, .payload = Bytes(bytes), .group = span};
    table.rows.push_back(row_of(ask, bytes, table.ranks,
                                ask.program
                                    ? price_program(ask, bytes, ask.dimensions, costs)
                                    : textbook::price_generic(query, ask.dimensions, settings).estimate));
  }
  return table;
}

static std::string heading(const CollectiveAsk& ask, const CollectiveTable& table) {
  return fmt::format("# {} on {}: {} GPUs, {} node{}; {}\n", ops::collective_kind_names[at(ask.kind)],
                     table.machine, table.ranks, table.nodes, table.nodes == 1 ? "" : "s", table.facts);
}

std::string text_of(const CollectiveAsk& ask, const CollectiveTable& table) {
  text::TextTable text({"size B", "<algorithm", "<protocol", "channels", "time us", "algbw GB/s",
                        "busbw GB/s", "scale-up %", "NIC %", "latency %"});
  for (const CollectiveRow& row : table.rows) {
    const ops::CollectiveEstimate& e = row.estimate;
    text.add({std::to_string(row.bytes), row.algorithm, row.protocol, std::to_string(e.channels),
              time_text(e.time), rate_text(row.algorithm_bandwidth), rate_text(row.bus_bandwidth),
              percent(e.by_scale_up), percent(e.by_scale_out), percent(e.by_latency)});
  }
  return heading(ask, table) + "# predicted, not measured\n" + text.text();
}

std::string side_by_side(const CollectiveAsk& ask, const std::vector<CollectiveTable>& tables) {
  std::string head;
  std::vector<std::string> columns{"size B"};
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto letter = static_cast<char>('A' + i);
    head += fmt::format("{}: {}", letter, heading(ask, tables[i]).substr(2));
    for (const char* what : {"<{} choice", "{} time us", "{} busbw GB/s"})
      columns.push_back(fmt::format(fmt::runtime(what), letter));
    if (i > 0) columns.push_back(fmt::format("{} / A", letter));
  }
  text::TextTable text(columns);
  for (std::size_t row = 0; row < ask.sizes.size(); ++row) {
    std::vector<std::string> cells{std::to_string(ask.sizes[row])};
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const CollectiveRow& one = tables[i].rows[row];
      cells.push_back(one.algorithm + (one.protocol == "-" ? "" : " " + one.protocol));
      cells.push_back(time_text(one.estimate.time));
      cells.push_back(rate_text(one.bus_bandwidth));
      if (i > 0)
        cells.push_back(fmt::format(
            "{:.2f}", to_seconds(one.estimate.time) / to_seconds(tables[0].rows[row].estimate.time)));
    }
    text.add(cells);
  }
  return head + "# predicted, not measured\n" + text.text();
}

void add_json(text::Json& json, const CollectiveTable& table) {
  json.open_object().member("machine", table.machine).member("facts", table.facts);
  json.member("gpus", table.ranks).member("nodes", table.nodes).key("rows").open_array();
  for (const CollectiveRow& row : table.rows) {
    const ops::CollectiveEstimate& e = row.estimate;
    json.open_object().member("bytes", row.bytes).member("algorithm", row.algorithm);
    json.member("protocol", row.protocol).member("channels", e.channels);
    json.member("seconds", to_seconds(e.time)).member("algbw", row.algorithm_bandwidth);
    json.member("busbw", row.bus_bandwidth).member("memory_rate", e.memory_rate);
    json.member("by_scale_up", e.by_scale_up).member("by_scale_out", e.by_scale_out);
    json.member("by_latency", e.by_latency).close();
  }
  json.close().close();
}

}  // namespace echo::cli
