#include "calibrate/network/network_measurements.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/at.hpp"
#include "base/csv.hpp"

namespace echo::calibrate {
namespace {

using ops::CollectiveKind;

bool kind_of(std::string_view name, CollectiveKind& kind) {
  if (name == "alltoall") return kind = CollectiveKind::all_to_all, true;
  if (name == "sendrecv") return false;  // the published rows are local copies
  const auto found = std::find(ops::collective_kind_names.begin(), ops::collective_kind_names.end(), name);
  if (found == ops::collective_kind_names.end()) return false;
  kind = static_cast<CollectiveKind>(found - ops::collective_kind_names.begin());
  return true;
}

machine::GroupLinks links_of(const NetworkKind& kind, const NetworkSource& source, std::int32_t nodes,
                             std::int32_t per_node) {
  machine::GroupLinks links;
  links.scale_up.bandwidth = BytesPerSecond(kind.nvlink_gigabytes * 1e9);
  links.compute_capability = kind.compute_capability;
  links.cpu = kind.cpu;
  links.nics = 0;
  if (nodes > 1) {
    links.nics = std::min(source.nics, per_node);
    links.scale_out.bandwidth = BytesPerSecond(source.nic_gigabytes * 1e9 * source.nics);
    links.scale_out.latency = SimTime(130'000);  // one switch, as the catalog's clusters have it
  }
  return links;
}

bool wanted(const CsvTable& table, std::size_t row, const NetworkSource& source) {
  if (*source.gpu != 0 && table.text(row, "gpu") != source.gpu) return false;
  if (*source.version != 0 && table.text(row, "nccl_version") != source.version) return false;
  if (table.text(row, "datatype") == "int8") return false;  // the same bytes again
  const std::int32_t nodes = table.integer(row, "nodes").value_or(0);
  if (table.integer(row, "ranks").value_or(0) > source.most_ranks) return false;
  const std::string_view note = source.note, noted = table.text(row, "note");
  if (note.starts_with('!') ? noted.find(note.substr(1)) != noted.npos : noted.find(note) == noted.npos)
    return false;
  if (nodes < source.least_nodes || nodes > source.most_nodes) return false;
  return table.number(row, "size_bytes").value_or(0) >= static_cast<double>(source.least_bytes);
}

}  // namespace

std::vector<collective::MeasuredCollective> rows_to_fit(std::span<const NetworkMeasurement> all) {
  std::vector<collective::MeasuredCollective> rows;
  for (const NetworkMeasurement& m : all)
    if (m.use == Use::fit) rows.push_back(m);
  return rows;
}

std::vector<NetworkMeasurement> read_network(const NetworkKind& kind, const std::string& folder) {
  std::vector<NetworkMeasurement> rows;
  std::map<std::string, std::int32_t> families;
  for (std::size_t i = 0; i < kind.sources.size(); ++i) {
    const NetworkSource& source = kind.sources[i];
    const CsvTable table = CsvTable::read_file(folder + "/" + source.file);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      NetworkMeasurement m;
      if (!wanted(table, row, source) || !kind_of(table.text(row, "collective"), m.query.kind)) continue;
      const std::int32_t ranks = table.integer(row, "ranks").value_or(1);
      const std::int32_t nodes = table.integer(row, "nodes").value_or(1);
      m.query.payload = Bytes(static_cast<std::int64_t>(table.number(row, "size_bytes").value_or(0)));
      m.query.group = {.ranks = ranks, .nodes = nodes, .ranks_per_node = ranks / nodes};
      m.links = links_of(kind, source, nodes, ranks / nodes);
      m.nccl_version = source.nccl_version;
      m.seconds = table.number(row, "time_us_out").value_or(0) * 1e-6;
      m.seconds_in_place = table.number(row, "time_us_in").value_or(0) * 1e-6;
      m.use = source.use;
      if (m.query.payload.value < 512 || m.seconds <= 0.0) continue;  // smaller ones cost what 512 bytes do
      const std::string name = std::to_string(i) + '/' + std::string(table.text(row, "collective")) + '/' +
                               std::to_string(ranks) + '/' + std::to_string(nodes);
      m.family = families.emplace(name, static_cast<std::int32_t>(families.size())).first->second;
      rows.push_back(m);
    }
  }
  // Rows of one log are correlated: a family of k rows has the weight sqrt(k). Collectives that training
  // uses count twice.
  std::vector<double> count(families.size(), 0.0);
  for (const NetworkMeasurement& m : rows) count[at(m.family)] += 1.0;
  for (NetworkMeasurement& m : rows) {
    m.weight = 1.0 / std::sqrt(count[at(m.family)]);
    if (m.query.payload.value >= (16 << 20)) m.weight *= 2.0;
  }
  return rows;
}

}  // namespace echo::calibrate
