// What only the composition of a step reads: whether transfers between stages overlap. Everything else is
// part of the key.
#include "simulate/prices/priced_work.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"
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
  for (std::size_t i = 0; i < hops; ++i) {
    const std::int32_t from = stage_of[i], to = stage_of[i + 1];
    if (from == to) continue;
    // Boundary s joins stages s and s + 1; the last one joins the last stage to stage 0.
    const bool neighbours_up = to == (from + 1) % config.degrees.pipeline;
    const bool crosses = step.layout.hop_crosses_nodes[at(neighbours_up ? from : to)];
    const ops::CollectiveQuery& hop = crosses ? work.hop_across : work.hop_within;
    const ops::CollectiveEstimate price = price_collective(hop, config, catalog, calibration, memo);
    prices.hop_forward[i] = prices.hop_backward[i] = price.time + gather;
    prices.hop_bottlenecks[i] = bottlenecks_of(price);
    if (!work.hop_gather.is_none())
      prices.hop_bottlenecks[i].add(prices.bottlenecks[at(work.hop_gather)], 1.0);
  }
}

TrainingConfig as_priced(TrainingConfig config) {
  config.overlap.pipeline = false;
  return config;
}

}  // namespace

void PricedWorkMemo::swap(Kept& kept, SimulatedStep& step) {
  std::swap(kept.key, in_step_);
  std::swap(kept.work, step.work);
  std::swap(kept.prices, step.prices);
}

void PricedWorkMemo::price(const TrainingConfig& given, const Catalog& catalog,
                           const Calibration& calibration, PriceMemo& memo, SimulatedStep& step) {
  const TrainingConfig config = as_priced(given);
  const auto is_this = [&](const Key& key) { return key.is_known && key.config == config; };
  ++count_.asked, ++count_.known;
  if (is_this(in_step_)) return;
  const auto found = std::ranges::find_if(kept_, is_this, &Kept::key);
  if (found != kept_.end()) return swap(*found, step);
  --count_.known;
  swap(kept_[next_], step);
  next_ = (next_ + 1) % most;
  in_step_.is_known = false;
  memo.keep_bounded();
  workload::generate_workload(config, catalog.model(config.model), catalog.framework(config),
                              catalog.cluster(config.cluster), step.layout,
                              backward_of(schedule_of(config, catalog)), step.work,
                              catalog.gpu(config).compute_capability);
  price_work(config, catalog, calibration, step.work, memo, step.prices);
  price_hops(config, catalog, calibration, memo, step);
  in_step_ = {true, config};
}

}  // namespace echo::simulate
