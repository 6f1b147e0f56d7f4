// The key leaves out what only the composition of a step reads: whether transfers between stages overlap, and
// how many microbatches there are (workload::config_of_work); that of the body, besides, what the ends of the
// step alone read (workload::config_of_body).
#include "simulate/prices/priced_work.hpp"

#include <array>
#include <optional>

#include "base/at.hpp"
#include "simulate/prices/newest_first.hpp"
#include "simulate/prices/price_work.hpp"
#include "simulate/schedule_of.hpp"
#include "workload/generate_workload.hpp"

namespace echo::simulate {
namespace {

using training::TrainingConfig;

void price_hops(const TrainingConfig& config, const Catalog& catalog, const Calibration& calibration,
                PriceMemo& memo, SimulatedStep& step) {
  const std::vector<std::int32_t>& stage_of = step.layout.stage_of_chunk;
  const workload::Workload& work = step.work;
  Prices& prices = step.prices;
  const std::size_t hops = stage_of.size() - 1;
  prices.hop_forward.assign(hops, SimTime::zero());
  prices.hop_backward.assign(hops, SimTime::zero());
  prices.hop_bottlenecks.assign(hops, BottleneckTimes{});
  if (config.degrees.pipeline == 1) return;
  const SimTime gather = work.hop_gather.is_none() ? SimTime::zero() : prices.alone[at(work.hop_gather)];
  // Within a node, between nodes.
  std::array<std::optional<ops::CollectiveEstimate>, 2> known;
  for (std::size_t i = 0; i < hops; ++i) {
    const std::int32_t from = stage_of[i], to = stage_of[i + 1];
    if (from == to) continue;
    // Boundary s joins stages s and s + 1; the last one joins the last stage to stage 0.
    const bool neighbours_up = to == (from + 1) % config.degrees.pipeline;
    const bool crosses = step.layout.hop_crosses_nodes[at(neighbours_up ? from : to)];
    auto& hop = known[crosses ? 1 : 0];
    if (!hop)
      hop = price_collective(crosses ? work.hop_across : work.hop_within, config, catalog, calibration, memo);
    const ops::CollectiveEstimate& price = *hop;
    prices.hop_forward[i] = prices.hop_backward[i] = price.time + gather;
    prices.hop_bottlenecks[i] = bottlenecks_of(price);
    if (!work.hop_gather.is_none())
      prices.hop_bottlenecks[i].add(prices.bottlenecks[at(work.hop_gather)], 1.0);
  }
}

}  // namespace

void PricedWorkMemo::price(const TrainingConfig& given, const Catalog& catalog,
                           const Calibration& calibration, PriceMemo& memo, SimulatedStep& step) {
  const TrainingConfig config = workload::config_of_work(given), of_body = workload::config_of_body(config);
  ++count_.asked;
  if (key_.is(config)) {
    ++count_.known;
    return;
  }
  key_.is_known = false;
  memo.keep_bounded();
  const workload::StepSource source{.config = config,
                                    .model = catalog.model(config.model),
                                    .framework = catalog.framework(config),
                                    .cluster = catalog.cluster(config.cluster),
                                    .layout = step.layout,
                                    .backward = backward_of(schedule_of(config, catalog)),
                                    .compute_capability = catalog.gpu(config).compute_capability};
  const bool overtakes = serves_newest_first(config, source.cluster);
  if (!body_key_.is(of_body)) {
    body_key_.is_known = false;
    workload::generate_body(source, step.work, body_);
    price_body(of_body, catalog, calibration, step.work, memo, step.prices);
    if (overtakes) serve_newest_first(step.prices, 0, step.work);
    step.body = {++bodies_, body_.block_count};
    body_key_ = {true, of_body};
  }
  workload::generate_ends(source, body_, step.work);
  price_ends(config, catalog, calibration, step.work, body_.kernels, memo, step.prices);
  if (overtakes) serve_newest_first(step.prices, body_.block_count, step.work);
  price_hops(config, catalog, calibration, memo, step);
  key_ = {true, config};
}

}  // namespace echo::simulate
