#include "network/flow_course.hpp"

#include <numeric>

#include "base/at.hpp"

namespace echo::network {

Course course_of(const Activity& activity, std::uint64_t number, Router& router, Repeats repeats) {
  Course course;
  course.wake = course.end = activity.start;
  course.latency = activity.phase_latency;
  std::vector<LinkUse> uses;
  for (const textbook::Phase& phase : activity.phases->phases) {
    if (phase.repeat == 0) continue;
    RoutedPhase routed;
    const std::int64_t merged = repeats == Repeats::merged ? phase.repeat : 1;
    routed.repeat = phase.repeat / merged;
    const auto transfers = activity.phases->of(phase);
    routed.routes.reserve(transfers.size());
    routed.bytes.reserve(transfers.size()), routed.latency.reserve(transfers.size());
    for (const textbook::Transfer& transfer : transfers) {
      router.route(activity.gpus[at(transfer.from)], activity.gpus[at(transfer.to)], number, uses);
      routed.routes.add(uses);
      routed.bytes.push_back(static_cast<double>(transfer.bytes * merged));
      routed.latency.push_back(merged * router.latency_of(uses) + (merged - 1) * activity.phase_latency);
    }
    course.phases.push_back(std::move(routed));
  }
  return course;
}

std::int32_t find_components(std::span<Course> courses, std::size_t links) {
  std::vector<std::int32_t> parent(courses.size()), owner(links, -1);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&parent](std::int32_t i) {
    while (parent[at(i)] != i) i = parent[at(i)] = parent[at(parent[at(i)])];
    return i;
  };
  for (std::size_t i = 0; i < courses.size(); ++i)
    for (const RoutedPhase& phase : courses[i].phases)
      for (std::int32_t flow = 0; flow < phase.routes.size(); ++flow)
        phase.routes.of(flow).for_each([&](const LinkUse& use) {
          std::int32_t& of = owner[at(use.link)];
          const auto self = static_cast<std::int32_t>(i);
          if (of < 0) of = self;
          parent[at(root(of))] = root(self);
        });
  std::int32_t count = 0;
  std::vector<std::int32_t> number(courses.size(), -1);
  for (std::size_t i = 0; i < courses.size(); ++i) {
    std::int32_t& n = number[at(root(static_cast<std::int32_t>(i)))];
    if (n < 0) n = count++;
    courses[i].group = n;
  }
  return count;
}

}  // namespace echo::network
