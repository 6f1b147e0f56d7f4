// A chunk is a run of equal layer blocks. No transfer crosses the border of a layer block (each ends on the
// compute lane after its last tensor-parallel transfer), so one block times the layer count is exact.
// Gradient and parameter traffic does cross borders: chunks that carry it are composed whole. So are woven
// layers of a forward and a backward that run as one (workload/layer/pair.cpp): they end together.
// Collectives slow each other within such a block. Stages that share a node are in their prices already:
// GroupSpan::sharing counts every GPU of the node. Neglected: what transfers between stages lose to gradient
// and parameter traffic beside them, and that to them; they keep the times they have alone.
#include "simulate/step/compose_chunks.hpp"

#include <algorithm>
#include <initializer_list>

#include "simulate/prices/host_time.hpp"

namespace echo::simulate {

namespace {

Cost compose(const workload::OpGraph& graph, const Prices& prices, Slowdown slowdown,
             timeline::BlockScratchData& scratch, timeline::BlockTimes& times, timeline::BlockPaths& paths) {
  timeline::FactorTable factors = prices.factors();
  if (slowdown != Slowdown::on) factors.scale_up_loss = factors.scale_out_loss = {};
  const timeline::OpGraphView view{graph.lane, graph.part, graph.work, &graph.needs};
  times = slowdown == Slowdown::off
              ? timeline::compose_block(view, prices.alone, {}, scratch)
              : timeline::compose_block(view, prices.alone, factors, scratch, prices.bottlenecks, paths);
  Cost cost{.time = times.makespan, .exposed = times.exposed};
  for (std::size_t op = 0; op < graph.lane.size(); ++op) {
    const auto work = static_cast<std::size_t>(graph.work[op]);
    cost.total[static_cast<std::size_t>(graph.part[op])] += prices.alone[work];
    if (graph.lane[op] == Lane::compute)
      cost.graded[static_cast<std::size_t>(prices.kernels[work].grade)] += prices.alone[work];
  }
  return cost;
}

// A pass, and how the host keeps up with it.
struct Pass {
  Cost cost;
  Issue host;
  BottleneckTimes run, end;  // of cost.time, of host.end; as slowed
};

// How far ahead the host is when a pass begins.
struct Lead {
  SimTime time{};
  BottleneckTimes bottleneck;
};

Lead kept(const Host& host, std::initializer_list<const Pass*> before) {
  Lead lead;
  SimTime ahead{};
  for (const Pass* pass : before) {
    ahead += pass->host.ahead();
    lead.bottleneck.add(pass->end, 1.0);
    lead.bottleneck[Bottleneck::host] -= static_cast<double>(pass->host.issued.count());
  }
  lead.time = host.kept(ahead);
  if (lead.time < ahead || host.blocks()) {
    lead.bottleneck = {};
    lead.bottleneck[Bottleneck::host] = static_cast<double>(lead.time.count());
  }
  return lead;
}

// With the time the GPU waits for the host.
Cost behind_host(const Pass& pass, const Lead& lead) {
  Cost cost = pass.cost;
  const SimTime wait = pass.host.end - cost.time - lead.time;
  if (wait <= SimTime::zero()) return cost;
  cost.exposed[static_cast<std::size_t>(TimeCategory::other)] += wait;
  cost.time += wait;
  cost.wait = wait;
  cost.wait_bottleneck = pass.end;
  cost.wait_bottleneck.add(pass.run, -1.0);
  cost.wait_bottleneck.add(lead.bottleneck, -1.0);
  return cost;
}

// Traffic of a last backward that takes `whole`: gradients on the data lane, and behind them, where an
// optimizer on the host waits for them, their copies; the busier lane stands for both.
timeline::DataLane traffic_of(const timeline::BlockTimes& times, SimTime whole) {
  const auto data = static_cast<std::size_t>(Lane::data), host = static_cast<std::size_t>(Lane::host);
  const std::size_t lane = times.busy[host] > times.busy[data] ? host : data;
  const SimTime end = times.makespan + std::max(times.lag[data], times.lag[host]);
  return {.first_start = times.first_start[lane],
          .busy = times.busy[lane],
          .lag = std::max(SimTime::zero(), end - whole)};
}

// What a backward leaves on its data lane goes on beside the next forward. Where that begins with a gather on
// the same lane, it waits for all of it. And where backwards and forwards of one chunk alternate, no backward
// of a steady state can be done with its traffic before the one before is. Neglected: the same in pipelines.
void wait_for_traffic(const timeline::BlockTimes& times, const timeline::BlockPaths& paths,
                      const BottleneckTimes& forward, const BottleneckTimes& backward, bool gathers,
                      bool alternates, ChunkCost& cost) {
  const auto data = static_cast<std::size_t>(Lane::data), host = static_cast<std::size_t>(Lane::host);
  const SimTime round = cost.forward.time + cost.backward.time;
  SimTime wait{};
  BottleneckTimes bottleneck;
  if (alternates) {
    wait = std::max(times.busy[data], times.busy[host]) - round;
    bottleneck = (times.busy[host] > times.busy[data] ? paths.host : paths.data).busy.bottleneck;
    bottleneck.add(forward, -1.0);
    bottleneck.add(cost.forward.wait_bottleneck, -1.0);
  }
  if (gathers && times.makespan + times.lag[data] - cost.backward.time > wait) {
    wait = times.makespan + times.lag[data] - cost.backward.time;
    bottleneck = (times.lag[data] > SimTime::zero() ? paths.data.end : paths.makespan).bottleneck;
  }
  if (wait <= SimTime::zero()) return;
  bottleneck.add(backward, -1.0);
  bottleneck.add(cost.backward.wait_bottleneck, -1.0);
  cost.backward.time += wait;
  cost.backward.traffic_wait = wait;
  cost.backward.wait_bottleneck.add(bottleneck, 1.0);
  cost.backward.exposed[static_cast<std::size_t>(TimeCategory::zero_comm)] += wait;
}

}  // namespace

void compose_chunks(const training::TrainingConfig& config, const training::ModelSpec& model,
                    const training::FrameworkSpec& framework, const machine::ClusterSpec& cluster,
                    Slowdown slowdown, Workspace& ws) {
  const workload::Workload& work = ws.work;
  const auto block_count = static_cast<std::size_t>(work.block_count);
  ws.blocks.resize(block_count);
  ws.times.resize(block_count);
  ws.paths.resize(block_count);
  ws.collectives_meet = false;
  for (std::size_t i = 0; i < block_count; ++i) {
    ws.block_scratch.together = SimTime::zero();
    ws.blocks[i] = compose(work.blocks[i], ws.prices, slowdown, ws.block_scratch, ws.times[i], ws.paths[i]);
    ws.collectives_meet = ws.collectives_meet || ws.block_scratch.together > SimTime::zero();
  }

  const Host host(config, model, framework, cluster, ws.layout);
  const auto add = [&](Pass& pass, std::int32_t block, std::int32_t count) {
    const Cost& cost = ws.blocks[static_cast<std::size_t>(block)];
    const SimTime run_first = pass.host.end + count * cost.time;
    const SimTime issue = host.issue_time(work.blocks[static_cast<std::size_t>(block)]);
    pass.cost.add(cost, count);
    pass.host.add(host.blocks() ? issue + cost.time : issue, cost.time, count);
    if (slowdown == Slowdown::off) return;
    const BottleneckTimes& bottleneck = ws.paths[static_cast<std::size_t>(block)].makespan.bottleneck;
    pass.run.add(bottleneck, count);
    pass.end.add(bottleneck, count);
    if (host.blocks()) pass.end[Bottleneck::host] += static_cast<double>((count * issue).count());
    if (host.blocks() || pass.host.end == run_first) return;
    pass.end = {};
    pass.end[Bottleneck::host] = static_cast<double>(pass.host.issued.count());
  };
  const auto pass_of = [&](std::span<const workload::BlockRun> runs) {
    Pass pass;
    for (const workload::BlockRun& run : runs) add(pass, run.block, run.count);
    return pass;
  };
  ws.pairs.clear();
  for (std::int32_t row = 0; row < work.pairs.rows(); ++row) {
    const Pass pair = pass_of(work.pairs.row(row));  // pairs follow pairs
    ws.pairs.push_back(behind_host(pair, kept(host, {&pair})));
  }
  ws.chunks.resize(static_cast<std::size_t>(work.forward.rows()));
  for (std::size_t i = 0; i < ws.chunks.size(); ++i) {
    const auto chunk = static_cast<std::int32_t>(i);
    ChunkCost& cost = ws.chunks[i];
    const Pass forward = pass_of(work.forward.row(chunk)), backward = pass_of(work.backward.row(chunk)),
               weights = pass_of(work.weight_gradients.row(chunk));
    // The passes of a chunk take turns.
    const Lead before_backward = kept(host, {&forward});
    const Lead before_forward = kept(host, {&backward, &weights});
    cost.forward = cost.first_forward = behind_host(forward, before_forward);
    cost.backward = behind_host(backward, before_backward);
    cost.weights = behind_host(weights, kept(host, {&backward}));
    cost.last_backward = cost.backward;
    if (work.input_gradients.rows() == 0) {
      cost.last_backward.add(cost.weights, 1);
    } else {
      cost.input = behind_host(pass_of(work.input_gradients.row(chunk)), before_backward);
    }
    if (const std::int32_t block = work.last_backward[i]; block >= 0) {
      Pass whole;
      add(whole, block, 1);
      cost.last_backward = behind_host(whole, before_backward);
    }
    cost.gathers = cost.gathers_alone = cost.gathered = SimTime::zero();
    if (work.gathers_once) {
      Pass whole;
      add(whole, work.first_forward[i], 1);
      cost.first_forward = behind_host(whole, before_forward);
    } else if (const std::int32_t block = work.first_forward[i]; block >= 0) {
      // Every stage gathers from the start of the step on, one chunk after the other.
      for (std::size_t j = 0; j < i; ++j)
        if (ws.layout.stage_of_chunk[j] == ws.layout.stage_of_chunk[i]) cost.gathered += ws.chunks[j].gathers;
      const timeline::BlockTimes& times = ws.times[static_cast<std::size_t>(block)];
      cost.gathers = times.busy[static_cast<std::size_t>(Lane::data)];
      cost.gathers_alone =
          ws.blocks[static_cast<std::size_t>(block)].total[static_cast<std::size_t>(TimeCategory::zero_comm)];
      cost.gathered += times.makespan;
    }
    cost.data = {};
    if (const std::int32_t block = work.last_backward[i]; block >= 0)
      cost.data = traffic_of(ws.times[static_cast<std::size_t>(block)], cost.last_backward.time);
    if (work.whole_backward[i] >= 0)
      wait_for_traffic(ws.times[static_cast<std::size_t>(work.whole_backward[i])],
                       ws.paths[static_cast<std::size_t>(work.whole_backward[i])], forward.run, backward.run,
                       work.gathers_each, ws.chunks.size() == 1, cost);
  }
}

}  // namespace echo::simulate
