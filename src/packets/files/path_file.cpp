#include <charconv>
#include <limits>
#include <map>
#include <optional>

#include "base/at.hpp"
#include "base/csv.hpp"
#include "packets/files/flow_file.hpp"

namespace echo::packets {
namespace {

// "0-32-38-33-8"; nothing where it is no list of nodes of the fabric.
std::optional<std::vector<std::int32_t>> nodes_of(std::string_view text, std::int32_t nodes) {
  std::vector<std::int32_t> list;
  const char *place = text.data(), *const end = text.data() + text.size();
  while (place < end) {
    std::int32_t node = -1;
    const auto result = std::from_chars(place, end, node);
    if (result.ec != std::errc{} || node < 0 || node >= nodes) return {};
    list.push_back(node);
    place = result.ptr;
    if (place < end && (*place++ != '-' || place == end)) return {};
  }
  return list;
}

// Why the flow cannot take the path; empty where it can.
std::string why_not(const Fabric& fabric, const Flow& flow, const std::vector<std::int32_t>& path) {
  if (path.size() < 2 || path.front() != flow.source || path.back() != flow.destination)
    return "the path does not lead from host " + std::to_string(flow.source) + " to host " +
           std::to_string(flow.destination);
  for (std::size_t i = 1; i + 1 < path.size(); ++i)
    if (fabric.is_host(path[i])) return "host " + std::to_string(path[i]) + " does not forward packets";
  if (ports_along(fabric, path).empty()) return "two nodes of the path share no link";
  return {};
}

bool has_columns(const CsvTable& table, Problems& problems) {
  for (const char* column : {"flow", "node_path"})
    if (!table.has(column))
      problems.error(table.header_place(), "the table of paths has no column " + std::string(column),
                     "its columns are case (may be left out), flow and node_path");
  return table.has("flow") && table.has("node_path");
}

bool holds_case(const CsvTable& table, const std::string& case_name, Problems& problems) {
  if (!table.has("case")) return true;
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (table.text(row, "case") == case_name) return true;
  problems.error(table.header_place("case"), "no path is of the case \"" + case_name + "\"",
                 "name the case with --case; without it, it is the name of the flow file");
  return false;
}

}  // namespace

void read_paths(std::string_view text, const std::string& name, const std::string& case_name,
                const Fabric& fabric, FlowFile& file, Problems& problems) {
  const CsvTable table = CsvTable::parse(text, name);
  if (!has_columns(table, problems) || !holds_case(table, case_name, problems)) return;
  std::map<std::int64_t, std::int32_t> place_of_id;
  for (std::int32_t i = 0; i < length_of(file.ids); ++i) place_of_id.emplace(file.ids[at(i)], i);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.has("case") && table.text(row, "case") != case_name) continue;
    const auto id = nodes_of(table.text(row, "flow"), std::numeric_limits<std::int32_t>::max());
    const auto found = id && id->size() == 1 ? place_of_id.find(id->front()) : place_of_id.end();
    if (found == place_of_id.end()) {
      problems.error(table.place(row, "flow"), "the flow of this path is not in the flow file",
                     "remove the row, or correct its flow");
      continue;
    }
    Flow& flow = file.flows[at(found->second)];
    auto path = nodes_of(table.text(row, "node_path"), fabric.nodes());
    const std::string reason =
        path ? why_not(fabric, flow, *path) : "the path is no list of nodes of the topology";
    if (reason.empty())
      flow.nodes = std::move(*path);
    else
      problems.error(table.place(row, "node_path"), reason, "write nodes of the topology as in 0-32-38-33-8");
  }
}

}  // namespace echo::packets
