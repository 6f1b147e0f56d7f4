#include "workload/builder.hpp"

#include "base/contract.hpp"
#include "ops/launches.hpp"
#include "workload/body.hpp"

namespace echo::workload {

void OpGraph::clear() {
  lane.clear();
  part.clear();
  work.clear();
  needs.clear();
  launches = looped = graphs = transfers = 0;
  cuts.clear();
}

// Numbers the collectives among the ops of a block behind that many kernels.
static void renumber(OpGraph& block, std::int32_t before, std::int32_t kernels) {
  for (std::size_t op = 0; op < block.lane.size(); ++op)
    if (block.lane[op] != Lane::compute)
      block.work[op] = work_of(collective_of(block.work[op], before), kernels);
}

void Builder::resume(Body& body) {
  out_.block_count = body.block_count;
  for (const BlockId block : ids<BlockId>(body.block_count))
    renumber(out_.blocks[at(block)], body.kernels_before, 0);
  body.kernels_before = 0;
  out_.kernels.resize(at(body.kernels));
  out_.collectives.resize(at(body.collectives));
  out_.forward.clear();
  out_.backward.clear();
  out_.weight_gradients.clear();
  out_.input_gradients.clear();
  out_.pairs.clear();
  out_.whole_forward.clear();
  out_.whole_backward.clear();
  out_.first_forward.clear();
  out_.last_backward.clear();
  out_.tail.gradients.clear();
  out_.tail.grad_norm.clear();
  out_.tail.update.clear();
  out_.tail.slices = 0;
  out_.hop_gather = WorkId::none();
}

BlockId Builder::open_block() {
  if (at(out_.block_count) == out_.blocks.size()) out_.blocks.emplace_back();
  ++out_.block_count;
  block().clear();
  last_compute_ = OpId::none();
  held_count_ = 0;
  return BlockId(out_.block_count - 1);
}

OpId Builder::compute(TimeCategory part, const ops::KernelKey& kernel, std::initializer_list<OpId> needs) {
  OpGraph& b = block();
  b.lane.push_back(Lane::compute);
  b.part.push_back(part);
  b.work.push_back(work_of(intern(kernel)));
  for (const OpId need : needs)
    if (!need.is_none()) b.needs.push(need);
  for (std::size_t i = 0; i < held_count_; ++i) b.needs.push(held_[i]);
  held_count_ = 0;
  b.needs.close_row();
  b.launches += ops::launches_of(kernel);
  b.looped += ops::looped_launches_of(kernel);
  return last_compute_ = OpId(b.size() - 1);
}

void Builder::hold_compute(OpId op) {
  if (op.is_none()) return;
  ECHO_EXPECT(held_count_ < held_.size());
  held_[held_count_++] = op;
}

OpId Builder::communicate(Lane lane, TimeCategory part, const ops::CollectiveQuery& query,
                          std::initializer_list<OpId> needs) {
  OpGraph& b = block();
  b.lane.push_back(lane);
  b.part.push_back(part);
  b.work.push_back(unfinished(intern(query)));
  for (const OpId need : needs)
    if (!need.is_none()) b.needs.push(need);
  b.needs.close_row();
  ++b.launches;
  b.transfers += lane == Lane::tensor;
  return OpId(b.size() - 1);
}

OpCopies::OpCopies(Builder& builder, const OpGraph& from) : builder_(builder), from_(from) {
  OpGraph& b = builder_.block();
  b.launches += from_.launches;
  b.looped += from_.looped;
  b.graphs += from_.graphs;
  b.transfers += from_.transfers;
}

void OpCopies::append(std::int32_t end) {
  OpGraph& b = builder_.block();
  const auto add = [&](auto& to, const auto& from) {
    to.insert(to.end(), from.begin() + next_, from.begin() + end);
  };
  ECHO_EXPECT(count_ < most_appended);
  stretches_[count_++] = {next_, b.size() - next_};
  add(b.lane, from_.lane), add(b.part, from_.part), add(b.work, from_.work);
  for (; next_ < end; ++next_) {
    for (const OpId need : from_.needs.row(next_)) b.needs.push(of(need));
    if (from_.lane[at(next_)] == Lane::compute) {
      for (std::size_t i = 0; i < builder_.held_count_; ++i) b.needs.push(builder_.held_[i]);
      builder_.held_count_ = 0;
      builder_.last_compute_ = of(OpId(next_));
    }
    b.needs.close_row();
  }
}

void Builder::replay_since(Issued before) {
  OpGraph& b = block();
  b.launches = before.launches;
  b.looped = before.looped;
  b.transfers = before.transfers;
  ++b.graphs;
}

namespace {

// Index of `wanted`, appended if it is new. Blocks repeat sequences, so the search starts where the last one
// ended; the ends of stages list one thing for every chunk.
template <class T>
std::int32_t intern_from(std::vector<T>& table, const T& wanted, std::size_t& hint) {
  const std::size_t size = table.size();
  if (hint < size && table[hint] == wanted) return static_cast<std::int32_t>(hint);
  for (std::size_t tried = 0; tried < size; ++tried) {
    if (++hint >= size) hint = 0;
    if (table[hint] == wanted) return static_cast<std::int32_t>(hint);
  }
  hint = size;
  table.push_back(wanted);
  return static_cast<std::int32_t>(size);
}

}  // namespace

KernelId Builder::intern(const ops::KernelKey& kernel) {
  return KernelId(intern_from(out_.kernels, kernel, kernel_hint_));
}

CollectiveId Builder::intern(const ops::CollectiveQuery& query) {
  return CollectiveId(intern_from(out_.collectives, query, collective_hint_));
}

void Builder::finish(Body& body) {
  const std::int32_t kernels = body.kernels_before = length_of(out_.kernels);
  for (const BlockId block : ids<BlockId>(out_.block_count)) renumber(out_.blocks[at(block)], 0, kernels);
  const auto shift = [kernels](WorkId& work) { work = work_of(collective_of(work, 0), kernels); };
  for (Csr<WorkRun>* runs : {&out_.tail.gradients, &out_.tail.grad_norm, &out_.tail.update})
    for (WorkRun& run : runs->value)
      if (!run.is_kernel) shift(run.work);
  shift(out_.hop_gather);
}

}  // namespace echo::workload
