// Traces made by hand: a few layers of data-parallel training, with or without stages.
#pragma once

#include <string>
#include <vector>

#include "base/at.hpp"
#include "trace/trace.hpp"

namespace echo::support {

class TraceMaker {
 public:
  explicit TraceMaker(std::int32_t world, std::string gpu = "") {
    made_.name = "sample", made_.world = world, made_.gpu = std::move(gpu);
    made_.names = {""};
  }
  std::int32_t group(std::string name, trace::GroupRole role, std::vector<std::int32_t> ranks) {
    made_.groups.push_back({std::move(name), role, std::move(ranks)});
    return static_cast<std::int32_t>(made_.groups.size()) - 1;
  }
  std::int32_t kernel(const ops::KernelKey& key) {
    made_.kernels.push_back(key);
    return static_cast<std::int32_t>(made_.kernels.size()) - 1;
  }
  void rank(std::int32_t rank, std::vector<std::int32_t> stands_for = {}) {
    if (stands_for.empty()) stands_for = {rank};
    made_.ranks.push_back({.rank = rank, .stands_for = std::move(stands_for)});
  }
  // Of the rank named last; the number of the node.
  std::int32_t add(trace::Node node, const std::vector<std::int32_t>& needs = {}) {
    trace::RankTrace& rank = made_.ranks.back();
    node.id = static_cast<std::int64_t>(rank.nodes.size());
    rank.nodes.push_back(node);
    for (const std::int32_t need : needs) rank.needs.push(need);
    rank.needs.close_row(), rank.follows.close_row();
    return static_cast<std::int32_t>(node.id);
  }
  [[nodiscard]] const trace::Trace& made() const { return made_; }

 private:
  trace::Trace made_;
};

inline ops::KernelKey sample_gemm(std::int32_t m = 4096) {
  return {.kind = ops::KernelKind::gemm, .m = m, .n = 4096, .k = 4096};
}

// Forward and backward of `layers` products, gradients of each reduced beside the next, then the update.
// `measured`: what a product took; negative: it was not timed. sharded: reduced and gathered as ZeRO does.
inline trace::Trace data_parallel_trace(std::int32_t world, SimTime measured = SimTime(-1),
                                        bool sharded = false, std::string gpu = "") {
  using trace::NodeKind, trace::Pass;
  TraceMaker maker(world, std::move(gpu));
  std::vector<std::int32_t> all(static_cast<std::size_t>(world));
  for (std::int32_t i = 0; i < world; ++i) all[at(i)] = i;
  const std::int32_t dp = maker.group("dp", sharded ? trace::GroupRole::shard : trace::GroupRole::data, all);
  const std::int32_t gemm = maker.kernel(sample_gemm());
  const std::int32_t update = maker.kernel({.kind = ops::KernelKind::optimizer, .m = 16'777'216, .n = 28});
  maker.rank(0, all);
  const trace::Node product{.kind = NodeKind::compute, .kernel = gemm, .duration = measured};
  constexpr std::int32_t layers = 4;
  for (std::int32_t i = 0; i < layers; ++i) {
    trace::Node forward = product;
    forward.pass = Pass::forward;
    maker.add(forward);
  }
  std::vector<std::int32_t> reduced;
  for (std::int32_t i = 0; i < layers; ++i) {
    trace::Node backward = product;
    backward.pass = Pass::backward;
    const std::int32_t computed = maker.add(backward);
    reduced.push_back(maker.add(
        {.kind = NodeKind::collective,
         .pass = Pass::backward,
         .collective = sharded ? ops::CollectiveKind::reduce_scatter : ops::CollectiveKind::all_reduce,
         .stream = 1,
         .group = dp,
         .bytes = 32_MiB},
        {computed}));
  }
  const std::int32_t updated = maker.add(
      {.kind = NodeKind::compute, .pass = Pass::optimizer, .kernel = update, .duration = measured}, reduced);
  if (sharded)
    maker.add({.kind = NodeKind::collective,
               .pass = Pass::optimizer,
               .collective = ops::CollectiveKind::all_gather,
               .stream = 1,
               .group = dp,
               .bytes = 128_MiB},
              {updated});
  return maker.made();
}

// Megatron's order: tensor ranks next to each other, then data, then stages.
inline trace::Trace staged_trace(std::int32_t tensor, std::int32_t data, std::int32_t stages) {
  const std::int32_t world = tensor * data * stages, stage = tensor * data;
  TraceMaker maker(world);
  std::vector<std::int32_t> tp, dp;
  for (std::int32_t s = 0; s < stages; ++s) {
    std::vector<std::int32_t> ranks;
    for (std::int32_t i = 0; i < tensor; ++i) ranks.push_back(s * stage + i);
    tp.push_back(maker.group("tp" + std::to_string(s), trace::GroupRole::tensor, ranks));
    ranks.clear();
    for (std::int32_t i = 0; i < data; ++i) ranks.push_back(s * stage + i * tensor);
    dp.push_back(maker.group("dp" + std::to_string(s), trace::GroupRole::data, ranks));
  }
  const std::int32_t gemm = maker.kernel(sample_gemm());
  for (std::int32_t s = 0; s < stages; ++s) {
    const std::size_t index = at(s);
    std::vector<std::int32_t> alike;
    for (std::int32_t i = 0; i < stage; ++i) alike.push_back(s * stage + i);
    maker.rank(s * stage, alike);
    std::vector<std::int32_t> needs;
    if (s > 0)
      needs.push_back(
          maker.add({.kind = trace::NodeKind::recv, .stream = 2, .peer = (s - 1) * stage, .bytes = 16_MiB}));
    const std::int32_t computed = maker.add({.pass = trace::Pass::forward, .kernel = gemm}, needs);
    const std::int32_t reduced = maker.add(
        {.kind = trace::NodeKind::collective, .stream = 1, .group = tp[index], .bytes = 32_MiB}, {computed});
    if (s + 1 < stages)
      maker.add({.kind = trace::NodeKind::send, .stream = 2, .peer = (s + 1) * stage, .bytes = 16_MiB},
                {reduced});
    maker.add({.kind = trace::NodeKind::collective, .stream = 3, .group = dp[index], .bytes = 64_MiB},
              {reduced});
  }
  return maker.made();
}

}  // namespace echo::support
