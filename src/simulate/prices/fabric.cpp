#include "simulate/prices/fabric.hpp"

#include "base/named_table.hpp"

namespace echo::simulate {

static machine::TopologyId chosen_topology(std::int32_t word, const machine::ClusterSpec& cluster) {
  if (word == 0) return cluster.topology;
  static const auto words =
      training::recipe_choices()[static_cast<std::size_t>(training::choice_named("topology"))].words;
  return machine::TopologyId(find_named(machine::topology_table(), words[static_cast<std::size_t>(word)]));
}

FabricChoice fabric_of(const training::TrainingConfig& config, const machine::ClusterSpec& cluster) {
  const training::Recipe& recipe = config.recipe;
  FabricChoice choice{.topology = recipe.topology,
                      .routing = recipe.routing,
                      .oversubscription_permille = recipe.oversubscription_permille,
                      .scattered = recipe.placement == machine::Placement::scattered};
  const machine::TopologyId topology = chosen_topology(recipe.topology, cluster);
  if (cluster.nodes == 0 && machine::topology_table()[static_cast<std::size_t>(topology.index())]->sized)
    choice.nodes = (training::gpus_of(config.degrees) + cluster.gpus_per_node - 1) / cluster.gpus_per_node;
  return choice;
}

machine::ClusterSpec with_fabric(machine::ClusterSpec cluster, const FabricChoice& choice) {
  cluster.topology = chosen_topology(choice.topology, cluster);
  if (choice.routing > 0) cluster.routing = static_cast<machine::Routing>(choice.routing - 1);
  if (choice.oversubscription_permille > 0)
    cluster.oversubscription = choice.oversubscription_permille / 1000.0;
  if (choice.nodes > 0) cluster.nodes = choice.nodes;
  return cluster;
}

machine::Traffic traffic_of(ops::CollectiveKind kind, const FabricChoice& choice) {
  if (kind == ops::CollectiveKind::all_to_all) return machine::Traffic::all_pairs;
  return choice.scattered ? machine::Traffic::scattered : machine::Traffic::neighbours;
}

}  // namespace echo::simulate
