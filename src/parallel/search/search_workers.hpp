// The rounds of a search on all workers. Worker 0 holds the queue; each round's tasks are distributed in turn,
// and what comes back is in the order of the tasks, whoever ran them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "parallel/platform/mail.hpp"
#include "search/task.hpp"

namespace echo::parallel {

using RunTask = std::function<search::Outcome(const search::Node&)>;

// On worker 0: outcomes of the tasks, in their order. Collective: the others are in serve_search(). An
// exception of any worker is thrown on all.
[[nodiscard]] std::vector<search::Outcome> run_round(const Mail&, std::span<const search::Node> tasks,
                                                     const RunTask&);
// On the other workers: runs their share of rounds until worker 0 ends the search.
void serve_search(const Mail&, const RunTask&);
// On worker 0: after the last round.
void end_search(const Mail&);

}  // namespace echo::parallel
