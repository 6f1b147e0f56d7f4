#include "simulate/prices/newest_first.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "timeline/block/queue_order.hpp"

namespace echo::simulate {

bool serves_newest_first(const training::TrainingConfig& config, const machine::ClusterSpec& cluster) {
  const training::Recipe& recipe = config.recipe;
  if (recipe.collectives != ops::CollectiveModel::generic) return false;
  if (cluster.dimensions.is_given())
    return cluster.dimensions.lifo || recipe.generic_queue == ops::ChunkQueue::lifo;
  const bool by_dimension = recipe.generic_algorithm == ops::GenericAlgorithm::best ||
                            recipe.generic_algorithm == ops::GenericAlgorithm::hierarchical;
  return by_dimension && recipe.generic_queue == ops::ChunkQueue::lifo;
}

static void put_in_order(const std::vector<OpId>& order, workload::OpGraph& graph) {
  std::vector<OpId> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[at(order[i])] = OpId(static_cast<std::int32_t>(i));
  workload::OpGraph ordered;
  for (const OpId op : order) {
    ordered.lane.push_back(graph.lane[at(op)]);
    ordered.part.push_back(graph.part[at(op)]);
    ordered.work.push_back(graph.work[at(op)]);
    for (const OpId need : graph.needs.row(op)) ordered.needs.push(place[at(need)]);
    ordered.needs.close_row();
  }
  graph.lane = std::move(ordered.lane), graph.part = std::move(ordered.part);
  graph.work = std::move(ordered.work), graph.needs = std::move(ordered.needs);
}

void serve_newest_first(const Prices& prices, std::int32_t first, workload::Workload& work) {
  for (std::int32_t block = first; block < work.block_count; ++block) {
    workload::OpGraph& graph = work.blocks[at(block)];
    put_in_order(
        timeline::order_newest_first({graph.lane, graph.part, graph.work, &graph.needs}, prices.alone),
        graph);
  }
}

}  // namespace echo::simulate
