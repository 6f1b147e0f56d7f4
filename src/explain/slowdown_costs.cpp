#include "explain/slowdown_costs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/at.hpp"
#include "ops/describe.hpp"
#include "simulate/step/slowed_time.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::explain {

std::vector<SlowdownCost> slowdown_costs(const simulate::SimulatedStep& step,
                                         const std::vector<std::int64_t>& blocks,
                                         ops::KernelLibrary library) {
  std::vector<simulate::SlowedTime> times;
  for (std::size_t block = 0; block < blocks.size(); ++block)
    if (blocks[block] > 0)
      simulate::add_slowed_time(step.work.blocks[block], step.prices, blocks[block], times);
  std::erase_if(times, [](const auto& t) {
    return t.kernel_lost == SimTime::zero() && t.collective_lost == SimTime::zero();
  });
  std::stable_sort(times.begin(), times.end(),
                   [](const auto& a, const auto& b) { return a.kernel_lost > b.kernel_lost; });
  std::vector<SlowdownCost> costs;
  for (const simulate::SlowedTime& time : times) {
    const std::size_t collective = at(time.collective);
    const ops::CollectiveQuery& query = step.work.collectives[collective];
    costs.push_back({.kernel = step.work.kernels[at(time.kernel)],
                     .part = std::string(time_category_names[at(time.part)]),
                     .collective = std::string(ops::collective_kind_names[at(query.kind)]),
                     .ranks = query.group.ranks,
                     .nodes = query.group.nodes,
                     .channels = step.prices.collectives[collective].channels,
                     .beside = time.beside,
                     .kernel_lost = time.kernel_lost,
                     .collective_lost = time.collective_lost});
    costs.back().kernel.library = library;
  }
  return costs;
}

std::string slowdown_text(const std::vector<SlowdownCost>& costs, SimTime step, std::int32_t stage) {
  if (costs.empty()) return "";
  constexpr std::size_t shown = 8;
  SimTime lost{};
  for (const SlowdownCost& cost : costs) lost += cost.kernel_lost;
  text::TextTable table({"<  kernel", "<overlaps with", "ranks", "nodes", "channels", "overlap",
                         "kernel longer by", "of step", "collective longer by"});
  for (std::size_t i = 0; i < std::min(shown, costs.size()); ++i) {
    const SlowdownCost& cost = costs[i];
    table.add({"  " + ops::describe(cost.kernel), cost.part + " " + cost.collective,
               std::to_string(cost.ranks), std::to_string(cost.nodes), std::to_string(cost.channels),
               text::show_time(to_seconds(cost.beside)), text::show_time(to_seconds(cost.kernel_lost)),
               text::show_share(to_seconds(cost.kernel_lost) / to_seconds(step)),
               text::show_time(to_seconds(cost.collective_lost))});
  }
  const std::size_t rest = costs.size() - std::min(shown, costs.size());
  return fmt::format("\nslowdown: kernels of stage {} take {} longer because of collectives{}\n{}", stage,
                     text::show_time(to_seconds(lost)),
                     rest == 0 ? "" : fmt::format("; {} smaller pairs are left out", rest), table.text());
}

void add_slowdown_costs(text::Json& json, const std::vector<SlowdownCost>& costs) {
  json.key("slowdown_pairs").open_array();
  for (const SlowdownCost& cost : costs) {
    json.open_object().member("kernel", ops::describe(cost.kernel)).member("part", cost.part);
    json.member("collective", cost.collective).member("ranks", cost.ranks).member("nodes", cost.nodes);
    json.member("channels", cost.channels).member("seconds_together", to_seconds(cost.beside));
    json.member("kernel_longer_by", to_seconds(cost.kernel_lost));
    json.member("collective_longer_by", to_seconds(cost.collective_lost)).close();
  }
  json.close();
}

}  // namespace echo::explain
