// Branch and bound: the set that promises most is looked into first, until no open set can hold one of the
// best points.
//
// It goes in rounds: the sets at the head of the queue, up to a number that depends on the queue alone, are
// looked into independently of each other, by as many workers as there are; then all they found is taken in,
// in their order. So which sets are looked into, and which points are simulated, does not depend on the
// number of workers or on time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/aims.hpp"
#include "search/certificate.hpp"
#include "search/incumbents.hpp"
#include "search/task.hpp"
#include "sweep/spec.hpp"

namespace echo::search {

struct SearchProgress {
  std::int64_t rounds = 0, simulated = 0, open = 0;  // open: sets
  std::int64_t decided = 0, kept = 0;                // combinations
  double best = 0.0, possible = 0.0;  // values of the leading objective; NaN: nothing yet, no bound
};

struct SearchPlan {
  std::vector<Node> whole;        // parts of the space
  std::int64_t combinations = 0;  // crossed
  double gap = 0.0;  // ends where no open set can be better than the best by more than this share
};

// Outcomes of tasks, in their order.
using RunTasks = std::function<std::vector<Outcome>(std::span<const Node>)>;
// Called after each round; false stops the search.
using SeeProgress = std::function<bool(const SearchProgress&)>;

struct SearchResult {
  Certificate certificate;
  bool is_stopped = false;  // by SeeProgress: the certificate has open sets
};

[[nodiscard]] SearchResult search_best(const sweep::Search&, const Aims&, SearchPlan, const RunTasks&,
                                       const SeeProgress&);

}  // namespace echo::search
