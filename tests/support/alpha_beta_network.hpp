// Phases walked transfer by transfer over the links of one dimension.
#pragma once

#include <cstdlib>
#include <map>
#include <utility>

#include "textbook/dimension.hpp"
#include "textbook/phases.hpp"

namespace echo::textbook::testing {

// Bytes over each link of one phase and the longest way. A link: (rank, where to): a neighbour's side on
// rings and lines, the peer on a mesh, one port out (0) and one in (1) on a switch.
struct Walked {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> links;
  std::int64_t hops = 0;

  void go(std::int32_t from, std::int32_t side, std::int64_t steps, std::int32_t n, std::int64_t bytes) {
    for (std::int64_t i = 0; i < steps; ++i, from = (from + side + n) % n) links[{from, side}] += bytes;
    hops = std::max(hops, steps);
  }
  void add(const Dimension& d, const Transfer& t) {
    const std::int32_t n = d.size, ahead = (t.to - t.from + n) % n, back = n - ahead;
    switch (d.kind) {
      case DimensionKind::switched:
        links[{t.from, 0}] += t.bytes, links[{t.to, 1}] += t.bytes, hops = 1;
        break;
      case DimensionKind::fully_connected:
        links[{t.from, t.to}] += t.bytes, hops = 1;
        break;
      case DimensionKind::line:
        go(t.from, t.to > t.from ? 1 : -1, std::abs(t.to - t.from), n, t.bytes);
        break;
      case DimensionKind::ring:
        if (ahead == back)
          go(t.from, 1, ahead, n, (t.bytes + 1) / 2), go(t.from, -1, back, n, (t.bytes + 1) / 2);
        if (ahead < back) go(t.from, 1, ahead, n, t.bytes);
        if (ahead > back) go(t.from, -1, back, n, t.bytes);
        break;
    }
  }
};

inline SimTime walk(const Phases& all, const Dimension& d) {
  SimTime sum{};
  for (const Phase& phase : all.phases) {
    Walked walked;
    for (const Transfer& t : all.of(phase)) walked.add(d, t);
    std::int64_t most = 0;
    for (const auto& [link, bytes] : walked.links) most = std::max(most, bytes);
    sum += phase.repeat * (walked.hops * d.latency + Bytes(most) / d.cable());
  }
  return sum;
}

}  // namespace echo::textbook::testing
