// Double binary tree: half of the buffer is reduced up one tree and sent down it again, the other half
// through the other tree, whose inner ranks are leaves of the first. With c pieces that follow each other up
// and then down:
//   T = 2 (ceil(log2 n) + c - 1) (alpha + S/c beta), which approaches 2 S beta with little latency
// as every port receives and sends two halves of a piece per phase. Source: Sanders, Speck, Traeff,
// "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing 2009.
// Neglected: pieces on their way down while others go up.
#include "textbook/algorithm.hpp"

namespace echo::textbook::algorithms {
namespace {

bool admits(ops::CollectiveKind kind, DimensionKind dimension, std::int32_t) {
  return kind == ops::CollectiveKind::all_reduce && dimension == DimensionKind::switched;
}

void steps(const Call& call, std::int32_t n, std::vector<Step>& out) {
  const std::int64_t half = piece_of(call.bytes, 2), pieces = pieces_in_flight(half);
  for (const Pattern pattern : {Pattern::trees_up, Pattern::trees_down})
    add_pipeline(pattern, tree_levels(n), pieces, piece_of(half, pieces), out);
}

}  // namespace

extern const Algorithm double_binary_tree;
const Algorithm double_binary_tree{.id = ops::GenericAlgorithm::double_binary_tree,
                                   .source = "Sanders, Speck, Traeff, Parallel Computing 2009",
                                   .neighbours_only = false,
                                   .admits = admits,
                                   .steps = steps};

}  // namespace echo::textbook::algorithms
