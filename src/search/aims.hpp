// The objectives of a search as costs, of which less is better.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bounds/metric_bound.hpp"
#include "campaign/terms.hpp"
#include "sweep/language/metric.hpp"
#include "sweep/spec.hpp"

namespace echo::search {

// [objective] Values times -1 where more is better. Unknown values are infinite: they come last.
using Costs = std::array<double, 2>;
inline constexpr double no_bound = -std::numeric_limits<double>::infinity();

// The objectives that a search goes by: the first two of the sweep, or tokens per second and GPU.
[[nodiscard]] std::vector<sweep::Objective> objectives_of(const sweep::SweepSpec&);

class Aims {
 public:
  explicit Aims(const sweep::SweepSpec&);

  [[nodiscard]] std::size_t count() const { return aims_.size(); }
  [[nodiscard]] bool has_bound(std::size_t i) const { return aims_[i].basis != bounds::Basis::none; }
  [[nodiscard]] bool needs_memory() const;  // some objective is bounded by memory
  [[nodiscard]] const campaign::Terms& terms() const { return terms_; }

  // As a result file holds them: a column of single precision rounds.
  [[nodiscard]] Costs costs_of(const campaign::PlannedTraining&) const;
  // No member of a set has less. `step`, `memory`: its bounds; null where there is none.
  [[nodiscard]] Costs least_costs(const training::TrainingConfig& member, const simulate::Catalog&,
                                  const SimTime* step, const Bytes* memory) const;
  [[nodiscard]] double value_of(std::size_t i, double cost) const { return aims_[i].sign * cost; }
  [[nodiscard]] const sweep::Objective& objective(std::size_t i) const { return aims_[i].objective; }

 private:
  struct Aim {
    sweep::Objective objective;
    const sweep::Metric* metric = nullptr;
    bounds::Basis basis{};
    double sign = 1.0;
    bool is_single = false;  // its column is of single precision
  };
  [[nodiscard]] static double cost_of(const Aim&, double value);
  std::vector<Aim> aims_;
  campaign::Terms terms_;
};

}  // namespace echo::search
