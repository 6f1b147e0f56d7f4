// Direct: each piece is sent directly to the rank that needs it, all pairs at once.
//   T = alpha + (n-1) S/n beta on a switch, alpha + S/n beta_cable on a full mesh; twice for all-reduce
// (reduce-scatter, then all-gather) and for a broadcast (scatter, then all-gather). Cheapest in latency; on
// rings and lines the pieces share cables. Source: Chan, Heimlich, Purkayastha, van de Geijn, "Collective
// communication: theory, practice, and experience", CCPE 2007; Rashidi et al., ASTRA-SIM, ISPASS 2020.
// Neglected: incast.
#include "textbook/algorithm.hpp"

namespace echo::textbook::algorithms {
namespace {

using ops::CollectiveKind;

bool admits(CollectiveKind kind, DimensionKind, std::int32_t) {
  return shares_data_evenly(kind) || kind == CollectiveKind::broadcast;
}

void steps(const Call& call, std::int32_t n, std::vector<Step>& out) {
  const std::int64_t piece = piece_of(call.bytes, n);
  if (call.kind == CollectiveKind::broadcast) out.push_back({.pattern = Pattern::scatter, .bytes = piece});
  const std::int64_t rounds = call.kind == CollectiveKind::all_reduce ? 2 : 1;
  out.push_back({.pattern = Pattern::all_pairs, .bytes = piece, .repeat = rounds});
}

}  // namespace

extern const Algorithm direct;
const Algorithm direct{.id = ops::GenericAlgorithm::direct,
                       .source = "Chan et al., CCPE 2007",
                       .neighbours_only = false,
                       .admits = admits,
                       .steps = steps};

}  // namespace echo::textbook::algorithms
