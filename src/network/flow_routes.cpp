#include "network/flow_routes.hpp"

#include <algorithm>
#include <bit>

#include "base/at.hpp"
#include "base/counter_rng.hpp"

namespace echo::network {

std::vector<FlowUses> uses_of(const Csr<LinkUse>& routes) {
  std::vector<FlowUses> flows;
  for (std::int32_t flow = 0; flow < routes.rows(); ++flow) flows.push_back({{routes.row(flow), {}, {}}});
  return flows;
}

std::int32_t FlowRoutes::shared_row(std::span<const LinkUse> stretch) {
  std::uint64_t hash = 0;
  for (const LinkUse& use : stretch)
    hash = mix(hash ^ mix(std::bit_cast<std::uint64_t>(use.share) + static_cast<std::uint64_t>(use.link)));
  const auto [first, last] = by_hash_.equal_range(hash);
  const auto known = std::find_if(
      first, last, [&](const auto& entry) { return std::ranges::equal(shared_.row(entry.second), stretch); });
  if (known != last) return known->second;
  shared_.value.insert(shared_.value.end(), stretch.begin(), stretch.end());
  shared_.close_row();
  return by_hash_.emplace(hash, shared_.rows() - 1)->second;
}

void FlowRoutes::reserve(std::size_t flows) {
  constexpr std::size_t usual_links = 6;  // of its own: from a GPU to a switch's neighbour and back
  middle_.reserve(flows), own_.offset.reserve(flows + 1), own_.value.reserve(flows * usual_links);
}

void FlowRoutes::add(std::span<const LinkUse> route) {
  constexpr std::ptrdiff_t least_shared = 8;  // links: below, to look them up costs more than they do
  const auto is_spread = [](const LinkUse& use) { return use.share != 1.0; };
  const auto first = std::ranges::find_if(route, is_spread);
  auto last = route.end();
  while (last != first && !is_spread(*(last - 1))) --last;
  Middle middle;
  auto rest = first;
  if (last - first >= least_shared) middle.shared = shared_row({first, last}), rest = last;
  own_.value.insert(own_.value.end(), route.begin(), first);
  middle.after = static_cast<std::int32_t>(first - route.begin());
  own_.value.insert(own_.value.end(), rest, route.end());
  own_.close_row();
  middle_.push_back(middle);
}

FlowUses FlowRoutes::of(std::int32_t flow) const {
  const Middle& middle = middle_[at(flow)];
  const auto own = own_.row(flow);
  const auto before = static_cast<std::size_t>(middle.after);
  std::span<const LinkUse> shared;
  if (middle.shared >= 0) shared = shared_.row(middle.shared);
  return {{own.first(before), shared, own.subspan(before)}};
}

}  // namespace echo::network
