// Merges symmetric flows and links into classes, so that one class represents a thousand equal flows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "network/flow_routes.hpp"

namespace echo::network {

// The quotient: a row of `uses` is a class of flows, its links are classes of links, `share` is the load of
// all flows of the class on one link of the link class if each flow had rate 1.
struct Folded {
  std::vector<std::int32_t> class_of;  // [flows]
  std::vector<std::int32_t> first;     // [flow classes] its first flow
  Csr<LinkUse> uses;
  std::vector<double> capacity;  // [link classes]
  // Scratch, kept from call to call.
  std::vector<std::uint64_t> flow_colour, link_colour, link_sum, sorted;
  std::vector<std::int32_t> link_class, link_count, touched;
};

// What each flow uses; `kind` separates those that differ by more than their links. Max-min rates of
// the quotient equal those of the flows. Classes are in the order of their first flows.
void fold(std::span<const FlowUses> flows, std::span<const std::uint64_t> kind,
          std::span<const double> capacity, Folded& out);

}  // namespace echo::network
