// Simulates a traced step instead of a generated one.
#pragma once

#include "base/refusal.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/report.hpp"
#include "simulate/skew.hpp"
#include "simulate/step/workspace.hpp"
#include "training/config.hpp"

namespace echo::simulate {

// Contract: the config's model is a trace. Its batch counts tokens of the job: global_samples times
// sequence_tokens, 0 where they are not known. Memory is not known of a trace, tokens and arithmetic may not
// be: bytes are then 0 and rates NaN. Throws ContractViolation, in words, where ops wait for each other for
// ever.
[[nodiscard]] StepReport replay_step(const training::TrainingConfig&, const Catalog&, const Calibration&,
                                     Workspace&, const Skew& = {});

// Why the config is infeasible as `unsupported`; none where it is not.
[[nodiscard]] Refusal why_replay_unsupported(const training::TrainingConfig&, const Catalog&);

// As config files count them: of one step of the job that has grown with the data degree.
[[nodiscard]] training::Batch batch_of_trace(double traced_tokens, double growth);

}  // namespace echo::simulate
