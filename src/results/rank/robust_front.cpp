// Comparing every row with every other would be too expensive. Two bounds avoid nearly all of it.
//
// Margin. The error of a difference is at most the sum of two errors (the triangle inequality, whatever is
// shared), so that with the greatest error s of the file a lead of m = 2 z s decides an objective, z being
// the normal quantile that leaves `sure` after two such objectives. A row that some point of the predicted
// front leads by m in the objectives that have an error, and that is no better in the others, is excluded.
// It cannot matter for any other row either: that front point leads whatever the row leads, by more. The
// rows that remain are the neighbourhood of the front; they are collected in a second pass over the file.
//
// Tree. In the neighbourhood the likeliest rival of each point of the front is searched in boxes
// (contest_tree.hpp). Rows off the front are first compared with the front, which decides most of them; for
// the rest the search only needs to find whether any row surely beats them, which leaves out most boxes.
#include "results/rank/robust_front.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "results/rank/contest.hpp"
#include "results/rank/contest_tree.hpp"
#include "results/rank/eligible.hpp"

namespace echo::results {
namespace {

using Aspects = std::array<Aspect, 2>;

// 0.95 in each of two objectives is above `sure` in both.
constexpr double z95 = 1.6448536269514722;

struct Candidate : Contender {
  double first = 0.0, second = 0.0;  // values of the two objectives
};

// Ranked rows with both costs.
template <class See>
void for_each_candidate(const ResultRows& rows, const std::array<std::string, 2>& metrics,
                        const Aspects& aspects, See see) {
  const ErrorColumns errors(rows);
  const Eligible eligible(rows);
  const auto [status, chance] = eligible.columns();
  std::vector<std::string> columns{status, chance, metrics[0], metrics[1]};
  columns.insert(columns.end(), errors.names().begin(), errors.names().end());
  Candidate candidate;
  for (Scan scan(rows, columns); scan.next();) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(scan.count()); ++i) {
      if (!eligible(scan, i)) continue;
      candidate.first = scan.values(2)[i], candidate.second = scan.values(3)[i];
      candidate.cost = {aspects[0].cost_of(candidate.first), aspects[1].cost_of(candidate.second)};
      if (std::isnan(candidate.cost[0]) || std::isnan(candidate.cost[1])) continue;
      candidate.row = scan.first() + static_cast<std::int64_t>(i);
      candidate.error = errors.at(scan, 4, i);
      see(candidate);
    }
  }
}

// The front as predicted, as costs: the first ascends, the second descends.
struct Neighbourhood {
  std::vector<std::array<double, 2>> front;
  std::array<double, 2> margin{};

  [[nodiscard]] bool holds(const Contender& row) const {
    const auto past = std::ranges::upper_bound(front, row.cost[0] - margin[0], {},
                                               [](const std::array<double, 2>& cost) { return cost[0]; });
    return past == front.begin() || (*std::prev(past))[1] > row.cost[1] - margin[1];
  }
};

double step_sigma(const RowError& error) {
  return std::sqrt(std::inner_product(error.step.begin(), error.step.end(), error.step.begin(), 0.0));
}

std::array<double, 2> margins_of(const ResultRows& rows, const std::array<std::string, 2>& metrics,
                                 const Aspects& aspects) {
  double step = 0.0, memory = 0.0;
  for_each_candidate(rows, metrics, aspects, [&](const Candidate& candidate) {
    step = std::max(step, step_sigma(candidate.error)), memory = std::max(memory, candidate.error.memory);
  });
  std::array<double, 2> margins{};
  for (std::size_t o = 0; o < 2; ++o)
    if (aspects[o].slope != 0.0)
      margins[o] = 2.0 * z95 * (aspects[o].law == sweep::ErrorLaw::memory ? memory : step);
  return margins;
}

void set_rival(FrontPoint& point, const Rival& rival) {
  if (rival.row >= 0) point.rival = rival.row, point.rival_chance = rival.chance;
}

}  // namespace

std::vector<FrontPoint> robust_front(const ResultRows& rows, const sweep::Objective& first,
                                     const sweep::Objective& second) {
  const std::array<std::string, 2> metrics{first.metric, second.metric};
  const Aspects aspects{aspect_of(rows, first), aspect_of(rows, second)};
  std::vector<FrontPoint> points;
  Neighbourhood near;
  std::map<std::int64_t, std::size_t> place;  // in `points`, by row
  for (const ParetoPoint& point : pareto_front(rows, first, second)) {
    place[point.row] = points.size();
    points.push_back({point});
    const std::array<double, 2> cost{aspects[0].cost_of(point.first), aspects[1].cost_of(point.second)};
    if (!std::isnan(cost[0]) && !std::isnan(cost[1])) near.front.push_back(cost);
  }
  if (aspects[0].slope == 0.0 && aspects[1].slope == 0.0) return points;

  near.margin = margins_of(rows, metrics, aspects);
  std::vector<Candidate> candidates;
  for_each_candidate(rows, metrics, aspects, [&](const Candidate& candidate) {
    if (near.holds(candidate) || place.contains(candidate.row)) candidates.push_back(candidate);
  });

  const auto is_on_front = [&](const Candidate& candidate) { return place.contains(candidate.row); };
  std::vector<Contender> front;
  std::ranges::copy_if(candidates, std::back_inserter(front), is_on_front);
  const ContestTree all(aspects, {candidates.begin(), candidates.end()}), of_front(aspects, std::move(front));
  std::vector<FrontPoint> unproven;
  for (const Candidate& candidate : candidates) {
    FrontPoint point{{candidate.row, candidate.first, candidate.second}};
    if (is_on_front(candidate)) {
      set_rival(point, all.rival_of(candidate, 1.0 - sure, sure));
      point.standing = point.rival < 0 ? Standing::robust : Standing::tie;
      points[place[candidate.row]] = point;
      continue;
    }
    set_rival(point, of_front.rival_of(candidate, 1.0 - sure, sure));
    point.standing = Standing::unproven;
    if (point.rival_chance >= sure || all.rival_of(candidate, sure, sure).row >= 0) continue;
    unproven.push_back(point);
  }
  std::ranges::sort(unproven, {}, [&](const FrontPoint& point) {
    return std::tuple(aspects[0].sign * point.first, aspects[1].sign * point.second, point.row);
  });
  points.insert(points.end(), unproven.begin(), unproven.end());
  return points;
}

std::int64_t count_of(std::span<const FrontPoint> points, Standing standing) {
  return std::ranges::count(points, standing, &FrontPoint::standing);
}

}  // namespace echo::results
