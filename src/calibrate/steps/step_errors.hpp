// Published training steps with the errors of their predictions and the contributions of error sources.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/error_source.hpp"
#include "calibrate/steps/step_study.hpp"
#include "simulate/report.hpp"
#include "simulate/report/evidence.hpp"

namespace echo::calibrate {

struct StepError {
  std::string row, publication;
  std::array<std::int32_t, error_source_count> owner{};  // numbered within a source; -1: its own
  double error = 0.0;                                    // ln(predicted / measured)
  simulate::Evidence evidence;  // behind the prediction; untried: by no other publication
  simulate::StepReport report;  // the prediction
};

// Numbers what errors are common to: GPU kinds, networks, frameworks, in order of appearance; those of a
// framework apart for dense models, mixtures of experts and fine-tuning.
class ErrorOwners {
 public:
  [[nodiscard]] std::array<std::int32_t, error_source_count> of(const training::TrainingConfig&,
                                                                const simulate::Catalog&);

 private:
  std::map<std::string, std::int32_t> gpus_, networks_, frameworks_;
};

// As the study predicts the row; none where it refuses it. Precondition: the row has a config and a step
// time.
[[nodiscard]] std::optional<StepError> step_error(StepStudy&, const config::MeasuredStep&, ErrorOwners&);

}  // namespace echo::calibrate
