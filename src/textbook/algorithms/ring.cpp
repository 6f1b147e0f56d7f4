// Ring: every rank passes a piece of 1/n to its neighbour, n - 1 times; an all-reduce goes round twice.
//   T = (n-1) (alpha + S/n beta), twice for all-reduce
// A broadcast passes down the chain in c pieces: (n-2+c) (alpha + S/c beta). An all-to-all exchanges
// pairwise: step s with the ranks s further and s before. Source: Patarasuk and Yuan, "Bandwidth optimal
// all-reduce algorithms for clusters of workstations", JPDC 2009; Thakur, Rabenseifner, Gropp, IJHPCA 2005
// (pairwise).
#include "textbook/algorithm.hpp"

namespace echo::textbook::algorithms {
namespace {

using ops::CollectiveKind;

bool admits(CollectiveKind kind, DimensionKind, std::int32_t) {
  return shares_data_evenly(kind) || kind == CollectiveKind::broadcast;
}

void steps(const Call& call, std::int32_t n, std::vector<Step>& out) {
  const std::int64_t piece = piece_of(call.bytes, n);
  if (call.kind == CollectiveKind::broadcast) {
    const std::int64_t pieces = pieces_in_flight(call.bytes);
    add_pipeline(Pattern::chain, n - 1, pieces, piece_of(call.bytes, pieces), out);
  } else if (call.kind == CollectiveKind::all_to_all) {
    for (std::int32_t s = 1; s < n; ++s)
      out.push_back({.pattern = Pattern::shift, .bytes = piece, .distance = s});
  } else {
    const std::int64_t rounds = call.kind == CollectiveKind::all_reduce ? 2 : 1;
    out.push_back({.pattern = Pattern::shift, .bytes = piece, .repeat = rounds * (n - 1)});
  }
}

}  // namespace

extern const Algorithm ring;
const Algorithm ring{.id = ops::GenericAlgorithm::ring,
                     .source = "Patarasuk and Yuan, JPDC 2009",
                     .neighbours_only = true,
                     .admits = admits,
                     .steps = steps};

}  // namespace echo::textbook::algorithms
