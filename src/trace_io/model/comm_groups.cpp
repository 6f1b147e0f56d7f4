#include "trace_io/model/comm_groups.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace echo::trace_io {

namespace {

constexpr std::int32_t most_ranks = 1 << 24;

}  // namespace

void CommGroups::declare(const CommCall& group) {
  declared_[group.group] = group;
  hear(group);
}

void CommGroups::hear(const CommCall& call) {
  for (const std::int32_t rank : call.ranks)
    if (rank < most_ranks) heard_ = std::max(heard_, rank + 1);
  if (call.group_size > 0 && call.group_size <= most_ranks)
    heard_ = std::max(heard_, static_cast<std::int32_t>(call.group_size));
  if (call.peer >= 0 && call.peer < most_ranks) heard_ = std::max(heard_, call.peer + 1);
}

std::int32_t CommGroups::world() const {
  return std::max(rank_ + 1, world_ > 0 && world_ <= most_ranks ? world_ : heard_);
}

std::vector<std::int32_t> CommGroups::members_of(const CommCall& call) const {
  std::vector<std::int32_t> members = all_ranks_of(call, world());
  if (const auto found = declared_.find(call.group); members.empty() && found != declared_.end()) {
    members = all_ranks_of(found->second, world());
  }
  const std::set<std::int32_t> distinct(members.begin(), members.end());
  if (distinct.size() != members.size() || !distinct.contains(rank_) || *distinct.rbegin() >= world())
    return {};
  return members;
}

std::int32_t CommGroups::group_of(const CommCall& call) {
  std::string key = call.group;
  if (key.empty()) key = "of " + std::to_string(call.group_size);
  if (const auto found = found_.find(key); found != found_.end()) return found->second;
  trace::Group group{.name = key, .ranks = members_of(call)};
  if (group.ranks.empty()) return found_[key] = -1;
  std::string purpose = call.purpose;
  if (const auto found = declared_.find(call.group); purpose.empty() && found != declared_.end())
    purpose = found->second.purpose;
  group.role = role_of_group(purpose);
  return found_[key] = tables_->add_distinct_group(std::move(group));
}

}  // namespace echo::trace_io
