#include "simulate/prices/fabric.hpp"

#include <utility>
#include <vector>

#include "base/at.hpp"

namespace echo::simulate {

FabricKey fabric_of(const training::TrainingConfig& config, const machine::ClusterSpec& cluster) {
  const machine::FabricChoice& choice = config.fabric;
  FabricKey key{.topology = choice.topology,
                .routing = choice.routing,
                .oversubscription_permille = choice.oversubscription_permille,
                .scattered = choice.placement == machine::Placement::scattered};
  const machine::TopologyId topology = choice.topology.is_none() ? cluster.topology : choice.topology;
  if (cluster.nodes == 0 && machine::topology_table()[at(topology.index())]->sized)
    key.nodes = (training::gpus_of(config.degrees) + cluster.gpus_per_node - 1) / cluster.gpus_per_node;
  return key;
}

FabricKey packet_fabric_of(const training::TrainingConfig& config, const machine::ClusterSpec& own) {
  const machine::FabricChoice& choice = config.fabric;
  FabricKey key = fabric_of(config, own);
  key.congestion_control = choice.congestion_control.value_or(own.congestion_control);
  key.nic = choice.nic.is_none() ? own.nic : choice.nic;
  key.network_switch = choice.network_switch.is_none() ? own.network_switch : choice.network_switch;
  return key;
}

machine::ClusterSpec with_fabric(machine::ClusterSpec cluster, const FabricKey& key, const Catalog& catalog) {
  std::vector<machine::PacketSetting> packets;
  const auto lay = [&packets](const std::vector<machine::PacketSetting>& more) {
    packets.insert(packets.end(), more.begin(), more.end());
  };
  if (!key.nic.is_none()) lay(catalog.nics.at(at(key.nic)).settings);
  if (!key.network_switch.is_none()) lay(catalog.switches.at(at(key.network_switch)).settings);
  lay(cluster.packets);
  cluster.packets = std::move(packets);

  if (!key.topology.is_none()) cluster.topology = key.topology;
  if (key.routing) cluster.routing = *key.routing;
  if (key.congestion_control) cluster.congestion_control = *key.congestion_control;
  if (key.oversubscription_permille > 0) cluster.oversubscription = key.oversubscription_permille / 1000.0;
  if (key.nodes > 0) cluster.nodes = key.nodes;
  return cluster;
}

machine::Traffic traffic_of(ops::CollectiveKind kind, const FabricKey& key) {
  if (kind == ops::CollectiveKind::all_to_all) return machine::Traffic::all_pairs;
  return key.scattered ? machine::Traffic::scattered : machine::Traffic::neighbours;
}

}  // namespace echo::simulate
