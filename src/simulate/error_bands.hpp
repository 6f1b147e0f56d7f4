// The error bands of a step, composed of its parts' evidence.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.hpp"
#include "simulate/error_model.hpp"
#include "simulate/report.hpp"

namespace echo::simulate {

// What is known of the parts.
struct Evidence {
  std::array<SimTime, 4> graded{};  // compute time by ops::Grade
  double gpu_error = 0.0;           // GpuSpec::kernels_error
  bool network_measured = true;     // else scale-out is assumed
  double octaves_beyond = 0.0;      // log2 of nodes over the most that were measured, 0 within
  bool host_measured = false;       // of the framework
};

// Contract: `report` has its times, driver, exposed and total. Fills its error, rel_error, rel_error_p90 and
// out_of_range.
void report_errors(const ErrorModel&, const Evidence&, StepReport& report);

// Contract: `report` has its memory. Fills its mem_rel_error.
void report_memory_error(const ErrorModel&, StepReport& report);

}  // namespace echo::simulate
