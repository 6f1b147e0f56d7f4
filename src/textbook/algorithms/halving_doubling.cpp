// Recursive halving and doubling: a reduce-scatter exchanges half the buffer with the rank n/2 away, a
// quarter with the one n/4 away, ...; an all-gather goes back.
//   T = log2(n) alpha + (n-1) S/n beta, twice for all-reduce
// A broadcast scatters along a binomial tree and all-gathers. Where n is no power of two, the ranks beyond
// the largest one below hand their buffers to a partner first and get the result last: 2 alpha + 2 S beta
// more. Source: Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH",
// IJHPCA 2005; van de Geijn 1994 (broadcast).
#include <bit>

#include "textbook/algorithm.hpp"

namespace echo::textbook::algorithms {
namespace {

using ops::CollectiveKind;

bool admits(CollectiveKind kind, DimensionKind dimension, std::int32_t ranks) {
  const bool is_power = std::has_single_bit(static_cast<std::uint32_t>(ranks));
  const bool one_hop = dimension == DimensionKind::switched || dimension == DimensionKind::fully_connected;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return is_power || one_hop;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::broadcast:
      return is_power;
    default:
      return false;
  }
}

void steps(const Call& call, std::int32_t n, std::vector<Step>& out) {
  const auto whole = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n)));
  const std::int64_t piece = piece_of(call.bytes, whole);
  const bool reduces = call.kind == CollectiveKind::all_reduce || call.kind == CollectiveKind::reduce_scatter;
  const Step beyond{.pattern = Pattern::fold, .bytes = whole * piece, .distance = whole};
  if (whole < n) out.push_back(beyond);
  if (reduces || call.kind == CollectiveKind::broadcast) {
    const Pattern pattern = reduces ? Pattern::exchange : Pattern::binomial;
    for (std::int32_t d = whole / 2; d > 0; d /= 2)
      out.push_back({.pattern = pattern, .bytes = d * piece, .distance = d});
  }
  if (call.kind != CollectiveKind::reduce_scatter) {
    for (std::int32_t d = 1; d < whole; d *= 2)
      out.push_back({.pattern = Pattern::exchange, .bytes = d * piece, .distance = d});
  }
  if (whole < n) {
    out.push_back(beyond);
    out.back().pattern = Pattern::unfold;
  }
}

}  // namespace

extern const Algorithm halving_doubling;
const Algorithm halving_doubling{.id = ops::GenericAlgorithm::halving_doubling,
                                 .source = "Thakur, Rabenseifner, Gropp, IJHPCA 2005",
                                 .neighbours_only = false,
                                 .admits = admits,
                                 .steps = steps};

}  // namespace echo::textbook::algorithms
