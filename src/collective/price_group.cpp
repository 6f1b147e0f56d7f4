// NCCL sorts the calls of a group by kind and size. Calls of one kind, from the shortest up to those below
// four times its size, share one decision: the one for the sum of their bytes, with the latency of as many
// calls as each channel gets (rings; other methods batch them). All of it is one kernel: one launch. The
// calls of a decision are distributed side by side over the channels, so that together they take the wire
// time of their bytes, and each call after the first on a channel pays its hops again:
//   T = sum over decisions of T(bytes together) + (calls of a channel - 1) * T(no bytes) - launches saved
// Source: NVIDIA/nccl enqueue.cc (ncclPrepareTasks, scheduleCollTasksToPlan), graph/tuning.cc
// (ncclTopoGetAlgoTime, numPipeOps), 2.22 and later; before, a group was one kernel with a decision for each
// call. Neglected: decisions that run side by side on channels of their own; plans split where a kernel's
// arguments are full.
#include "collective/price_group.hpp"

#include <algorithm>
#include <numeric>

#include "base/contract.hpp"
#include "collective/choose.hpp"
#include "collective/wire.hpp"

namespace echo::collective {
namespace {

// The time of a kernel of the choice before its first hop, us: paid once per group.
double launch(const Choice& choice, const NetworkConstants& k) {
  const NcclAlgorithm id = choice.algorithm->id;
  if (id != NcclAlgorithm::tree && id != NcclAlgorithm::ring) return 0.0;
  return base_factor(k, choice.protocol) *
         nccl_tables(physical_tables).base[row_of(id)][index_of(choice.protocol)];
}

}  // namespace

GroupEstimate price_group(std::span<const ops::CollectiveQuery> queries, const machine::GroupLinks& links,
                          const ops::CommSettings& settings, std::int32_t nccl_version,
                          const NetworkConstants& constants) {
  GroupEstimate out;
  out.each.resize(queries.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    ECHO_EXPECT(queries[i].group == queries[0].group);
    ECHO_EXPECT(queries[i].kind < ops::CollectiveKind::all_to_all);
    if (queries[i].group.ranks > 1 && queries[i].payload.value > 0) order.push_back(i);
  }
  if (order.empty()) return out;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (queries[a].kind != queries[b].kind) return queries[a].kind < queries[b].kind;
    if (queries[a].payload != queries[b].payload) return queries[a].payload < queries[b].payload;
    return a < b;
  });
  const Communicator c = set_up(queries[0].group, links, settings, nccl_version);
  const auto calls = static_cast<std::int32_t>(order.size());
  const std::int32_t to_a_channel = (calls + c.channels - 1) / c.channels;
  double launched = 0.0;  // the longest launch: one serves all
  double saved = 0.0;
  for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
    const ops::CollectiveQuery& least = queries[order[from]];
    Call together{least.kind, 0};
    for (to = from; to < order.size(); ++to) {
      const ops::CollectiveQuery& next = queries[order[to]];
      if (next.kind != least.kind || next.payload.value >= 4 * least.payload.value) break;
      together.bytes += next.payload.value;
    }
    const Choice choice = choose(together, c, settings, to_a_channel);
    const ops::CollectiveEstimate whole = estimate_of(together, c, choice, constants);
    const double start = launch(choice, constants);
    const double again =
        choice.algorithm->time({together.kind, 1}, c, choice.protocol, constants).time.us - start;
    const auto own = static_cast<std::int32_t>(to - from);
    const std::int32_t rounds = (own + c.channels - 1) / c.channels;
    out.time += whole.time + from_microseconds((rounds - 1) * again);
    launched = std::max(launched, start), saved += start;
    for (std::size_t i = from; i < to; ++i) out.each[order[i]] = whole;
  }
  out.time -= from_microseconds(saved - launched);
  const double bytes = std::accumulate(order.begin(), order.end(), 0.0, [&](double sum, std::size_t i) {
    return sum + static_cast<double>(queries[i].payload.value);
  });
  const double us = to_microseconds(out.time);
  for (const std::size_t i : order)
    out.each[i].time = from_microseconds(us * static_cast<double>(queries[i].payload.value) / bytes);
  return out;
}

}  // namespace echo::collective
