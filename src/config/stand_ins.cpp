#include "config/stand_ins.hpp"

#include <toml++/toml.h>

#include <array>
#include <cctype>

namespace echo::config {

namespace {

void read_gpu_like(TableReader& row, StandIns& out) {
  GpuLike gpu;
  std::int64_t capability = 0;
  double nvlink = 0.0;
  row.text("part", gpu.part), row.text("preset", gpu.preset);
  row.integer("compute_capability", {10, 999}, capability, Presence::optional);
  row.quantity("nvlink", UnitKind::bytes_per_second, positive, nvlink, Presence::optional);
  gpu.part = upper_letters(gpu.part);
  gpu.compute_capability = static_cast<std::int32_t>(capability);
  gpu.nvlink = BytesPerSecond(nvlink);
  out.gpus.push_back(std::move(gpu));
}

void read_cluster_named(TableReader& row, StandIns& out) {
  ClusterNamed cluster;
  row.text("part", cluster.part), row.text("preset", cluster.preset);
  cluster.part = upper_letters(cluster.part);
  out.clusters.push_back(std::move(cluster));
}

void read_network_like(TableReader& row, StandIns& out) {
  NetworkLike network;
  int transport = 0;
  std::int64_t generation = 0;
  row.choice("transport", {transport_names.begin(), transport_names.end()}, transport);
  row.integer("generation", {1, 99}, generation);
  row.text("network", network.network);
  network.transport = static_cast<Transport>(transport);
  network.generation = static_cast<std::int32_t>(generation);
  out.networks.push_back(std::move(network));
}

struct Section {
  std::string_view name;
  void (*read)(TableReader&, StandIns&);
};
constexpr std::array<Section, 3> sections{{{"gpu_like", read_gpu_like},
                                           {"cluster_named", read_cluster_named},
                                           {"network_like", read_network_like}}};

}  // namespace

std::string upper_letters(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

bool is_stand_in(std::string_view section) {
  for (const Section& one : sections)
    if (one.name == section) return true;
  return false;
}

void read_stand_ins(std::string_view section, const toml::node& list, StandIns& out, Problems& problems) {
  const std::string name(section);
  for (const toml::table* const table : tables_in(list, name, problems)) {
    TableReader row(*table, place_of(*table), name, problems);
    for (const Section& one : sections)
      if (one.name == section) one.read(row, out);
    row.finish();
  }
}

}  // namespace echo::config
