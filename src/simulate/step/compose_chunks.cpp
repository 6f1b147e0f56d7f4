// A chunk is a run of equal layer blocks. No transfer crosses the border of a layer block (each block ends
// on the compute lane after its last tensor-parallel transfer), so the time of one block times the layer
// count is exact. Gradient and parameter traffic does cross borders: chunks that carry it are composed as a
// whole. So are interleaved layers of a forward and a backward that run as one (workload/layer/pair.cpp):
// they end together. Collectives slow each other within such a block. Stages that share a node are in their
// prices already: GroupSpan::sharing counts every GPU of the node. Neglected: the time that transfers
// between stages lose to simultaneous gradient and parameter traffic, and that this traffic loses to them;
// they keep the times they have alone. The host's lead at the start of a forward is what the chunk's backward
// leaves, as in the steady state, also where forwards follow forwards: a faster GPU can then lengthen a step
// that the host binds, by less than a hundredth.
#include "simulate/step/compose_chunks.hpp"

#include <algorithm>
#include <initializer_list>

#include "base/at.hpp"
#include "simulate/prices/host_time.hpp"

namespace echo::simulate {

namespace {

// How much of a step's costs is worked out: all, or how long each pass takes.
enum class Detail : std::int8_t { whole, times };

// A pass, and the lead of the host over the GPU.
struct Pass {
  SimTime time{};
  Issue host;
  BottleneckTimes run, end;  // of time, of host.end; as slowed
};

// The lead of the host when a pass begins.
struct Lead {
  SimTime time{};
  BottleneckTimes bottleneck;
};

Lead kept(const Host& host, Detail detail, std::initializer_list<const Pass*> before) {
  Lead lead;
  SimTime ahead{};
  for (const Pass* pass : before) ahead += pass->host.ahead();
  lead.time = host.kept(ahead);
  if (detail == Detail::times) return lead;
  for (const Pass* pass : before) {
    lead.bottleneck.add(pass->end, 1.0);
    lead.bottleneck[Bottleneck::host] -= static_cast<double>(pass->host.issued.count());
  }
  if (lead.time < ahead || host.blocks()) {
    lead.bottleneck = {};
    lead.bottleneck[Bottleneck::host] = static_cast<double>(lead.time.count());
  }
  return lead;
}

// Adds the time that the GPU waits for the host to `cost`, that of the pass; of which only the time counts
// where only times are asked for.
void put_behind_host(const Pass& pass, const Lead& lead, Detail detail, Cost& cost) {
  const SimTime wait = pass.host.end - pass.time - lead.time;
  if (detail == Detail::times) {
    cost.time = pass.time + std::max(SimTime::zero(), wait);
    return;
  }
  cost.issued = pass.host.issued;
  if (wait <= SimTime::zero()) return;
  cost.exposed[at(TimeCategory::other)] += wait;
  cost.time += wait;
  cost.wait = wait;
  cost.wait_bottleneck = pass.end;
  cost.wait_bottleneck.add(pass.run, -1.0);
  cost.wait_bottleneck.add(lead.bottleneck, -1.0);
}

// Traffic of a last backward that takes `whole`: gradients on the data lane, followed by their copies to the
// host where an optimizer there waits for them; the busier lane represents both.
timeline::DataLane traffic_of(const timeline::BlockTimes& times, SimTime whole) {
  const std::size_t data = at(Lane::data), host = at(Lane::host);
  const std::size_t lane = times.busy[host] > times.busy[data] ? host : data;
  const SimTime end = times.makespan + std::max(times.lag[data], times.lag[host]);
  return {.first_start = times.first_start[lane],
          .busy = times.busy[lane],
          .lag = std::max(SimTime::zero(), end - whole)};
}

// The traffic that a backward leaves on its data lane continues beside the next forward. Where that forward
// begins with a gather on the same lane, it waits for all of the traffic. And where backwards and forwards
// of one chunk alternate, the traffic of a backward in the steady state cannot end before that of the
// previous one. Neglected: the same in pipelines.
enum class TrafficWait : std::int8_t { none, for_round, for_end };
struct WaitForTraffic {
  SimTime time{};
  TrafficWait what = TrafficWait::none;
};
WaitForTraffic wait_for_traffic(const timeline::BlockTimes& times, bool gathers, bool alternates,
                                const ChunkCost& cost) {
  const std::size_t data = at(Lane::data), host = at(Lane::host);
  const SimTime late = cost[PassKind::backward].time;
  WaitForTraffic wait;
  if (alternates)
    wait = {std::max(times.busy[data], times.busy[host]) - (cost[PassKind::forward].time + late),
            TrafficWait::for_round};
  if (gathers && times.makespan + times.lag[data] - late > wait.time)
    wait = {times.makespan + times.lag[data] - late, TrafficWait::for_end};
  return wait.time > SimTime::zero() ? wait : WaitForTraffic{};
}

// Adds the wait to the backward, with what it depends on: `forward`, `backward`: the bottlenecks of the
// passes.
void charge_traffic(const WaitForTraffic& wait, const timeline::BlockTimes& times,
                    const timeline::BlockPaths& paths, const BottleneckTimes& forward,
                    const BottleneckTimes& backward, ChunkCost& cost) {
  const std::size_t data = at(Lane::data), host = at(Lane::host);
  Cost& late = cost[PassKind::backward];
  BottleneckTimes bottleneck;
  if (wait.what == TrafficWait::for_round) {
    bottleneck = (times.busy[host] > times.busy[data] ? paths.host : paths.data).busy.bottleneck;
    bottleneck.add(forward, -1.0);
    bottleneck.add(cost[PassKind::forward].wait_bottleneck, -1.0);
  } else {
    bottleneck = (times.lag[data] > SimTime::zero() ? paths.data.end : paths.makespan).bottleneck;
  }
  bottleneck.add(backward, -1.0);
  bottleneck.add(late.wait_bottleneck, -1.0);
  late.time += wait.time;
  late.traffic_wait = wait.time;
  late.wait_bottleneck.add(bottleneck, 1.0);
  late.exposed[at(TimeCategory::zero_comm)] += wait.time;
}

class ChunkComposer {
 public:
  ChunkComposer(const StepInput& input, Slowdown slowdown, Detail detail, ComposedStep& out)
      : input_(input),
        work_(input.work),
        host_(input.config, input.model, input.framework, input.cluster, input.layout),
        slowdown_(slowdown),
        detail_(detail),
        out_(out) {}

  void compose_pairs() {
    out_.pairs.clear();
    for (std::int32_t row = 0; row < work_.pairs.rows(); ++row) {
      Pass pair;
      Cost& cost = out_.pairs.emplace_back();
      for (const workload::BlockRun& run : work_.pairs.row(row)) add(pair, cost, run);
      put(pair, kept({&pair}), cost);  // pairs follow pairs
    }
  }

  void compose(ChunkId chunk) {
    // Most chunks are alike, run the same blocks and cost the same.
    if (chunk != ChunkId(0) && twin_of(chunk) == twin_of(chunk + (-1))) {
      out_.chunks.repeat();
      return time_gathers(chunk);
    }
    ChunkCost& cost = out_.chunks.add();
    const bool split = work_.backwards == workload::Backward::split;
    const PassKind usual = split ? PassKind::input_gradients : PassKind::backward;
    clear(cost[PassKind::input_gradients]);
    const Pass forward = fill(PassKind::forward, chunk, cost), backward = fill(usual, chunk, cost),
               weights = fill(PassKind::weight_gradients, chunk, cost);
    // The passes of a chunk take turns.
    const Lead before_backward = kept({&forward});
    const Lead before_forward = kept({&backward, &weights});
    put(forward, before_forward, cost[PassKind::forward]);
    put(weights, kept({&backward}), cost[PassKind::weight_gradients]);
    put(backward, before_backward, cost[usual]);
    if (split) {
      copy(cost[PassKind::input_gradients], cost[PassKind::backward]);
      if (detail_ == Detail::times)
        cost[PassKind::backward].time += cost[PassKind::weight_gradients].time;
      else
        cost[PassKind::backward].add(cost[PassKind::weight_gradients], 1);
    } else if (work_.backwards == workload::Backward::both) {
      put(fill(PassKind::input_gradients, chunk, cost), before_backward, cost[PassKind::input_gradients]);
    }
    if (own_block(work_, PassKind::last_backward, chunk).is_none())
      copy(cost[PassKind::backward], cost[PassKind::last_backward]);
    else
      put(fill(PassKind::last_backward, chunk, cost), before_backward, cost[PassKind::last_backward]);
    if (work_.gathers_once)
      put(fill(PassKind::first_forward, chunk, cost), before_forward, cost[PassKind::first_forward]);
    else
      copy(cost[PassKind::forward], cost[PassKind::first_forward]);
    time_gathers(chunk);
    time_traffic(chunk, forward.run, backward.run, cost);
  }

 private:
  [[nodiscard]] Lead kept(std::initializer_list<const Pass*> before) const {
    return simulate::kept(host_, detail_, before);
  }
  void put(const Pass& pass, const Lead& lead, Cost& cost) const {
    put_behind_host(pass, lead, detail_, cost);
  }

  [[nodiscard]] std::int32_t twin_of(ChunkId chunk) const { return input_.layout.twin_of_chunk[at(chunk)]; }

  void clear(Cost& cost) const {
    if (detail_ == Detail::times)
      cost.time = SimTime::zero();
    else
      cost = {};
  }
  void copy(const Cost& from, Cost& to) const {
    if (detail_ == Detail::times)
      to.time = from.time;
    else
      to = from;
  }

  void add(Pass& pass, Cost& sum, const workload::BlockRun& run) const {
    const Cost& cost = out_.blocks[at(run.block)];
    const SimTime run_first = pass.host.end + run.count * cost.time;
    const SimTime issue = host_.issue_time(work_.blocks[at(run.block)]);
    pass.host.add(host_.blocks() ? issue + cost.time : issue, cost.time, run.count);
    pass.time += run.count * cost.time;
    if (detail_ == Detail::times) return;
    sum.add(cost, run.count);
    sum.peers += run.count * host_.peers_of(work_.blocks[at(run.block)]);
    if (slowdown_ == Slowdown::off) return;
    const BottleneckTimes& bottleneck = out_.paths[at(run.block)].makespan.bottleneck;
    pass.run.add(bottleneck, run.count);
    pass.end.add(bottleneck, run.count);
    if (host_.blocks()) pass.end[Bottleneck::host] += static_cast<double>((run.count * issue).count());
    if (host_.blocks() || pass.host.end == run_first) return;
    pass.end = {};
    pass.end[Bottleneck::host] = static_cast<double>(pass.host.issued.count());
  }

  // Fills what the pass costs by itself.
  [[nodiscard]] Pass fill(PassKind kind, ChunkId chunk, ChunkCost& cost) const {
    Pass pass;
    clear(cost[kind]);
    each_run(work_, kind, chunk, [&](const workload::BlockRun& run) { add(pass, cost[kind], run); });
    return pass;
  }

  // For gathers that depend on nothing: every stage gathers from the start of the step, one chunk after the
  // other.
  void time_gathers(ChunkId chunk) const {
    ChunkGathers& gathers = out_.gathers.emplace_back();
    const BlockId block = own_block(work_, PassKind::first_forward, chunk);
    if (work_.gathers_once || block.is_none()) return;
    const timeline::BlockTimes& times = out_.times[at(block)];
    gathers.busy = times.busy[at(Lane::data)];
    gathers.alone = out_.blocks[at(block)].total[at(TimeCategory::zero_comm)];
    SimTime& before = out_.gathered[at(input_.layout.stage_of_chunk[at(chunk)])];
    gathers.gathered = before + times.makespan;
    before += gathers.busy;
  }

  void time_traffic(ChunkId chunk, const BottleneckTimes& forward, const BottleneckTimes& backward,
                    ChunkCost& cost) const {
    const BlockId last = own_block(work_, PassKind::last_backward, chunk);
    cost.data = last.is_none() ? timeline::DataLane{}
                               : traffic_of(out_.times[at(last)], cost[PassKind::last_backward].time);
    const BlockId whole = work_.whole_backward[at(chunk)];
    if (whole.is_none()) return;
    const timeline::BlockTimes& times = out_.times[at(whole)];
    const WaitForTraffic wait = wait_for_traffic(times, work_.gathers_each, work_.forward.rows() == 1, cost);
    if (wait.what == TrafficWait::none) return;
    if (detail_ == Detail::times)
      cost[PassKind::backward].time += wait.time;
    else
      charge_traffic(wait, times, out_.paths[at(whole)], forward, backward, cost);
  }

  const StepInput& input_;
  const workload::Workload& work_;
  const Host host_;
  const Slowdown slowdown_;
  const Detail detail_;
  ComposedStep& out_;
};

}  // namespace

static void compose_from_blocks(const StepInput& input, Slowdown slowdown, Detail detail, ComposedStep& out) {
  ChunkComposer composer(input, slowdown, detail, out);
  composer.compose_pairs();
  out.chunks.clear();
  out.gathers.clear();
  out.gathered.assign(input.layout.classes.size(), SimTime::zero());
  for (const ChunkId chunk : ids<ChunkId>(input.work.forward.rows())) composer.compose(chunk);
}

static void make_room(const StepInput& input, ComposedStep& out) {
  const std::size_t blocks = at(input.work.block_count);
  out.blocks.resize(blocks);
  out.times.resize(blocks);
  out.paths.resize(blocks);
}

void compose_chunks(const StepInput& input, Slowdown slowdown, timeline::BlockScratchData& scratch,
                    ComposedStep& out, BlockMemo* memo) {
  make_room(input, out);
  const auto take = [&](std::size_t i, const ComposedBlock& block) {
    out.blocks[i] = block.cost, out.times[i] = block.times, out.paths[i] = block.paths;
  };
  for (const BlockId block : ids<BlockId>(input.work.block_count)) {
    if (memo != nullptr)
      take(at(block), memo->of(input, block, slowdown, scratch));
    else
      take(at(block), compose_one(input.work.blocks[at(block)], input.prices, slowdown, scratch));
  }
  compose_from_blocks(input, slowdown, Detail::whole, out);
}

void time_chunks(const StepInput& input, Slowdown slowdown, timeline::BlockScratchData& scratch,
                 ComposedStep& out, BlockMemo& memo) {
  make_room(input, out);
  for (const BlockId block : ids<BlockId>(input.work.block_count)) {
    out.times[at(block)] = memo.times_of(input, block, slowdown, scratch);
    out.blocks[at(block)].time = out.times[at(block)].makespan;
  }
  compose_from_blocks(input, slowdown, Detail::times, out);
}

}  // namespace echo::simulate
