// The kind of a fabric determines its defaults: its routing, and the latency of a switch. InfiniBand's
// adaptive routing, Slingshot's and the packet spray of EFA's transport leave negligible collisions; RoCE
// and plain Ethernet hash flows (ECMP). Sources: NVIDIA Quantum-2 QM9700 (below 130 ns); De Sensi et al.,
// "An in-depth analysis of the Slingshot interconnect", SC 2020 (350 ns, adaptive per packet); Ethernet
// switches of 100 to 400 Gb/s, data sheets 500-800 ns; Shalev et al., "A cloud-optimized transport protocol
// for elastic and scalable HPC", IEEE Micro 2020 (SRD sprays packets; no figure for a hop, so it must be
// given). Neglected: bandwidth that DCQCN leaves unused after an incast, for which no figure was found that
// belongs to a mechanism and not to one cluster.
#include "config/catalog/cluster_fabric.hpp"

#include <toml++/toml.h>

#include <array>

#include "base/at.hpp"
#include "config/catalog/packet_preset.hpp"
#include "machine/topology.hpp"

namespace echo::config {
namespace {

using machine::CongestionControl;
using machine::Fabric;
using machine::Routing;

struct Make {
  Routing routing;
  machine::CongestionControl control;
  double hop_seconds;  // 0 = not known
};

Make make_of(Fabric fabric) {
  switch (fabric) {
    case Fabric::infiniband:
      return {Routing::adaptive, CongestionControl::none, 130e-9};
    case Fabric::roce:
    case Fabric::ethernet:
      return {Routing::ecmp, CongestionControl::dcqcn, 600e-9};
    case Fabric::slingshot:
      return {Routing::adaptive, CongestionControl::none, 350e-9};
    case Fabric::efa:
      return {Routing::adaptive, CongestionControl::swift, 0.0};
  }
  return {};
}

template <std::size_t n>
std::vector<std::string> words(const std::array<std::string_view, n>& names) {
  return {names.begin(), names.end()};
}

std::int32_t count(TableReader& file, std::string_view key, Range range, std::int32_t otherwise = 0) {
  std::int64_t value = otherwise;
  file.integer(key, range, value, Presence::optional);
  return static_cast<std::int32_t>(value);
}

void read_packet_keys(TableReader& file, ClusterFile& read) {
  const auto preset = [&](const char* key, std::string& name, Place& place) {
    place = file.place();
    if (const toml::node* node = file.node(key, Presence::optional)) place = place_of(*node);
    file.text(key, name, Presence::optional);
  };
  preset("nic", read.nic, read.nic_place);
  preset("switch", read.network_switch, read.switch_place);
  if (const toml::table* own = file.table("packets", Presence::optional))
    read_packet_settings(*own, "", file.problems(), read.spec.packets);
}

void read_topology(TableReader& file, ClusterFile& read) {
  std::vector<std::string> names;
  for (const machine::Topology* topology : machine::topology_table()) names.emplace_back(topology->name);
  int topology = -1;
  file.choice("topology", names, topology);
  read.spec.topology = machine::TopologyId(topology);
  if (const toml::node* node = file.node("topology_file", Presence::optional))
    read.fabric_place = place_of(*node);
  file.text("topology_file", read.fabric_path, Presence::optional);
  const bool is_file = topology >= 0 && names[at(topology)] == "file";
  if (is_file == read.fabric_path.empty())
    file.problems().error(file.place(), "topology = \"file\" and topology_file must be given together",
                          "give both or neither");
}

}  // namespace

void read_fabric_keys(TableReader& file, ClusterFile& read) {
  machine::ClusterSpec& cluster = read.spec;
  read_topology(file, read);
  file.real("oversubscription", {1.0, 1000.0}, cluster.oversubscription, Presence::optional);
  cluster.nodes_per_leaf = count(file, "nodes_per_leaf", {0, 1e6});
  cluster.leaves_per_pod = count(file, "leaves_per_pod", {0, 1e6});
  file.real("spine_oversubscription", {1.0, 1000.0}, cluster.spine_oversubscription, Presence::optional);
  cluster.groups = count(file, "groups", {0, 1e5});
  cluster.planes = count(file, "planes", {1, 16}, cluster.planes);
  std::vector<std::int32_t> dims;
  if (file.integers("dims", {1, 65536}, {2, 3}, dims, Presence::optional) && dims.size() >= 2) {
    cluster.dims = {1, 1, 1};
    std::copy(dims.begin(), dims.end(), cluster.dims.end() - static_cast<std::ptrdiff_t>(dims.size()));
  }
  int fabric = static_cast<int>(Fabric::infiniband), routing = -1;
  file.choice("fabric", words(machine::fabric_names), fabric, Presence::optional);
  cluster.fabric = static_cast<Fabric>(fabric);
  const Make make = make_of(cluster.fabric);
  file.choice("routing", words(machine::routing_names), routing, Presence::optional);
  cluster.routing = routing < 0 ? make.routing : static_cast<Routing>(routing);
  int control = -1;
  file.choice("congestion_control", words(machine::congestion_control_names), control, Presence::optional);
  cluster.congestion_control = control < 0 ? make.control : static_cast<CongestionControl>(control);
  read_packet_keys(file, read);
  double hop = make.hop_seconds;
  file.quantity("scale_out_hop_latency", UnitKind::duration, {0.0, 1e6}, hop,
                hop > 0.0 ? Presence::optional : Presence::require);
  cluster.scale_out.latency = from_seconds(hop);
}

}  // namespace echo::config
