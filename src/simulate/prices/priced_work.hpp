// The work of a step and its prices. Neighbouring points of a sweep often share both, as they differ in what
// only the composition reads; or the body of the step at least.
#pragma once

#include <cstdint>

#include "base/bounded_memo.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/prices/price_memo.hpp"
#include "simulate/simulated_step.hpp"
#include "training/config.hpp"
#include "workload/body.hpp"

namespace echo::simulate {

// The last one, for one catalog and one calibration. Look-up only; results never depend on its contents.
class PricedWorkMemo {
 public:
  // Generates the work of a step whose ranks are laid out, and prices it; or only the part that the step
  // before did not have. Both are computed from a config in which everything that is not part of the key has
  // one fixed value, so that they cannot depend on it. Contract: nobody else changes work, prices and body of
  // `step`, except after forget_step().
  void price(const training::TrainingConfig&, const Catalog&, const Calibration&, PriceMemo&,
             SimulatedStep& step);
  void forget_step() { key_.is_known = body_key_.is_known = false; }

  [[nodiscard]] MemoCount count() const { return count_; }

 private:
  struct Key {
    bool is_known = false;
    training::TrainingConfig config;
    [[nodiscard]] bool is(const training::TrainingConfig& other) const { return is_known && config == other; }
  };
  Key key_, body_key_;  // of what the step holds
  workload::Body body_;
  std::int64_t bodies_ = 0;  // generated
  MemoCount count_;
};

}  // namespace echo::simulate
