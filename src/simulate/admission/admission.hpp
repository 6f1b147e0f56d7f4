// Whether the step of a config is simulated: does it break a rule, does it fit the memory. Most configs of a
// sweep end here.
#pragma once

#include "simulate/admission/stage_classes.hpp"
#include "simulate/admission/tier_capacity.hpp"
#include "simulate/catalog.hpp"
#include "simulate/memo_counts.hpp"
#include "simulate/report.hpp"
#include "simulate/report/error_model.hpp"
#include "timeline/schedule.hpp"
#include "training/axis_values.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/memory/stage_holds.hpp"

namespace echo::simulate {

struct Admission {
  std::int32_t rule = 0;  // code_of the Refusal that it meets; 0 = none
  bool fits = false;      // with least_fit_chance or better
  // Values of the fullest stage, as in StepReport; unknown where a rule is broken.
  std::int32_t memory_stage = 0;
  float mem_rel_error = 0.0F, fit_chance = 0.0F;
  training::MemoryParts memory{};
  Bytes memory_peak, memory_limit;
  friend bool operator==(const Admission&, const Admission&) = default;
};

// Fills the fields of a report that are known before anything is simulated: all of them, where it is not.
void report_admission(const Admission&, StepReport&);

// The rule that the config breaks; none where it breaks none.
[[nodiscard]] Refusal first_refusal(const training::TrainingConfig&, const Catalog&,
                                    const timeline::Schedule&, training::RankLayout& scratch);

// Admissions of configs in any order, each worked out once per combination of the axes that it looks at.
// What is worked out sees a config through these axes alone (training::AxesRead). An object serves one
// catalog.
class Admissions {
 public:
  Admissions() : Admissions(4096) {}
  explicit Admissions(std::size_t most) : known_(most) {}  // entries of the memo

  // Leaves the layout of the config's ranks, with chunks where its schedule places them, in `layout`, unless
  // it breaks a rule. Nothing but this function writes to `layout`.
  const Admission& of(const training::TrainingConfig&, const Catalog&, const ErrorModel&,
                      training::RankLayout& layout, MemoCounts&);

 private:
  void lay_out(const training::TrainingConfig&, const training::AxisValues&, const Catalog&,
               training::RankLayout&, MemoCounts&);
  Admission admit(const training::TrainingConfig&, const training::AxisValues&, const Catalog&,
                  const ErrorModel&, training::RankLayout&, MemoCounts&);
  TierUse find_fullest(const training::TrainingConfig&, const Catalog&, const timeline::Schedule&,
                       const training::RankLayout&, Admission&);

  BoundedMemo<training::AxisValues, Admission, training::AxisValuesHash> known_;
  ErrorModel errors_;                // of the admissions known
  training::AxisValues laid_out_{};  // what the layout in hand is of
  bool is_laid_out_ = false;
  StageClasses classes_;                     // of that layout
  std::vector<training::StageHolds> holds_;  // [class], scratch
  std::vector<std::uint8_t> is_held_;        // [class], scratch
};

}  // namespace echo::simulate
