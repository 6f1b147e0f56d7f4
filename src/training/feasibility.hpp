// Whether a framework could start this config at all (divisibility, group sizes, supported features).
#pragma once

#include <cstdint>
#include <optional>

#include "machine/cluster.hpp"
#include "machine/gpu.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"

namespace echo::training {

// Values are fixed in hdf5_schemas/results_v1.toml.
enum class Status : std::int8_t { ok, infeasible, failed, over_budget, pending };
enum class Reason : std::int8_t { none, memory, limit, unsupported, internal_error, work_budget, crashed };

struct Infeasible {
  Reason reason = Reason::unsupported;
  const char* rule = "";  // static text: the rule that failed, in a user's words
  double margin = 0.0;    // distance to the limit; bytes for memory
};

[[nodiscard]] std::optional<Infeasible> check_feasible(const TrainingConfig&, const ModelSpec&,
                                                       const FrameworkSpec&, const machine::ClusterSpec&,
                                                       const machine::GpuSpec&);

}  // namespace echo::training
