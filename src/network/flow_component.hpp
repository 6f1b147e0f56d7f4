// Event loop of a group of activities that share links.
#pragma once

#include <span>
#include <vector>

#include "network/flow_course.hpp"

namespace echo::network {

// Runs the courses of one component to their end and adds the bytes of links to `out`. `capacity`: bytes per
// second of every link. The model is explained in flow_level.cpp.
void run_component(std::vector<Course*> courses, std::span<const double> capacity, FlowTimes& out);

}  // namespace echo::network
