// Estimating the size of a search tree. Idea (Knuth, "Estimating the efficiency of backtrack programs",
// Mathematics of Computation 29, 1975): descend at random among the children that a search would enter, and
// count each thing met as many times as there were choices on the way; the mean over descents is unbiased
// for any tree. Three measures reduce the variance: a child that is finished (no remaining rule is tested
// below it) is counted, not drawn; below a node with few combinations of interest, or one counted before,
// the exact count replaces the draw; and children in which no rule has failed are drawn separately from
// those in which an earlier rule may still fail, so that the rare survivors are always followed. Children of
// the latter kind get one descent of their own, in which no such distinction is made: a descent costs at
// most depth^2 nodes. The variance of the mean comes from the scatter of the descents; with 256 or more of
// them the mean is nearly normal unless nearly all of a count is where few descents arrive, and then the
// interval is too short.
#include "sweep/space/tree_estimate.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/counter_rng.hpp"

namespace echo::sweep {

namespace {

constexpr double small_subtree = 256.0;  // combinations of interest that are counted rather than drawn

class Descents {
 public:
  Descents(const Program& program, SubtreeCounter& counter, std::uint64_t seed)
      : program_(program), counter_(counter), state_(program), exact_(counter.buckets()), seed_(seed) {
    found.assign(counter.buckets(), 0.0);
  }

  // One descent: fills `found`.
  void go(std::uint64_t number) {
    number_ = number;
    drawn_ = 0;
    std::fill(found.begin(), found.end(), 0.0);
    const std::int32_t first = counter_.run(0, counter_.nothing_failed(), state_);
    descend({0, first}, 1.0);
  }
  std::vector<double> found;  // [bucket]
  std::int64_t nodes = 0;     // values tried so far

 private:
  struct Child {
    std::int64_t digit = 0;
    std::int32_t cutoff = 0;
  };

  bool is_finished(SearchNode node) { return counter_.relevance(node.cutoff).last_test <= node.depth; }
  void add(std::int32_t bucket, double amount) { found[at(bucket)] += amount; }

  bool add_exactly(SearchNode node, double weight) {
    std::span<const std::int64_t> counts = counter_.recall(node, state_);
    if (counts.empty()) {
      if (counter_.relevant_below(node) > small_subtree) return false;
      std::fill(exact_.begin(), exact_.end(), 0);
      std::int64_t budget = INT64_MAX;
      const bool done = counter_.add_below(node, 1, state_, exact_, budget);
      nodes += INT64_MAX - budget;
      if (!done) return false;
      counts = exact_;
    }
    for (std::size_t i = 0; i < counts.size(); ++i) found[i] += weight * static_cast<double>(counts[i]);
    return true;
  }

  SearchNode enter(std::size_t depth, const std::vector<Child>& children, std::int32_t cutoff) {
    const auto choice = draw(seed_, number_, drawn_++) % children.size();
    assign(program_, depth, children[choice].digit, state_);
    (void)counter_.run(depth + 1, cutoff, state_);
    return {depth + 1, children[choice].cutoff};
  }

  void descend(SearchNode node, double weight) {
    while (true) {
      const Relevance& now = counter_.relevance(node.cutoff);
      if (is_finished(node))
        return add(node.cutoff, weight * static_cast<double>(counter_.below(node.depth)));
      if (!now.dimension[node.depth]) {
        weight *= static_cast<double>(program_.size_of(node.depth++));
        continue;
      }
      if (add_exactly(node, weight)) return;
      std::vector<Child> alike, lowered;  // the main path's, and those that want a descent of their own
      split(node, weight, alike, lowered);
      if (!lowered.empty())
        descend(enter(node.depth, lowered, node.cutoff), weight * static_cast<double>(lowered.size()));
      if (alike.empty()) return;
      node = enter(node.depth, alike, node.cutoff);
      weight *= static_cast<double>(alike.size());
    }
  }

  void split(SearchNode node, double weight, std::vector<Child>& alike, std::vector<Child>& lowered) {
    const bool failed = node.cutoff != counter_.nothing_failed();
    for (std::int64_t digit = 0; digit < program_.size_of(node.depth); ++digit) {
      ++nodes;
      assign(program_, node.depth, digit, state_);
      const std::int32_t cutoff = counter_.run(node.depth + 1, node.cutoff, state_);
      if (is_finished({node.depth + 1, cutoff})) {
        add(cutoff, weight * static_cast<double>(counter_.below(node.depth + 1)));
      } else {
        (failed || cutoff == node.cutoff ? alike : lowered).push_back({digit, cutoff});
      }
    }
  }

  const Program& program_;
  SubtreeCounter& counter_;
  PointState state_;
  std::vector<std::int64_t> exact_;
  std::uint64_t seed_, number_ = 0, drawn_ = 0;
};

}  // namespace

Estimate estimate_counts(const Program& program, SubtreeCounter& counter, std::uint64_t seed,
                         std::int64_t node_budget) {
  constexpr std::int64_t pilots = 32, least = 256, most = 1'000'000;
  Descents descents(program, counter, seed);
  // Pilot descents give the cost of a descent; the number that follow must not depend on their findings.
  for (std::int64_t i = 0; i < pilots; ++i) descents.go(~static_cast<std::uint64_t>(i));
  const std::int64_t each = descents.nodes / pilots + 1;
  Estimate estimate;
  estimate.descents = std::clamp(node_budget / each, least, most);
  const auto n = static_cast<double>(estimate.descents);
  const std::size_t buckets = counter.buckets();
  std::vector<double> squares(buckets, 0.0);  // of deviations from the running mean (Welford 1962)
  estimate.mean.assign(buckets, 0.0);
  for (std::int64_t i = 0; i < estimate.descents; ++i) {
    descents.go(static_cast<std::uint64_t>(i));
    for (std::size_t b = 0; b < buckets; ++b) {
      const double off = descents.found[b] - estimate.mean[b];
      estimate.mean[b] += off / static_cast<double>(i + 1);
      squares[b] += off * (descents.found[b] - estimate.mean[b]);
    }
  }
  for (const double sum : squares) estimate.variance.push_back(sum / (n - 1.0) / n);
  return estimate;
}

}  // namespace echo::sweep
