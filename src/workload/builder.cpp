#include "workload/builder.hpp"

#include "base/at.hpp"
#include "base/contract.hpp"
#include "ops/launches.hpp"

namespace echo::workload {

void OpGraph::clear() {
  lane.clear();
  part.clear();
  work.clear();
  needs.clear();
  launches = graphs = transfers = 0;
  cuts.clear();
}

void Builder::start() {
  out_.block_count = 0;
  out_.kernels.clear();
  out_.collectives.clear();
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
  out_.hop_gather = -1;
}

std::int32_t Builder::open_block() {
  if (static_cast<std::size_t>(out_.block_count) == out_.blocks.size()) out_.blocks.emplace_back();
  ++out_.block_count;
  block().clear();
  last_compute_ = -1;
  held_count_ = 0;
  return out_.block_count - 1;
}

OpIndex Builder::compute(TimeCategory part, const ops::KernelKey& kernel,
                         std::initializer_list<OpIndex> needs) {
  OpGraph& b = block();
  b.lane.push_back(Lane::compute);
  b.part.push_back(part);
  b.work.push_back(intern(kernel));
  for (const OpIndex need : needs)
    if (need >= 0) b.needs.push(need);
  for (std::size_t i = 0; i < held_count_; ++i) b.needs.push(held_[i]);
  held_count_ = 0;
  b.needs.close_row();
  b.launches += ops::launches_of(kernel);
  return last_compute_ = b.size() - 1;
}

void Builder::hold_compute(OpIndex op) {
  if (op < 0) return;
  ECHO_EXPECT(held_count_ < held_.size());
  held_[held_count_++] = op;
}

OpIndex Builder::communicate(Lane lane, TimeCategory part, const ops::CollectiveQuery& query,
                             std::initializer_list<OpIndex> needs) {
  OpGraph& b = block();
  b.lane.push_back(lane);
  b.part.push_back(part);
  b.work.push_back(intern(query));
  for (const OpIndex need : needs)
    if (need >= 0) b.needs.push(need);
  b.needs.close_row();
  ++b.launches;
  b.transfers += lane == Lane::tensor;
  return b.size() - 1;
}

void Builder::replay_since(Issued before) {
  OpGraph& b = block();
  b.launches = before.launches;
  b.transfers = before.transfers;
  ++b.graphs;
}

namespace {

// Index of `wanted`, appended if it is new. Blocks repeat sequences, so the search starts where the last one
// ended.
template <class T>
std::int32_t intern_from(std::vector<T>& table, const T& wanted, std::size_t& hint) {
  const std::size_t size = table.size();
  for (std::size_t tried = 0; tried < size; ++tried) {
    if (++hint >= size) hint = 0;
    if (table[hint] == wanted) return static_cast<std::int32_t>(hint);
  }
  hint = size;
  table.push_back(wanted);
  return static_cast<std::int32_t>(size);
}

}  // namespace

std::int32_t Builder::intern(const ops::KernelKey& kernel) {
  return intern_from(out_.kernels, kernel, kernel_hint_);
}

std::int32_t Builder::intern(const ops::CollectiveQuery& query) {
  return intern_from(out_.collectives, query, collective_hint_);
}

void Builder::finish() {
  const auto kernels = static_cast<std::int32_t>(out_.kernels.size());
  for (std::int32_t i = 0; i < out_.block_count; ++i) {
    OpGraph& b = out_.blocks[at(i)];
    for (std::size_t op = 0; op < b.lane.size(); ++op)
      if (b.lane[op] != Lane::compute) b.work[op] += kernels;
  }
  for (Csr<WorkRun>* runs : {&out_.tail.gradients, &out_.tail.grad_norm, &out_.tail.update})
    for (WorkRun& run : runs->value)
      if (!run.is_kernel) run.work += kernels;
  if (out_.hop_gather >= 0) out_.hop_gather += kernels;
}

}  // namespace echo::workload
