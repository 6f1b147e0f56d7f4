// Whether a framework could start this config at all (divisibility, group sizes, supported features).
#pragma once

#include <cstdint>

#include "training/support_rule.hpp"

namespace echo::training {

// Values are fixed in hdf5_schemas/results_v1.toml.
enum class Status : std::int8_t { ok, infeasible, failed, over_budget, pending };
enum class Reason : std::int8_t { none, memory, limit, unsupported, internal_error, work_budget, crashed };

// The first rule that the config breaks; none where it breaks none.
[[nodiscard]] Refusal first_broken_rule(const Attempt&);

}  // namespace echo::training
