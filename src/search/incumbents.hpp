// The best points found so far, and whether a set can still hold one of the best.
//
// In each slice: the `top` least costs of the leading objective, or all costs within a share of the least;
// and of two objectives also the front, the points that none is as good as in both and better in one. Points
// of equal cost are taken in the order of the file, so that the points found are those of a grid.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "search/task.hpp"
#include "sweep/spec.hpp"

namespace echo::search {

// A point that may be ranked.
struct Found {
  Costs costs{};
  std::int64_t filed = 0;  // its number in the order of the file
  friend bool operator==(const Found&, const Found&) = default;
};

class Incumbents {
 public:
  Incumbents(const sweep::Search& search, std::size_t objectives);

  // A simulated point of this slice that may be ranked.
  void add(const std::vector<std::int64_t>& slice, const Found&);
  // Whether no member can be one of the best. Never where its slice is not known.
  [[nodiscard]] bool excludes(const Node&) const;
  // The least cost of the leading objective in the node's slice, or in any; nothing found: infinite.
  [[nodiscard]] double best_of(const Node&) const;
  [[nodiscard]] double best() const;
  // The points, in the order of the file, each once.
  [[nodiscard]] std::vector<std::int64_t> points() const;
  [[nodiscard]] std::int64_t slices() const { return static_cast<std::int64_t>(slices_.size()); }

 private:
  struct Slice {
    std::vector<Found> best;   // by cost, then place
    std::vector<Found> front;  // ascending in the first cost
  };
  void add_to_front(std::vector<Found>&, const Found&) const;
  [[nodiscard]] bool is_full(const Slice&) const;
  [[nodiscard]] double worst_within(const Slice&) const;
  sweep::Search search_;
  std::size_t objectives_;
  std::map<std::vector<std::int64_t>, Slice> slices_;
};

}  // namespace echo::search
