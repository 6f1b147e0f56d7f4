// A tree of contenders that finds the row most likely to beat a given row without testing all.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "results/rank/contest.hpp"

namespace echo::results {

struct Rival {
  std::int64_t row = -1;  // -1: none
  double chance = 0.0;    // that it beats the row asked about, in every aspect
};

class ContestTree {
 public:
  ContestTree(std::span<const Aspect> aspects, std::vector<Contender> contenders);

  // The likeliest of the contenders other than `b` whose chance to beat it is at least `floor` (above 0),
  // among equals the earliest row; where one reaches `ceiling`, any that does.
  [[nodiscard]] Rival rival_of(const Contender& b, double floor, double ceiling) const;
  // In no order.
  [[nodiscard]] std::span<const Contender> contenders() const { return contenders_; }

 private:
  struct Node {
    ContestBox box;
    std::size_t begin = 0, end = 0;   // of contenders_
    std::size_t left = 0, right = 0;  // of nodes_; 0: a leaf
  };
  std::size_t build(std::size_t begin, std::size_t end);
  void search(std::size_t node, double bound, const Contender& b, double ceiling, Rival& best) const;

  std::vector<Aspect> aspects_;
  std::vector<Contender> contenders_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> roots_;  // one for each combination of owners
};

}  // namespace echo::results
