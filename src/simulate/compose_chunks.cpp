// A chunk is a run of equal layer blocks. No transfer crosses the border of a layer block (each ends on the
// compute lane after its last tensor-parallel transfer), so one block times the layer count is exact.
// Gradient and parameter traffic does cross borders: chunks that carry it are composed whole.
//
// The host issues kernels ahead of the GPU; over a chunk it binds only as a sum (launches * host time per
// kernel).
#include "simulate/compose_chunks.hpp"

#include <algorithm>

namespace echo::simulate {

namespace {

Cost compose(const workload::OpGraph& graph, const Prices& prices, Slowdown slowdown,
             timeline::BlockScratchData& scratch, timeline::BlockTimes& times) {
  timeline::FactorTable factors{.kernels = static_cast<std::int32_t>(prices.kernels.size()),
                                .collectives = static_cast<std::int32_t>(prices.collectives.size())};
  if (slowdown == Slowdown::on) {
    factors.kernel_factor = prices.kernel_factor;
    factors.collective_factor = prices.collective_factor;
  }
  times = timeline::compose_block({graph.lane, graph.part, graph.work, &graph.needs}, prices.alone, factors,
                                  scratch);
  Cost cost{.time = times.makespan, .exposed = times.exposed};
  for (std::size_t op = 0; op < graph.lane.size(); ++op) {
    const auto work = static_cast<std::size_t>(graph.work[op]);
    cost.total[static_cast<std::size_t>(graph.part[op])] += prices.alone[work];
    if (graph.lane[op] == Lane::compute)
      cost.graded[static_cast<std::size_t>(prices.kernels[work].grade)] += prices.alone[work];
  }
  return cost;
}

// Stretches a pass to the time the host needs to issue it.
void bound_by_host(Cost& cost, SimTime host) {
  if (host <= cost.time) return;
  cost.exposed[static_cast<std::size_t>(Part::other)] += host - cost.time;
  cost.time = host;
}

}  // namespace

void compose_chunks(const training::FrameworkSpec& framework, Slowdown slowdown, Workspace& ws) {
  const workload::Workload& work = ws.work;
  const auto block_count = static_cast<std::size_t>(work.block_count);
  ws.blocks.resize(block_count);
  ws.times.resize(block_count);
  for (std::size_t i = 0; i < block_count; ++i)
    ws.blocks[i] = compose(work.blocks[i], ws.prices, slowdown, ws.block_scratch, ws.times[i]);

  const std::int64_t peers = ws.layout.pipeline.ranks > 1 ? ws.layout.tensor.ranks : 0;
  const auto host_time = [&](std::int32_t block) {
    const workload::OpGraph& graph = work.blocks[static_cast<std::size_t>(block)];
    return graph.launches * framework.host_per_kernel + graph.transfers * peers * framework.host_per_peer;
  };
  const auto pass = [&](std::span<const workload::BlockRun> runs) {
    Cost cost;
    SimTime host{};
    for (const workload::BlockRun& run : runs) {
      cost.add(ws.blocks[static_cast<std::size_t>(run.block)], run.count);
      host += run.count * host_time(run.block);
    }
    bound_by_host(cost, host);
    return cost;
  };
  const auto whole = [&](std::int32_t block, const Cost& otherwise) {
    if (block < 0) return otherwise;
    Cost cost = ws.blocks[static_cast<std::size_t>(block)];
    bound_by_host(cost, host_time(block));
    return cost;
  };
  ws.chunks.resize(static_cast<std::size_t>(work.forward.rows()));
  for (std::size_t i = 0; i < ws.chunks.size(); ++i) {
    const auto chunk = static_cast<std::int32_t>(i);
    ChunkCost& cost = ws.chunks[i];
    cost.forward = pass(work.forward.row(chunk));
    cost.backward = pass(work.backward.row(chunk));
    cost.weights = pass(work.weight_gradients.row(chunk));
    Cost both = cost.backward;
    both.add(cost.weights, 1);
    cost.last_backward = whole(work.last_backward[i], both);
    cost.gathers = cost.gathers_alone = cost.gathered = SimTime::zero();
    if (const std::int32_t block = work.first_forward[i]; block >= 0) {
      // Every stage gathers from the start of the step on, one chunk after the other.
      for (std::size_t j = 0; j < i; ++j)
        if (ws.layout.stage_of_chunk[j] == ws.layout.stage_of_chunk[i]) cost.gathered += ws.chunks[j].gathers;
      const timeline::BlockTimes& times = ws.times[static_cast<std::size_t>(block)];
      cost.gathers = times.busy[static_cast<std::size_t>(Lane::data)];
      cost.gathers_alone =
          ws.blocks[static_cast<std::size_t>(block)].total[static_cast<std::size_t>(Part::zero_comm)];
      cost.gathered += times.makespan;
    }
    cost.data = {};
    if (const std::int32_t block = work.last_backward[i]; block >= 0) {
      const timeline::BlockTimes& times = ws.times[static_cast<std::size_t>(block)];
      const auto data = static_cast<std::size_t>(Lane::data);
      const SimTime end = times.makespan + times.lag[data];
      cost.data = {.first_start = times.first_start[data],
                   .busy = times.busy[data],
                   .lag = std::max(SimTime::zero(), end - cost.last_backward.time)};
    }
  }
}

}  // namespace echo::simulate
