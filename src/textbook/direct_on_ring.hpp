// Messages from every rank of a ring to every other one at the same time, where each link stores a message,
// forwards it, and serves one after the other.
#pragma once

#include <cstdint>

#include "textbook/dimension.hpp"

namespace echo::textbook {

struct RingMessages {
  std::int32_t ranks = 2;
  std::int64_t window =
      1;  // to ranks 1, 2, ... on at once; each takes every window-th one further in its turn
  std::int64_t beside = 1;    // collectives that begin together
  SimTime wire{}, latency{};  // of a message on a link
  SimTime receiver{};         // what a rank takes for each
};

// When the last message is done, and the links that it passed.
struct LastMessage {
  SimTime end{};
  std::int64_t hops = 0;
  std::int64_t before = 0;  // messages of its chain that its window let go first
};

// Messages take the shorter way, forwards where both are equal; they queue in the order in which they come.
// Source: congestion_aware/Link.cpp of astra-network-analytical 599a047.
[[nodiscard]] LastMessage direct_on_ring(const RingMessages&);

}  // namespace echo::textbook
