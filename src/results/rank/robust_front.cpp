// Comparing every row with every other would be too expensive. Two bounds avoid nearly all of it.
//
// Margin. The error of a difference is at most the sum of two errors (the triangle inequality, whatever is
// shared), so that with the greatest error s of the file a lead of m = 2 z s decides an objective, z being
// the normal quantile that leaves `sure` after two such objectives. A row that some point of the predicted
// front leads by m in the objectives that have an error, and that is no better in the others, is excluded.
// It cannot matter for any other row either: that front point leads whatever the row leads, by more. The
// rows that remain are the neighbourhood of the front. Stretches of the file whose best costs are not in it
// are passed over when they are collected.
//
// Tree. In the neighbourhood the likeliest rival of each point of the front is searched in boxes
// (contest_tree.hpp). Rows off the front are first compared with the front, which decides most of them; for
// the rest the search only needs to find whether any row surely beats them, which leaves out most boxes.
#include "results/rank/robust_front.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
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

// Ranked rows with both costs, and their errors where they are asked for.
class Candidates {
 public:
  Candidates(const ResultRows& rows, const std::array<std::string, 2>& metrics, const Aspects& aspects)
      : rows_(rows), metrics_(metrics), aspects_(aspects), errors_(rows), eligible_(rows) {}

  // Calls see(candidate) for those of the stretch that are `wanted` by their costs.
  template <class Wanted, class See>
  void in_stretch(std::int64_t stretch, Wanted wanted, See see) const {
    const auto [status, chance] = eligible_.columns();
    const std::array<std::string, 4> columns{status, chance, metrics_[0], metrics_[1]};
    struct Found {  // a contender without its error, which is three quarters of it
      std::int64_t row = 0;
      std::array<double, 2> value{}, cost{};
    };
    std::vector<Found> found;
    Contender candidate;
    Scan scan(rows_, columns, stretch * scan_rows);
    if (!scan.next()) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(scan.count()); ++i) {
      if (!eligible_(scan, i)) continue;
      candidate.row = scan.first() + static_cast<std::int64_t>(i);
      candidate.value = {scan.values(2)[i], scan.values(3)[i]};
      for (std::size_t o = 0; o < 2; ++o) candidate.cost[o] = aspects_[o].cost_of(candidate.value[o]);
      if (std::isnan(candidate.cost[0]) || std::isnan(candidate.cost[1])) continue;
      if (wanted(candidate)) found.push_back({candidate.row, candidate.value, candidate.cost});
    }
    if (found.empty()) return;
    Scan errors(rows_, errors_.names(), stretch * scan_rows);
    static_cast<void>(errors.next());
    for (const Found& one : found) {
      candidate.row = one.row, candidate.value = one.value, candidate.cost = one.cost;
      candidate.error = errors_.at(errors, 0, static_cast<std::size_t>(one.row - errors.first()));
      see(candidate);
    }
  }
  [[nodiscard]] std::int64_t stretches() const { return (rows_.rows() + scan_rows - 1) / scan_rows; }

 private:
  const ResultRows& rows_;
  const std::array<std::string, 2>& metrics_;
  const Aspects& aspects_;
  ErrorColumns errors_;
  Eligible eligible_;
};

// The front as predicted, as costs: the first ascends, the second descends.
struct Neighbourhood {
  std::vector<std::array<double, 2>> front;
  std::array<double, 2> margin{};

  // With the margin, or a share of it.
  [[nodiscard]] bool holds(const std::array<double, 2>& cost, double share = 1.0) const {
    const auto past = std::ranges::upper_bound(front, cost[0] - share * margin[0], {},
                                               [](const std::array<double, 2>& c) { return c[0]; });
    return past == front.begin() || (*std::prev(past))[1] > cost[1] - share * margin[1];
  }
  // The share of the margin at which a row that it holds enters, in steps of 2^-20.
  [[nodiscard]] double distance(const std::array<double, 2>& cost) const {
    double below = 0.0, above = 1.0;
    for (int step = 0; step < 20; ++step) {
      const double middle = 0.5 * (below + above);
      (holds(cost, middle) ? above : below) = middle;
    }
    return above;
  }
};

// The nearest of the rows that are offered. A row has some 200 bytes: only one copy of them is made.
class Nearest {
 public:
  explicit Nearest(std::size_t most) : most_(most) {}
  void offer(const Contender& candidate, double distance) {
    Place place{distance, candidate.row, kept_.size()};
    if (kept_.size() < most_) {
      kept_.push_back(candidate);
    } else {
      if (!(place < places_.front())) return;
      std::pop_heap(places_.begin(), places_.end());
      place.at = places_.back().at;
      places_.pop_back();
      kept_[place.at] = candidate;
    }
    places_.push_back(place);
    std::push_heap(places_.begin(), places_.end());
  }
  // In no order.
  [[nodiscard]] std::vector<Contender> take() {
    places_ = {};
    return std::move(kept_);
  }

 private:
  struct Place {
    double distance;
    std::int64_t row;
    std::size_t at;  // in kept_
    friend bool operator<(const Place& a, const Place& b) {
      return std::pair(a.distance, a.row) < std::pair(b.distance, b.row);
    }
  };
  std::size_t most_;
  std::vector<Contender> kept_;
  std::vector<Place> places_;  // a heap, the farthest first
};

double step_sigma(const RowError& error) {
  return std::sqrt(std::inner_product(error.step.begin(), error.step.end(), error.step.begin(), 0.0));
}

std::array<double, 2> margins_of(const FrontOutline& outline, const Aspects& aspects) {
  std::array<double, 2> margins{};
  for (std::size_t o = 0; o < 2; ++o)
    if (aspects[o].slope != 0.0)
      margins[o] =
          2.0 * z95 * (aspects[o].law == sweep::ErrorLaw::memory ? outline.memory_sigma : outline.step_sigma);
  return margins;
}

void set_rival(FrontPoint& point, const Rival& rival) {
  if (rival.row >= 0) point.rival = rival.row, point.rival_chance = rival.chance;
}

}  // namespace

FrontOutline outline_front(const ResultRows& rows, const sweep::Objective& first,
                           const sweep::Objective& second) {
  const std::array<std::string, 2> metrics{first.metric, second.metric};
  const Aspects aspects{aspect_of(rows, first), aspect_of(rows, second)};
  FrontOutline outline;
  outline.front = pareto_front(rows, first, second);
  const Candidates candidates(rows, metrics, aspects);
  for (std::int64_t stretch = 0; stretch < candidates.stretches(); ++stretch) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    auto& least = outline.least_cost.emplace_back(std::array<double, 2>{infinite, infinite});
    candidates.in_stretch(
        stretch, [](const Contender&) { return true; },
        [&](const Contender& candidate) {
          outline.step_sigma = std::max(outline.step_sigma, step_sigma(candidate.error));
          outline.memory_sigma = std::max(outline.memory_sigma, candidate.error.memory);
          for (std::size_t o = 0; o < 2; ++o) least[o] = std::min(least[o], candidate.cost[o]);
        });
  }
  return outline;
}

std::vector<FrontPoint> robust_front(const ResultRows& rows, const sweep::Objective& first,
                                     const sweep::Objective& second) {
  return robust_front(rows, first, second, outline_front(rows, first, second));
}

std::vector<FrontPoint> robust_front(const ResultRows& rows, const sweep::Objective& first,
                                     const sweep::Objective& second, const FrontOutline& outline) {
  const std::array<std::string, 2> metrics{first.metric, second.metric};
  const Aspects aspects{aspect_of(rows, first), aspect_of(rows, second)};
  std::vector<FrontPoint> points;
  Neighbourhood near;
  std::map<std::int64_t, std::size_t> place;  // in `points`, by row
  for (const ParetoPoint& point : outline.front) {
    place[point.row] = points.size();
    points.push_back({point});
    const std::array<double, 2> cost{aspects[0].cost_of(point.first), aspects[1].cost_of(point.second)};
    if (!std::isnan(cost[0]) && !std::isnan(cost[1])) near.front.push_back(cost);
  }
  if (aspects[0].slope == 0.0 && aspects[1].slope == 0.0) return points;

  near.margin = margins_of(outline, aspects);
  const Candidates all_rows(rows, metrics, aspects);
  Nearest nearest(std::max(most_compared, 2 * points.size()));
  std::set<std::int64_t> front_stretches;
  for (const auto& [row, point] : place) front_stretches.insert(row / scan_rows);
  for (std::int64_t stretch = 0; stretch < all_rows.stretches(); ++stretch)
    if (front_stretches.contains(stretch) ||
        near.holds(outline.least_cost.at(static_cast<std::size_t>(stretch))))
      all_rows.in_stretch(
          stretch,
          [&](const Contender& candidate) {
            return near.holds(candidate.cost) || place.contains(candidate.row);
          },
          [&](const Contender& candidate) {
            nearest.offer(candidate, place.contains(candidate.row) ? 0.0 : near.distance(candidate.cost));
          });
  const ContestTree all(aspects, nearest.take());
  const auto is_on_front = [&](const Contender& candidate) { return place.contains(candidate.row); };
  std::vector<Contender> front;
  std::ranges::copy_if(all.contenders(), std::back_inserter(front), is_on_front);
  const ContestTree of_front(aspects, std::move(front));
  std::vector<FrontPoint> unproven;
  for (const Contender& candidate : all.contenders()) {
    FrontPoint point{{candidate.row, candidate.value[0], candidate.value[1]}};
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
