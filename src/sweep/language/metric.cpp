#include "sweep/language/metric.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/at.hpp"
#include "campaign/power.hpp"
#include "training/model.hpp"

namespace echo::sweep {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

bool is_timed(const MetricInput& in) { return in.report.step > SimTime::zero(); }
double if_timed(const MetricInput& in, double value) { return is_timed(in) ? value : missing; }

double if_drawn(const MetricInput& in, SimTime time) {
  return in.report.step_median > SimTime::zero() ? to_seconds(time) : missing;
}

double slowdown_tax(const MetricInput& in) {
  if (!is_timed(in) || in.report.step_no_slowdown <= SimTime::zero()) return missing;
  const SimTime alone = in.report.step_no_slowdown;
  return static_cast<double>((in.report.step - alone).count()) / static_cast<double>(alone.count());
}

using In = const MetricInput&;
constexpr std::array<Metric, metric_names.size()> metrics{{
    {"step_time", in_seconds, true, ErrorLaw::step,
     [](In in) { return if_timed(in, to_seconds(in.report.step)); }},
    {"train_time", in_seconds, true, ErrorLaw::step, campaign::train_time, needs_tokens},
    {"tokens_per_s", per_second, false, ErrorLaw::inverse_step,
     [](In in) { return if_timed(in, in.report.tokens_per_second); }},
    {"tokens_per_s_per_gpu", per_second, false, ErrorLaw::inverse_step,
     [](In in) { return if_timed(in, in.report.tokens_per_second / training::gpus_of(in.config.degrees)); }},
    {"mfu", plain, false, ErrorLaw::inverse_step, [](In in) { return if_timed(in, in.report.mfu); }},
    {"mem_peak", in_bytes, true, ErrorLaw::memory,
     [](In in) {
       return in.report.memory_peak.value > 0 ? static_cast<double>(in.report.memory_peak.value) : missing;
     }},
    {"gpus", plain, true, ErrorLaw::none,
     [](In in) { return static_cast<double>(training::gpus_of(in.config.degrees)); }},
    {"slowdown_tax", plain, true, ErrorLaw::unknown, slowdown_tax},
    {"bubble_frac", plain, true, ErrorLaw::unknown,
     [](In in) { return if_timed(in, in.report.bubble_fraction); }},
    {"exposed_comm_frac", plain, true, ErrorLaw::unknown,
     [](In in) { return if_timed(in, in.report.exposed_comm_fraction); }},
    {"overlap_frac", plain, false, ErrorLaw::unknown,
     [](In in) { return if_timed(in, in.report.overlap_fraction); }},
    {"step_time_p50", in_seconds, true, ErrorLaw::step,
     [](In in) { return if_drawn(in, in.report.step_median); }},
    {"step_time_p90", in_seconds, true, ErrorLaw::none,  // it contains the error
     [](In in) { return if_timed(in, to_seconds(in.report.step_p90)); }},
    {"gpu_hours", plain, true, ErrorLaw::step, campaign::gpu_hours, needs_tokens},
    {"cost", plain, true, ErrorLaw::step, campaign::cost, needs_tokens | needs_price},
    {"tokens_per_cost", plain, false, ErrorLaw::inverse_step, campaign::tokens_per_cost,
     needs_tokens | needs_price},
    // The error of power is not known.
    {"energy_step", in_joules, true, ErrorLaw::unknown, campaign::energy_of_step},
    {"energy", in_joules, true, ErrorLaw::unknown, campaign::energy, needs_tokens},
    {"carbon", in_kilograms, true, ErrorLaw::unknown, campaign::carbon, needs_tokens | needs_carbon},
    {"gpu_power", in_watts, true, ErrorLaw::unknown,
     [](In in) { return campaign::gpu_power(in.report, in.catalog.gpu(in.config).power); }},
    {"goodput", plain, false, ErrorLaw::unknown, campaign::goodput, needs_failures},
    {"checkpoint_interval", in_seconds, false, ErrorLaw::unknown, campaign::checkpoint_interval,
     needs_failures},
    {"train_time_p50", in_seconds, true, ErrorLaw::step, campaign::train_time_p50,
     needs_failures | needs_tokens},
    {"train_time_p90", in_seconds, true, ErrorLaw::none,  // it contains the error
     campaign::train_time_p90, needs_failures | needs_tokens},
}};
static_assert(std::ranges::equal(metrics, metric_names, {}, &Metric::name));

}  // namespace

std::string_view name_of(ErrorLaw law) {
  constexpr std::array<std::string_view, 5> names{"none", "step_time", "1/step_time", "mem_peak", "unknown"};
  return names[at(law)];
}

std::span<const Metric> metric_table() { return metrics; }

const Metric* find_metric(std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &Metric::name);
  return found == metrics.end() ? nullptr : &*found;
}

}  // namespace echo::sweep
