// One measured training step with its prediction.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "config/measured/measured_steps.hpp"
#include "simulate/report.hpp"
#include "training/memory/memory_use.hpp"
#include "validation/row_shares.hpp"

namespace echo::validation {

// Crosses MPI as bytes.
struct StepPrediction {
  simulate::StepReport report;                                   // pending where the row has no config
  training::MemoryUse fullest;                                   // memory of the stage that needs most
  double memory_gib = std::numeric_limits<double>::quiet_NaN();  // the like of the measured figure
  bool has_memory = false;                                       // `fullest` is filled
  double fit_chance = 1.0;
  bool fits = true;          // in the GPU's memory
  bool read_to_fit = false;  // by what the table leaves open
};

struct PredictedStep {
  const config::MeasuredStep& step;
  const simulate::Catalog& catalog;  // that the row's config refers to
  StepPrediction prediction;
  std::string skipped;  // why it is not scored; empty = scored, if something was measured

  [[nodiscard]] const training::TrainingConfig& config() const { return step.config.value(); }
  [[nodiscard]] simulate::Setting setting() const {
    return step.setting.value_or(simulate::Setting::benchmark);
  }
  [[nodiscard]] bool is_predicted() const { return skipped.empty(); }
  [[nodiscard]] bool is_scored() const { return is_predicted() && step.step_seconds; }
  [[nodiscard]] double seconds() const { return to_seconds(prediction.report.step); }  // predicted
  [[nodiscard]] double ratio() const { return seconds() / step.step_seconds.value(); }
  [[nodiscard]] std::optional<double> memory_gib() const;  // where it can be compared
};

// All rows, in their order, each in the setting that the table states, else as a benchmark; `steps` outlives
// them. Collective. Where a run would not fit its GPU, what the table leaves open was chosen otherwise: its
// memory is that of the first reading that fits, its time that of the row as the table reads.
[[nodiscard]] std::vector<PredictedStep> predict_steps(const config::MeasuredSteps& steps,
                                                       const simulate::Calibration&, const RowShares&);

}  // namespace echo::validation
