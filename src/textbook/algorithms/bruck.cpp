// Bruck: ceil(log2 n) steps for any number of ranks. Step k sends to the rank at distance 2^k: an all-to-all
// moves all pieces whose distance has bit k set, about half; an all-gather sends all it has, which doubles
// each time; a reduce-scatter does the same backwards.
//   T = ceil(log2 n) alpha + (n-1) S/n beta, for an all-to-all about ceil(log2 n) S/2 beta
// Source: Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in
// multiport message-passing systems", IEEE TPDS 1997. Neglected: the rotations of the buffer at both ends.
#include "textbook/algorithm.hpp"

namespace echo::textbook::algorithms {
namespace {

using ops::CollectiveKind;

bool admits(CollectiveKind kind, DimensionKind, std::int32_t) { return shares_data_evenly(kind); }

// Numbers in [0, n) with this bit set.
std::int64_t with_bit(std::int64_t n, std::int64_t bit) {
  return n / (2 * bit) * bit + std::max<std::int64_t>(0, n % (2 * bit) - bit);
}

void steps(const Call& call, std::int32_t n, std::vector<Step>& out) {
  const std::int64_t piece = piece_of(call.bytes, n);
  const auto add = [&](std::int32_t to, std::int64_t pieces) {
    out.push_back({.pattern = Pattern::shift, .bytes = pieces * piece, .distance = to});
  };
  if (call.kind == CollectiveKind::all_to_all) {
    for (std::int32_t bit = 1; bit < n; bit *= 2) add(bit, with_bit(n, bit));
    return;
  }
  if (call.kind != CollectiveKind::all_gather) {
    std::int32_t bit = 1;
    while (2 * bit < n) bit *= 2;
    for (; bit > 0; bit /= 2) add(bit, std::min(bit, n - bit));
  }
  if (call.kind != CollectiveKind::reduce_scatter) {
    for (std::int32_t bit = 1; bit < n; bit *= 2) add(n - bit, std::min(bit, n - bit));
  }
}

}  // namespace

extern const Algorithm bruck;
const Algorithm bruck{.id = ops::GenericAlgorithm::bruck,
                      .source = "Bruck et al., IEEE TPDS 1997",
                      .neighbours_only = false,
                      .admits = admits,
                      .steps = steps};

}  // namespace echo::textbook::algorithms
