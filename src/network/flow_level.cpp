// Problem. A closed form prices a collective on links it has for itself. Where several collectives share
// NICs, rails and uplinks, or hashing puts two flows on one cable while another is idle, the time depends on
// which flows share which link when.
//
// Idea. A transfer is a fluid: it flows at its max-min fair rate (max_min.cpp) until a transfer starts or
// ends somewhere in its neighbourhood. Between such events rates are constant, so that times are exact
// except for one rounding to the picosecond per event:
//   next event = min over running flows of (bytes left / rate), and the next start of a phase
// A phase is done when the last of its transfers has arrived: end + latency of its links. Rates are computed
// on classes of identical flows (fold.cpp), again when a phase begins. Flows of a class end together, so
// that classes stay classes while others end; then only the rates that an end affects over shared links are
// computed again. Activities that share no link are separated into components. Where all activities of a
// component are between phases in the same state as one round before, whole rounds are skipped.
//
// Source: the fluid model of Bertsekas and Gallager 1992, 6.5; SimGrid's network model (Velho et al., "On
// the validity of flow-level TCP network models for grid and cloud simulations", TOMACS 2013). Neglected:
// packets, queues, the time until rates settle; ranks of a group wait for each other at every phase.
#include "network/flow_level.hpp"

#include "base/at.hpp"
#include "network/flow_component.hpp"

namespace echo::network {

FlowTimes simulate_flows(const machine::NetworkGraph& graph, Router& router,
                         std::span<const Activity> activities, Repeats repeats) {
  FlowTimes out;
  out.link_bytes.assign(graph.links.size(), 0.0);
  std::vector<double> capacity;
  for (const machine::Link& link : graph.links) capacity.push_back(link.bandwidth.value);
  std::vector<Course> courses;
  for (std::size_t i = 0; i < activities.size(); ++i)
    courses.push_back(course_of(activities[i], i, router, repeats));
  std::vector<std::vector<Course*>> groups(
      static_cast<std::size_t>(find_components(courses, graph.links.size())));
  for (Course& course : courses) groups[at(course.group)].push_back(&course);
  for (auto& group : groups) run_component(std::move(group), capacity, out);
  for (const Course& course : courses) out.end.push_back(course.end);
  return out;
}

}  // namespace echo::network
