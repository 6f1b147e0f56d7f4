// Mixtures of experts laid out and generated, and what their ops compute and send.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "tests/support/fixtures.hpp"
#include "workload/generate_workload.hpp"

namespace echo::workload::mixtures {

using ops::CollectiveKind;
using ops::KernelKey;
using ops::KernelKind;
using training::Degrees;
using training::TrainingConfig;

inline TrainingConfig mixing(Degrees degrees) {
  TrainingConfig c = support::a_config(degrees);
  c.sequence_parallel = degrees.tensor > 1;
  return c;
}

inline training::ModelSpec latent_mixture() {
  training::ModelSpec m = support::tiny_mixture();
  m.kv_heads = m.heads;
  m.latent = {.query_rank = 384, .key_value_rank = 128, .nope_dim = 64, .rope_dim = 32, .value_dim = 64};
  return m;
}

inline Workload traced(const TrainingConfig& c, const training::ModelSpec& m,
                       Backward backward = Backward::whole,
                       training::FrameworkSpec f = support::plain_framework()) {
  Workload out;
  generate_workload(c, m, f, support::eight_gpu_nodes(), support::layout_of(c, m), backward, out);
  return out;
}

// Calls each(count, op's lane, part, work) for every op of the runs of all chunks' passes.
template <class Each>
void for_every_op(const Workload& w, const Csr<BlockRun>& runs, Each each) {
  for (const BlockRun& run : runs.value) {
    const OpGraph& block = w.blocks[at(run.block)];
    for (std::size_t op = 0; op < block.lane.size(); ++op)
      each(run.count, block.lane[op], block.part[op], at(block.work[op]));
  }
}

inline double flops(const Workload& w, bool attention) {
  double sum = 0.0;
  for (const Csr<BlockRun>* runs : {&w.forward, &w.backward, &w.weight_gradients})
    for_every_op(w, *runs, [&](int count, Lane lane, TimeCategory part, std::size_t work) {
      if (lane != Lane::compute || part == TimeCategory::recompute) return;
      const bool is_attention = w.kernels[work].kind != KernelKind::gemm;
      if (is_attention == attention) sum += count * ops::flops_of(w.kernels[work]).value;
    });
  return sum;
}

inline std::map<std::pair<CollectiveKind, machine::GroupSpan>, std::int64_t> expert_traffic(
    const Workload& w, const Csr<BlockRun>& runs) {
  std::map<std::pair<CollectiveKind, machine::GroupSpan>, std::int64_t> bytes;
  for_every_op(w, runs, [&](int count, Lane lane, TimeCategory, std::size_t work) {
    if (lane != Lane::expert) return;
    const ops::CollectiveQuery& query = w.collectives[work - w.kernels.size()];
    bytes[{query.kind, query.group}] += count * query.payload.value;
    if (query.relay.payload.value > 0)
      bytes[{query.kind, query.relay.group}] += count * query.relay.payload.value;
  });
  return bytes;
}

inline std::vector<KernelKey> kernels_of(const Workload& w, const Csr<BlockRun>& runs) {
  std::vector<KernelKey> keys;
  for_every_op(w, runs, [&](int count, Lane lane, TimeCategory, std::size_t work) {
    if (lane == Lane::compute) keys.insert(keys.end(), at(count), w.kernels[work]);
  });
  return keys;
}

}  // namespace echo::workload::mixtures
