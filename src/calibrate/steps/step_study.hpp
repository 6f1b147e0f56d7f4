// Published training steps and their predictions for varied constants: common to all fits on steps.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/measured/measured_steps.hpp"
#include "simulate/simulate.hpp"

namespace echo::calibrate {

using StepRows = std::vector<const config::MeasuredStep*>;

// stock: without what publications state about their runs, so that frameworks run as they come, or as the
// suite of a run sets them.
enum class Facts { published, stock };

struct StepStudy {
  config::MeasuredSteps steps;
  simulate::Calibration calibration;  // moved by the fits
  simulate::Workspace workspace;
  Facts facts = Facts::published;

  // Benchmarks that were measured and that can be simulated.
  [[nodiscard]] StepRows scored();
  // Seconds of a step as `known` now prices it; not positive where the config is none that runs. Call
  // forget_prices() first whenever a constant was moved.
  [[nodiscard]] double predict(const config::MeasuredStep&);
  void forget_prices() { workspace = simulate::Workspace(); }
};

[[nodiscard]] StepStudy read_step_study(const std::string& table, Facts = Facts::published);
[[nodiscard]] std::string default_step_table();  // below $ECHO_DATA_DIR (../shared/data)
// The argument behind the last `name`, as "--table"; else `otherwise`.
[[nodiscard]] std::string step_option(std::span<char* const> args, std::string_view name,
                                      std::string otherwise);

// The factor on the products of one kernel table inside training steps, by operand width, for which the
// median of log(predicted / measured) over `rows` is zero; bisection, as it rises with the factor. Leaves it
// as it was.
using SustainedRate = double kernels::KernelConstants::*;
[[nodiscard]] double unbiased_rate(StepStudy&, const StepRows& rows, kernels::KernelConstants&,
                                   SustainedRate);

// Those of `rows` from which such a factor is derived: Megatron-Core or NeMo on a GPU at its power limit
// (Hopper and later), of one kernel table and operand width (16, 8 or 4 bits), dense models, without context
// parallelism (kept unseen) and not tuning.
[[nodiscard]] StepRows rate_rows(const StepStudy&, const StepRows& rows, const std::string& kernels,
                                 int width);

// log(predicted / measured) of each.
[[nodiscard]] std::vector<double> log_ratios(StepStudy&, const StepRows&);
[[nodiscard]] double mean_error(const std::vector<double>& logs);  // mean of |predicted / measured - 1|

}  // namespace echo::calibrate
