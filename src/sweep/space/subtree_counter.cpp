// Counting without enumerating. Problem: `plan` must report exactly how many combinations each rule is the
// first, in file order, to remove, for spaces with far more combinations than can be visited. Idea:
// depth-first over the dimensions, each rule tested at the first depth where it can be evaluated. Once rule
// r has failed, only rules before r can still change which rule removes the combination: below, the search
// continues with those alone. A dimension that no remaining step reads is a factor; a node below which no
// remaining rule is tested is finished; and the counts below a node depend only on the values that later
// steps read (Relevance::carry), so they are computed once for all nodes that agree on them. Rules that read
// different axes thus multiply, whatever is between them. Cost: one step per value tried at a node met for
// the first time; at most max_memo counts are kept, some hundred bytes each.
#include "sweep/space/subtree_counter.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::sweep {

namespace {

constexpr std::size_t max_memo = std::size_t{1} << 16;  // some 25 MB
constexpr std::int64_t worth_it = 8;                    // combinations below a node that pay for a look-up

}  // namespace

SubtreeCounter::SubtreeCounter(const Program& program, const simulate::Catalog& catalog)
    : program_(program), catalog_(catalog), relevance_(program.rules.size() + 1) {
  below_.assign(program.dimensions.size() + 1, 1);
  for (std::size_t d = program.dimensions.size(); d-- > 0;) below_[d] = below_[d + 1] * program.size_of(d);
}

const Relevance& SubtreeCounter::relevance(std::int32_t cutoff) {
  auto& known = relevance_[at(cutoff)];
  if (!known) known = relevance_of(program_, cutoff);
  return *known;
}

std::int32_t SubtreeCounter::run(std::size_t level, std::int32_t cutoff, PointState& state) {
  std::int32_t first = cutoff;
  for (const Step* step : relevance(cutoff).steps[level]) {
    if (!run_step(program_, catalog_, *step, state)) first = std::min(first, step->rule);
  }
  return first;
}

double SubtreeCounter::relevant_below(SearchNode node) {
  const Relevance& now = relevance(node.cutoff);
  double product = 1.0;
  for (std::size_t d = node.depth; d < now.last_test; ++d)
    product *= now.dimension[d] ? static_cast<double>(program_.size_of(d)) : 1.0;
  return product;
}

void SubtreeCounter::make_key(SearchNode node, const PointState& state) {
  key_.assign(
      {static_cast<char>(node.depth), static_cast<char>(node.cutoff), static_cast<char>(node.cutoff >> 8)});
  append_carried(relevance(node.cutoff), node.depth, state, key_);
}

std::span<const std::int64_t> SubtreeCounter::recall(SearchNode node, const PointState& state) {
  make_key(node, state);
  const auto known = memo_.find(key_);
  if (known == memo_.end()) return {};
  return std::span(counts_).subspan(known->second, buckets());
}

bool SubtreeCounter::add_below(SearchNode node, std::int64_t weight, PointState& state,
                               std::span<std::int64_t> out, std::int64_t& budget) {
  const Relevance& now = relevance(node.cutoff);
  while (now.last_test > node.depth && !now.dimension[node.depth]) weight *= program_.size_of(node.depth++);
  if (now.last_test <= node.depth) {
    out[at(node.cutoff)] += weight * below_[node.depth];
    return true;
  }
  const auto known = recall(node, state);
  for (std::size_t i = 0; i < known.size(); ++i) out[i] += weight * known[i];
  if (!known.empty()) return true;
  const std::string key = key_;
  std::vector<std::int64_t> counts(buckets(), 0);
  for (std::int64_t digit = 0; digit < program_.size_of(node.depth); ++digit) {
    if (budget-- <= 0) return false;
    assign(program_, node.depth, digit, state);
    const SearchNode child{node.depth + 1, run(node.depth + 1, node.cutoff, state)};
    if (!add_below(child, 1, state, counts, budget)) return false;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) out[i] += weight * counts[i];
  if (below_[node.depth] >= worth_it && memo_.size() < max_memo) {
    memo_.emplace(key, counts_.size());
    counts_.insert(counts_.end(), counts.begin(), counts.end());
  }
  return true;
}

}  // namespace echo::sweep
