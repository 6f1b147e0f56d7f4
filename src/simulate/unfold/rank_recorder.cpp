// Blocks follow each other on the compute stream. An op of another stream that needs nothing starts with its
// block, so it is recorded after the compute op before the block; only gathers of ZeRO-1 and 2 run ahead
// from the start of the step. Where stages do not overlap their transfers, the next task begins after the
// send has ended. A receive is posted when the task before it has ended, as Megatron's 1F1B does. In orders
// of several chunks per stage, or with split backwards, stages that post so late would wait for each other's
// sends forever; there receives are posted as soon as the previous one is done. The ops of the tail are one
// chain behind everything else.
//
// A collective of weights or gradients does not record the pass to which it belongs: it takes the pass of
// the op it needs. A step of a ring is a send to the next rank and a receive from the previous one, issued
// as one.
#include "simulate/unfold/rank_recorder.hpp"

#include <algorithm>

namespace echo::simulate {

namespace {

using ops::CollectiveKind;
using timeline::Task;
using timeline::TaskKind;
using trace::NodeKind;
using trace::Pass;
using training::GroupKind;

// Streams of transfers are numbered after the lanes: in and out, from and to the stages before and after,
// for each direction; then sends round a ring, whose receives are on the lane.
constexpr std::int32_t compute_stream = 0, hop_streams = lane_count, ring_stream = hop_streams + 8;

std::int32_t stream_of(Lane lane) { return static_cast<std::int32_t>(lane); }

std::optional<Pass> own_pass(TimeCategory part) {
  switch (part) {
    case TimeCategory::forward:
      return Pass::forward;
    case TimeCategory::backward:
      return Pass::backward;
    case TimeCategory::recompute:
      return Pass::recompute;
    case TimeCategory::optimizer:
      return Pass::optimizer;
    default:
      return std::nullopt;
  }
}

Pass pass_of_task(const Task& task) {
  return task.kind == TaskKind::forward ? Pass::forward : Pass::backward;
}

// Number format of tensors stored between kernels: with narrow formats they stay in 16 bit.
machine::Precision wide(machine::Precision p) {
  if (machine::is_narrow(p)) return machine::Precision::bf16;
  return p == machine::Precision::tf32 ? machine::Precision::fp32 : p;
}

machine::Precision precision_of(const ops::CollectiveQuery& query, GroupKind kind,
                                const training::TrainingConfig& config) {
  const bool is_number = kind == GroupKind::model || kind == GroupKind::stage || query.payload == Bytes(4);
  const bool sums = query.kind == CollectiveKind::all_reduce ||
                    query.kind == CollectiveKind::reduce_scatter || query.kind == CollectiveKind::reduce;
  const trace::GroupRole role = role_of(kind);
  const bool is_gradient = sums && (role == trace::GroupRole::data || role == trace::GroupRole::shard ||
                                    role == trace::GroupRole::pipeline);
  if (is_number || (is_gradient && config.recipe.fp32_gradients)) return machine::Precision::fp32;
  return wide(config.precision);
}

// Whether a stage has one chunk and the program sets the order of its whole backwards itself.
bool takes_turns(const training::TrainingConfig& config, const SimulatedStep& step) {
  return step.layout.stage_of_chunk.size() == step.composed.pipeline.stages.size() &&
         step.work.backwards == workload::Backward::whole &&
         config.schedule.index() < static_cast<std::int32_t>(timeline::schedule_table().size());
}

void keep_distinct(std::vector<std::int32_t>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (!nodes.empty() && nodes.front() < 0) nodes.erase(nodes.begin());
}

}  // namespace

std::int32_t TraceTables::name(const std::string& text) {
  const auto [place, fresh] = names.try_emplace(text, static_cast<std::int32_t>(trace.names.size()));
  if (fresh) trace.names.push_back(text);
  return place->second;
}

RankTraceWriter::RankTraceWriter(const training::TrainingConfig& config, const SimulatedStep& step,
                                 TraceTables& tables, std::int32_t rank, trace::RankTrace& out,
                                 std::vector<TimeCategory>& parts)
    : config_(config),
      step_(step),
      tables_(tables),
      out_(out),
      parts_(parts),
      of_stage_(training::gpus_of(config.degrees) / config.degrees.pipeline),
      stage_(rank / of_stage_),
      posts_late_(!config.overlap.pipeline && takes_turns(config, step)) {
  out_.rank = rank;
  last_.fill(-1);
}

RankTraceWriter::NodeIndex RankTraceWriter::add(Draft draft) {
  const auto index = static_cast<NodeIndex>(out_.nodes.size());
  draft.node.id = index;
  keep_distinct(draft.needs);
  keep_distinct(draft.follows);
  for (const NodeIndex node : draft.needs) out_.needs.push(node);
  for (const NodeIndex node : draft.follows) out_.follows.push(node);
  out_.needs.close_row();
  out_.follows.close_row();
  out_.nodes.push_back(draft.node);
  parts_.push_back(draft.part);
  return last_[at(draft.node.stream)] = index;
}

void RankTraceWriter::describe_kernel(KernelId kernel_id, Draft& draft) {
  const ops::KernelKey& kernel = step_.work.kernels[at(kernel_id)];
  draft.node.kind = NodeKind::compute;
  draft.node.precision = kernel.precision;
  draft.node.name = tables_.name(ops::name_of(kernel.kind));
  draft.node.kernel = kernel_id.index();
  draft.node.flops = ops::flops_of(kernel).value;
  draft.node.bytes = ops::traffic_of(kernel);
}

const ops::CollectiveQuery& RankTraceWriter::collective_query(WorkId work) const {
  return step_.work.collectives[at(collective_of(work, length_of(step_.work.kernels)))];
}

void RankTraceWriter::describe_collective(const ops::CollectiveQuery& query, GroupKind kind, Draft& draft) {
  trace::Node& node = draft.node;
  node.kind = NodeKind::collective;
  node.collective = query.kind;
  node.bytes = query.payload;
  std::string name(ops::collective_kind_names[at(query.kind)]);
  const bool of_host = query.kind == CollectiveKind::host_copy || query.kind == CollectiveKind::host_update;
  if (!of_host) {
    node.group = tables_.groups.group(kind, out_.rank);
    node.precision = precision_of(query, kind, config_);
    name += " " + std::string(training::group_kind_names[at(kind)]);
  }
  node.name = tables_.name(name);
  if (query.kind != CollectiveKind::broadcast && query.kind != CollectiveKind::reduce) return;
  const std::vector<std::int32_t>& ranks = tables_.trace.groups[at(node.group)].ranks;
  node.peer = ranks[at(roots_++) % ranks.size()];  // owners take turns
}

std::optional<RankTraceWriter::Hop> RankTraceWriter::hop_of(const Task& task, bool incoming) const {
  if (task.kind == TaskKind::backward_weight) return std::nullopt;
  const bool down = incoming == (task.kind == TaskKind::forward);  // towards chunk - 1
  const std::size_t chunk = at(task.chunk);
  if (down ? step_.layout.opens_model(chunk) : step_.layout.closes_model(chunk)) return std::nullopt;
  const std::int32_t peer = step_.layout.stage_of_chunk[down ? chunk - 1 : chunk + 1];
  if (peer == stage_) return std::nullopt;
  return Hop{.number = (down ? task.chunk - 1 : task.chunk).index(),
             .peer = out_.rank + (peer - stage_) * of_stage_};
}

RankTraceWriter::Draft RankTraceWriter::transfer(const Task& task, Hop hop, bool incoming) {
  const bool forward = task.kind == TaskKind::forward;
  const std::size_t number = at(hop.number);
  SimTime time = (forward ? step_.prices.hop_forward : step_.prices.hop_backward)[number];
  if (!step_.work.hop_gather.is_none()) time -= step_.prices.alone[at(step_.work.hop_gather)];
  Draft draft{.node = {.kind = incoming ? NodeKind::recv : NodeKind::send,
                       .pass = pass_of_task(task),
                       .collective = CollectiveKind::send_recv,
                       .precision = wide(config_.precision),
                       .duration = time,
                       .bytes = step_.work.hop_within.payload},
              .part = TimeCategory::pp_comm};
  const std::int64_t of_chunk = training::microbatches_of(config_);
  draft.node.tag = (hop.number * of_chunk + task.microbatch.index()) * 2 + (forward ? 0 : 1);
  draft.node.peer = hop.peer;
  draft.node.group = tables_.groups.group(GroupKind::pipeline, out_.rank);
  const bool before = hop.peer < out_.rank;
  draft.node.stream = hop_streams + (forward ? 0 : 4) + (before ? 0 : 2) + (incoming ? 0 : 1);
  draft.node.name =
      tables_.name(std::string(incoming ? "recv " : "send ") + (forward ? "activations" : "gradients"));
  return draft;
}

void RankTraceWriter::receive(const Task& task, std::vector<NodeIndex>& arrived) {
  const std::optional<Hop> hop = hop_of(task, true);
  if (!hop) return;
  Draft draft = transfer(task, *hop, true);
  if (posts_late_) draft.follows = {last_[compute_stream]};
  NodeIndex node = add(std::move(draft));
  if (!step_.work.hop_gather.is_none()) {
    const WorkId work = step_.work.hop_gather;
    Draft gather{.node = {.pass = pass_of_task(task),
                          .stream = stream_of(Lane::tensor),
                          .duration = step_.prices.alone[at(work)]},
                 .part = TimeCategory::pp_comm,
                 .needs = {node}};
    describe_collective(collective_query(work), GroupKind::tensor, gather);
    node = add(std::move(gather));
  }
  arrived.push_back(node);
}

void RankTraceWriter::send(const Task& task) {
  const std::optional<Hop> hop = hop_of(task, false);
  if (!hop) return;
  Draft draft = transfer(task, *hop, false);
  draft.needs = {last_[compute_stream]};
  const NodeIndex node = add(std::move(draft));
  if (!config_.overlap.pipeline) blocking_send_ = node;
}

void RankTraceWriter::write_task(const Slice& slice) {
  const TaskBlocks blocks = blocks_of(slice, step_);
  Border border{.gathers_ahead = blocks.gathers_ahead, .done = {}};
  receive(slice.task, border.inputs);
  if (slice.is_pair) receive(slice.partner, border.inputs);
  starts_ = border.inputs;
  if (!blocks.done.empty()) border.done.resize(step_.prices.alone.size());
  for (const workload::BlockRun& run : blocks.done)
    for (const WorkId work : step_.work.blocks[at(run.block)].work) border.done[at(work)] += run.count;
  for (const workload::BlockRun& run : blocks.runs)
    for (std::int32_t i = 0; i < run.count; ++i) {
      border.before = last_[compute_stream];
      write_block(step_.work.blocks[at(run.block)], border, pass_of_task(slice.task));
      border.inputs.clear();
    }
  send(slice.task);
  if (slice.is_pair) send(slice.partner);
}

void RankTraceWriter::write_block(const workload::OpGraph& graph, Border& border, Pass of_task) {
  block_.assign(graph.lane.size(), {});
  for (const OpId op : ids<OpId>(graph.size())) {
    const std::size_t work = at(graph.work[at(op)]);
    block_[at(op)].pass = pass_of(graph, op, of_task);
    if (!border.done.empty() && border.done[work] > 0) {
      --border.done[work];
      continue;
    }
    Draft draft{.node = {.pass = block_[at(op)].pass,
                         .stream = stream_of(graph.lane[at(op)]),
                         .duration = step_.prices.alone[work]},
                .part = graph.part[at(op)]};
    add_waits(graph, op, border, draft);
    block_[at(op)].node = write_op(graph.work[at(op)], graph.lane[at(op)], std::move(draft));
  }
}

Pass RankTraceWriter::pass_of(const workload::OpGraph& graph, OpId op, Pass of_task) const {
  if (const auto own = own_pass(graph.part[at(op)])) return *own;
  const auto needs = graph.needs.row(op);
  if (!needs.empty()) return block_[at(*std::max_element(needs.begin(), needs.end()))].pass;
  for (std::size_t before = at(op); before-- > 0;)
    if (graph.lane[before] == Lane::compute) return block_[before].pass;
  return of_task;
}

void RankTraceWriter::add_waits(const workload::OpGraph& graph, OpId op, const Border& border, Draft& draft) {
  for (const OpId need : graph.needs.row(op)) draft.needs.push_back(block_[at(need)].node);
  keep_distinct(draft.needs);
  const Lane lane = graph.lane[at(op)];
  if (lane == Lane::compute) {
    draft.needs.insert(draft.needs.end(), starts_.begin(), starts_.end());
    draft.follows.push_back(blocking_send_);
    starts_.clear();
    blocking_send_ = -1;
  } else if (draft.needs.empty() && !(border.gathers_ahead && lane == Lane::data)) {
    draft.follows = border.inputs;
    draft.follows.push_back(border.before);
  }
}

RankTraceWriter::NodeIndex RankTraceWriter::write_op(WorkId work, Lane lane, Draft draft) {
  if (is_kernel(work, length_of(step_.work.kernels))) {
    describe_kernel(kernel_of(work), draft);
    return add(std::move(draft));
  }
  const ops::CollectiveQuery& query = collective_query(work);
  if (query.kind == CollectiveKind::send_recv) {
    draft.node.bytes = query.payload;
    return write_ring_step(std::move(draft));
  }
  describe_collective(query, tables_.groups.kind_of(lane, draft.part, query.group), draft);
  return add(std::move(draft));
}

RankTraceWriter::NodeIndex RankTraceWriter::write_ring_step(Draft draft) {
  trace::Node& node = draft.node;
  node.collective = CollectiveKind::send_recv;
  node.precision = wide(config_.precision);
  node.group = tables_.groups.group(GroupKind::context_outer, out_.rank);
  node.launch = launches_++;
  const std::vector<std::int32_t>& ring = tables_.trace.groups[at(node.group)].ranks;
  const auto place = static_cast<std::size_t>(std::find(ring.begin(), ring.end(), out_.rank) - ring.begin());
  Draft out = draft;
  out.node.kind = NodeKind::send;
  out.node.stream = ring_stream;
  out.follows.push_back(last_[at(node.stream)]);
  out.node.peer = ring[(place + 1) % ring.size()];
  out.node.name = tables_.name("send context");
  add(std::move(out));
  node.kind = NodeKind::recv;
  node.peer = ring[(place + ring.size() - 1) % ring.size()];
  node.name = tables_.name("recv context");
  return add(std::move(draft));
}

void RankTraceWriter::write_tail() {
  tail_.assign(last_.begin(), last_.begin() + lane_count);
  tail_.push_back(blocking_send_);
  const workload::StepTail& tail = step_.work.tail;
  for (const workload::WorkRun& run : tail.gradients.row(stage_)) write_run(run, TailPlace::gradients);
  for (const workload::WorkRun& run : tail.grad_norm.row(stage_)) write_run(run, TailPlace::grad_norm);
  for (const workload::WorkRun& run : tail.update.row(stage_)) write_run(run, TailPlace::update);
}

void RankTraceWriter::write_run(const workload::WorkRun& run, TailPlace place) {
  const Pass pass = place == TailPlace::gradients ? Pass::backward : Pass::optimizer;
  for (std::int32_t i = 0; i < run.count; ++i) {
    Draft draft{.node = {.pass = pass, .duration = step_.prices.alone[at(run.work)]},
                .part = run.part,
                .needs = tail_};
    if (run.is_kernel) {
      describe_kernel(kernel_of(run.work), draft);
    } else {
      const ops::CollectiveQuery& query = collective_query(run.work);
      const bool of_host =
          query.kind == CollectiveKind::host_copy || query.kind == CollectiveKind::host_update;
      const GroupKind kind =
          of_host ? GroupKind::stage : tables_.groups.kind_of(place, run.part, query.group, stage_);
      draft.node.stream = stream_of(of_host                     ? Lane::host
                                    : kind == GroupKind::tensor ? Lane::tensor
                                                                : Lane::data);
      describe_collective(query, kind, draft);
      if (place == TailPlace::gradients && config_.recipe.fp32_gradients)
        draft.node.precision = machine::Precision::fp32;
    }
    tail_.assign(1, add(std::move(draft)));
  }
}

}  // namespace echo::simulate
