#include "trace_io/model/trace_tables.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"

namespace echo::trace_io {

void append_node(trace::RankTrace& rank, const trace::Node& node, std::vector<std::int32_t> needs) {
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  for (const std::int32_t one : needs) rank.needs.push(one);
  rank.needs.close_row();
  rank.follows.close_row();
  rank.nodes.push_back(node);
}

std::int32_t TraceTables::name(std::string_view text) {
  if (const auto found = names_.find(text); found != names_.end()) return found->second;
  trace_->names.emplace_back(text);
  const auto place = static_cast<std::int32_t>(trace_->names.size()) - 1;
  names_.emplace(text, place);
  return place;
}

std::int32_t TraceTables::kernel(const ops::KernelKey& key) {
  const auto [found, is_new] = kernels_.try_emplace(key, static_cast<std::int32_t>(trace_->kernels.size()));
  if (is_new) trace_->kernels.push_back(key);
  return found->second;
}

std::int32_t TraceTables::group(std::string_view text) const {
  const auto found = groups_.find(text);
  return found == groups_.end() ? -1 : found->second;
}

std::int32_t TraceTables::add_group(trace::Group group) {
  const auto [found, is_new] =
      groups_.try_emplace(group.name, static_cast<std::int32_t>(trace_->groups.size()));
  if (is_new) trace_->groups.push_back(std::move(group));
  return found->second;
}

std::int32_t TraceTables::add_distinct_group(trace::Group group) {
  const std::string name = group.name;
  for (std::int32_t copy = 1;; ++copy) {
    const std::int32_t place = add_group(group);
    if (trace_->groups[at(place)].ranks == group.ranks) return place;
    const std::string first = group.ranks.empty() ? "" : std::to_string(group.ranks.front());
    group.name = name + "@" + first + (copy > 1 ? "#" + std::to_string(copy) : "");
  }
}

}  // namespace echo::trace_io
