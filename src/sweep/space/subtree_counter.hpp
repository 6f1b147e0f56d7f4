// Exact counts below a node of the search: combinations first removed by each rule, and combinations kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/language/point_state.hpp"
#include "sweep/language/program.hpp"
#include "sweep/space/relevance.hpp"

namespace echo::sweep {

// A place in the search: the first `depth` dimensions are fixed in a PointState, and `cutoff` is the first
// rule, in file order, that has failed so far; as many as there are rules when none has.
struct SearchNode {
  std::size_t depth = 0;
  std::int32_t cutoff = 0;
};

class SubtreeCounter {
 public:
  SubtreeCounter(const Program& program, const simulate::Catalog& catalog);  // keeps references

  // Counts have a place for each rule, then one for what none removes.
  [[nodiscard]] std::size_t buckets() const { return program_.rules.size() + 1; }
  [[nodiscard]] std::int32_t nothing_failed() const {
    return static_cast<std::int32_t>(program_.rules.size());
  }
  // Adds `weight` times the counts below `node` to `out`, [buckets()]. Spends one of `budget` for every value
  // tried; false when it is used up, and `out` is then of no use. Overwrites what lies below in `state`.
  [[nodiscard]] bool add_below(SearchNode node, std::int64_t weight, PointState& state,
                               std::span<std::int64_t> out, std::int64_t& budget);
  // Counts found before; empty where there are none.
  [[nodiscard]] std::span<const std::int64_t> recall(SearchNode node, const PointState& state);

  [[nodiscard]] const Relevance& relevance(std::int32_t cutoff);
  // Runs what matters at `level`; the first rule, in file order, that has failed then.
  [[nodiscard]] std::int32_t run(std::size_t level, std::int32_t cutoff, PointState& state);
  // Combinations of the dimensions from `depth` on; of those that matter, the second.
  [[nodiscard]] std::int64_t below(std::size_t depth) const { return below_[depth]; }
  [[nodiscard]] double relevant_below(SearchNode node);

 private:
  void make_key(SearchNode node, const PointState& state);
  const Program& program_;
  const simulate::Catalog& catalog_;
  std::vector<std::int64_t> below_;                    // [depth]
  std::vector<std::optional<Relevance>> relevance_;    // [cutoff]
  std::unordered_map<std::string, std::size_t> memo_;  // looked up, never iterated: first place in counts_
  std::vector<std::int64_t> counts_;
  std::string key_;
};

}  // namespace echo::sweep
