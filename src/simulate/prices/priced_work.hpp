// The work of a step and its prices. Neighbouring points of a sweep often share both: they differ in what
// only the composition reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bounded_memo.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/prices/price_memo.hpp"
#include "simulate/simulated_step.hpp"
#include "training/config.hpp"

namespace echo::simulate {

// The last few, for one catalog and one calibration. Look-up only; results never depend on its contents.
class PricedWorkMemo {
 public:
  // Generates the work of a step whose ranks are laid out, and prices it; or finds both. They are computed
  // from a config in which everything that is not part of the key has one fixed value, so that they cannot
  // depend on it. Contract: nobody else changes work and prices of `step`, except after forget_step().
  void price(const training::TrainingConfig&, const Catalog&, const Calibration&, PriceMemo&,
             SimulatedStep& step);
  void forget_step() { in_step_.is_known = false; }

  [[nodiscard]] MemoCount count() const { return count_; }

 private:
  struct Key {
    bool is_known = false;
    training::TrainingConfig config;
  };
  struct Kept {
    Key key;
    workload::Workload work;
    Prices prices;
  };
  void swap(Kept&, SimulatedStep&);

  static constexpr std::size_t most = 8;  // some 100 KiB each
  Key in_step_;                           // of what the step holds
  std::array<Kept, most> kept_;
  std::size_t next_ = 0;  // to be replaced
  MemoCount count_;
};

}  // namespace echo::simulate
