// Ops of a trace by their names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace echo::testing {

// Of the first rank.
inline std::vector<std::string> names_of(const trace::Trace& trace) {
  std::vector<std::string> names;
  for (const trace::Node& node : trace.ranks.at(0).nodes)
    names.push_back(trace.names.at(static_cast<std::size_t>(node.name)));
  return names;
}

}  // namespace echo::testing
