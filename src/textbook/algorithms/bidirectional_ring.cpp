// Two rings in opposite directions, with half of every piece on each: all of a rank's cables are busy on a
// ring dimension, where the plain ring leaves half of them idle. An all-to-all exchanges with the ranks s
// further and s before at once, in half the steps. Source: Rashidi et al., ASTRA-SIM, ISPASS 2020 (rings of
// both directions); Jain and Sabharwal, "Optimal bucket algorithms for large MPI collectives on torus
// interconnects", ICS 2010.
#include "textbook/algorithm.hpp"

namespace echo::textbook::algorithms {
namespace {

using ops::CollectiveKind;

bool admits(CollectiveKind kind, DimensionKind, std::int32_t) { return shares_data_evenly(kind); }

void steps(const Call& call, std::int32_t n, std::vector<Step>& out) {
  const std::int64_t piece = piece_of(call.bytes, n);
  if (call.kind == CollectiveKind::all_to_all) {
    for (std::int32_t s = 1; 2 * s < n; ++s)
      out.push_back({.pattern = Pattern::both_ways, .bytes = piece, .distance = s});
    if (n % 2 == 0) out.push_back({.pattern = Pattern::shift, .bytes = piece, .distance = n / 2});
    return;
  }
  const std::int64_t rounds = call.kind == CollectiveKind::all_reduce ? 2 : 1;
  out.push_back({.pattern = Pattern::both_ways, .bytes = piece_of(piece, 2), .repeat = rounds * (n - 1)});
}

}  // namespace

extern const Algorithm bidirectional_ring;
const Algorithm bidirectional_ring{.id = ops::GenericAlgorithm::bidirectional_ring,
                                   .source = "Jain and Sabharwal, ICS 2010",
                                   .neighbours_only = true,
                                   .admits = admits,
                                   .steps = steps};

}  // namespace echo::textbook::algorithms
