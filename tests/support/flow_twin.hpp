// The slow twins of the flow-level simulator: max-min fairness by filling all flows together, and a
// simulation that looks at every flow by itself and works all rates out again at every event. No classes of
// like flows, no components, no skipped rounds.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "network/flow_level.hpp"

namespace echo::network::twin {

using Route = std::vector<LinkUse>;

// All rates rise together until a link is full; flows on full links stop there.
inline std::vector<double> max_min(const std::vector<Route>& flows, const std::vector<double>& capacity) {
  std::vector<double> rate(flows.size(), 0.0);
  std::vector<bool> rises(flows.size(), true);
  while (std::find(rises.begin(), rises.end(), true) != rises.end()) {
    std::vector<double> used(capacity.size(), 0.0), rising(capacity.size(), 0.0);
    for (std::size_t f = 0; f < flows.size(); ++f)
      for (const LinkUse& use : flows[f])
        (rises[f] ? rising : used)[static_cast<std::size_t>(use.link)] +=
            use.share * (rises[f] ? 1.0 : rate[f]);
    double level = 1e300;
    for (std::size_t l = 0; l < capacity.size(); ++l)
      if (rising[l] > 0.0) level = std::min(level, (capacity[l] - used[l]) / rising[l]);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (!rises[f]) continue;
      rate[f] = level;
      for (const LinkUse& use : flows[f]) {
        const auto l = static_cast<std::size_t>(use.link);
        if ((capacity[l] - used[l]) / rising[l] <= level * (1.0 + 1e-12)) rises[f] = false;
      }
    }
  }
  return rate;
}

struct Flow {
  std::size_t activity = 0;
  Route route;
  double left = 0.0;
  SimTime latency{};
};

struct Walk {  // of one activity
  std::size_t phase = 0;
  std::int64_t repeat = 0;
  bool under_way = false;
  SimTime wake{}, arrived{};
};

inline std::vector<SimTime> simulate(const machine::NetworkGraph& graph, Router& router,
                                     const std::vector<Activity>& activities) {
  std::vector<double> capacity;
  for (const machine::Link& link : graph.links) capacity.push_back(link.bandwidth.value);
  std::vector<Walk> walks(activities.size());
  std::vector<SimTime> end(activities.size());
  for (std::size_t a = 0; a < activities.size(); ++a) {
    end[a] = activities[a].start;
    walks[a].wake = activities[a].start + activities[a].phase_latency;
  }
  std::vector<Flow> flows;
  SimTime now{};
  const auto is_over = [&](std::size_t a) { return walks[a].phase == activities[a].phases->phases.size(); };
  const auto leave = [&](std::size_t a) {  // its last flow is gone
    Walk& w = walks[a];
    w.under_way = false;
    if (++w.repeat == activities[a].phases->phases[w.phase].repeat) w.repeat = 0, ++w.phase;
    w.wake = w.arrived + activities[a].phase_latency;
    if (is_over(a)) end[a] = w.arrived;
  };
  const auto enter = [&](std::size_t a) {
    const Activity& activity = activities[a];
    walks[a].under_way = true;
    walks[a].arrived = now;
    bool sends = false;
    for (const textbook::Transfer& t : activity.phases->of(activity.phases->phases[walks[a].phase])) {
      Flow flow;
      flow.activity = a;
      flow.left = static_cast<double>(t.bytes);
      router.route(activity.gpus[static_cast<std::size_t>(t.from)],
                   activity.gpus[static_cast<std::size_t>(t.to)], a, flow.route);
      flow.latency = router.latency_of(flow.route);
      if (t.bytes == 0 || flow.route.empty()) {
        walks[a].arrived = std::max(walks[a].arrived, now + flow.latency);
      } else {
        flows.push_back(flow), sends = true;
      }
    }
    if (!sends) leave(a);
  };
  while (true) {
    for (std::size_t a = 0; a < activities.size(); ++a)
      while (!is_over(a) && !walks[a].under_way && walks[a].wake <= now) enter(a);
    SimTime next = SimTime::max();
    for (std::size_t a = 0; a < activities.size(); ++a)
      if (!is_over(a) && !walks[a].under_way) next = std::min(next, walks[a].wake);
    std::vector<Route> routes;
    for (const Flow& flow : flows) routes.push_back(flow.route);
    const std::vector<double> rate = max_min(routes, capacity);
    std::vector<SimTime> ends;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      ends.push_back(now + SimTime(std::llround(flows[f].left / rate[f] * 1e12)));
      next = std::min(next, ends.back());
    }
    if (next == SimTime::max()) return end;
    const double passed = static_cast<double>((next - now).count()) * 1e-12;
    now = next;
    std::vector<Flow> still;
    std::vector<std::size_t> left_by(activities.size(), 0), remain(activities.size(), 0);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      Walk& w = walks[flows[f].activity];
      if (ends[f] <= now) {
        w.arrived = std::max(w.arrived, now + flows[f].latency);
        ++left_by[flows[f].activity];
      } else {
        still.push_back(flows[f]);
        still.back().left = std::max(0.0, flows[f].left - rate[f] * passed);
        ++remain[flows[f].activity];
      }
    }
    flows = still;
    for (std::size_t a = 0; a < activities.size(); ++a)
      if (left_by[a] > 0 && remain[a] == 0) leave(a);
  }
}

}  // namespace echo::network::twin
