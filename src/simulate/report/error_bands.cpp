// Error bands derived from evidence.
//
// Problem: a step time without its error is half an answer, and errors differ: a step that waits for a
// network nobody measured is less certain than one of large matrix products. Idea: the critical path gives
// the share of the step per bottleneck (d ln step / d ln thing), evidence gives the error of each thing, and
// to first order
//   d ln step = sum over things k of share_k * d ln thing_k,   contribution c_k = share_k * sigma_k,
// so that independent errors give rel_error = sqrt(sum c_k^2). Weaker evidence adds its own variance to a
// sigma:
//   arithmetic           the rate of products under the power limit is uncertain
//   arithmetic, memory   the GPU's constants are a relative's; kernels beyond the shapes that were measured;
//                        no step was published of the GPU kind
//   host                 no step tells the host times of the framework, or how long its collectives wait
//                        for their ranks' hosts
//   scale_up, scale_out, latency   no log of such a network; more nodes than any log
//   layout               no step was published of a framework of this line, of this combination of choices
//   framework, scale_out   a table that leaves settings and machine of a run open
// Host time counts where the GPU waits for it, and where it nearly does: the step is the maximum of the two.
// Overlap counts twice: for what it slows (the tax and its uncertainty), and for communication that it
// hides, part of which may be exposed in reality. The share of `framework` is the whole step. So is that of
// `layout`, which in addition contains a part of every other error: no two configs use a thing in quite the
// same way. Neglected: that the path may change (errors are small), and that errors of kernels of one kind
// average out (they are systematic: one clock, one library).
#include "simulate/report/error_bands.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/at.hpp"
#include "simulate/report/practice.hpp"

namespace echo::simulate {

namespace {

double square(double x) { return x * x; }

double over(SimTime part, SimTime whole) {
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

struct Shares {
  double measured = 0.0, extrapolated = 0.0;  // of compute time
};

Shares shares_of(const std::array<SimTime, 4>& graded) {
  SimTime sum{};
  for (const SimTime time : graded) sum += time;
  if (sum <= SimTime::zero()) return {};
  return {over(graded[at(ops::Grade::measured)], sum), over(graded[at(ops::Grade::extrapolated)], sum)};
}

// Communication that computation hides, as a share of the step.
double hidden_of(const StepReport& report) {
  SimTime hidden{};
  constexpr auto first = static_cast<std::size_t>(TimeCategory::tp_comm),
                 last = static_cast<std::size_t>(TimeCategory::zero_comm);
  for (std::size_t i = first; i <= last; ++i)
    hidden += std::max(SimTime::zero(), report.total[i] - report.exposed[i]);
  return over(hidden, report.step);
}

// A slower host lengthens what waits for it; and one that just keeps ahead of the GPU, if it is slower by one
// standard deviation, makes the GPU wait.
double host_error(const Evidence& evidence, const StepReport& report, double sigma) {
  const double waits = std::max(0.0, report.bottleneck[at(Bottleneck::host)]) * sigma;
  const double late = over(evidence.issued, report.step) * (1.0 + sigma) -
                      (1.0 - over(report.exposed[at(TimeCategory::bubble)], report.step));
  return std::hypot(std::max(waits, late), error_of_peers(evidence, report));
}

std::int32_t beyond(const Evidence& evidence, const Shares& compute) {
  std::int32_t bits = 0;
  if (compute.extrapolated >= 0.1) bits |= bit_of(Beyond::kernel_shapes);
  if (evidence.gpu_error > 0.0) bits |= bit_of(Beyond::gpu_kind);
  if (!evidence.network_measured) bits |= bit_of(Beyond::network);
  if (evidence.octaves_beyond > 0.0) bits |= bit_of(Beyond::group_size);
  if (!evidence.host_measured) bits |= bit_of(Beyond::host);
  return bits;
}

}  // namespace

// A collective begins when the hosts of all its ranks have issued it. Where nothing keeps them ahead of the
// GPU, as between transfers of a pipeline across nodes, each rank's may be late by a call: nanotron's are, by
// several (its host_per_peer), Megatron's are not, and of a line of frameworks without a published step
// nobody knows. So a call late on each rank is one standard deviation there, a call and a half since the
// longer of two published times of one is 1.6 times the other.
double error_of_peers(const Evidence& evidence, const StepReport& report) {
  constexpr double late_calls = 1.5;
  return evidence.framework_tried ? 0.0 : over(evidence.peers, report.step) * late_calls;
}

std::array<double, error_source_count> contributions(const ErrorModel& model, const Evidence& evidence,
                                                     const StepReport& report) {
  const Shares compute = shares_of(evidence.graded);
  const auto share = [&report](Bottleneck bottleneck) {
    return std::max(0.0, report.bottleneck[at(bottleneck)]);
  };
  const auto sigma = [&model](ErrorSource source) { return model.sigma[at(source)]; };
  const auto untried = static_cast<std::uint32_t>(evidence.untried);
  const bool gpu_is_untried = (evidence.untried & bit_of(Choice::gpu)) != 0;
  const double of_gpu = square(evidence.gpu_error) + square(gpu_is_untried ? model.untried_gpu : 0.0) +
                        square(model.extrapolated_kernels * compute.extrapolated);
  const double known = 1.0 - compute.measured * (1.0 - model.measured_kernels);
  const double of_network = evidence.network_measured ? 0.0 : square(model.unmeasured_network);
  const double of_size = square(model.beyond_nodes * evidence.octaves_beyond);
  const auto with = [&sigma](ErrorSource source, double more) {
    return std::sqrt(square(sigma(source)) + more);
  };

  std::array<double, error_source_count> error{};
  const auto set = [&error](ErrorSource source, double value) { error[at(source)] = value; };
  using Source = ErrorSource;
  set(Source::arithmetic,
      share(Bottleneck::arithmetic) * known * with(Source::arithmetic, of_gpu + square(evidence.rate_error)));
  set(Source::memory,
      (share(Bottleneck::memory) + share(Bottleneck::fixed)) * known * with(Source::memory, of_gpu));
  set(Source::scale_up, share(Bottleneck::scale_up) * with(Source::scale_up, of_network));
  const SettingsFrom from = evidence.settings_from;
  const double of_settings = from == SettingsFrom::defaults ? square(model.unstated_settings)
                             : from == SettingsFrom::suite  ? square(model.unstated_suite)
                                                            : 0.0;
  // A fabric that gives a third of its rate lengthens its share by two thirds and more: log-normal.
  const double of_machine = from == SettingsFrom::run ? 0.0 : square(std::expm1(model.unstated_machine));
  set(Source::scale_out,
      share(Bottleneck::scale_out) * with(Source::scale_out, of_network + of_size + of_machine));
  set(Source::latency, share(Bottleneck::latency) * with(Source::latency, of_network + of_size));
  const double of_host = evidence.host_measured ? 0.0 : square(model.unmeasured_host);
  set(Source::host, host_error(evidence, report, with(Source::host, of_host)));
  const double tax = over(std::max(SimTime::zero(), report.step - report.step_no_slowdown), report.step);
  set(Source::overlap, tax * sigma(Source::overlap) + hidden_of(report) * model.hidden_communication);
  double own = 0.0;
  for (const double one : error) own += square(model.own_share * one);
  own += (std::popcount(untried) - (gpu_is_untried ? 1 : 0)) * square(model.untried_choice) +
         (evidence.framework_tried ? 0.0 : square(model.untried_framework));
  const double of_kind = (evidence.mixes_experts ? square(model.mixtures) : 0.0) +
                         (evidence.tunes ? square(model.tuning) : 0.0) +
                         (evidence.compiles ? square(model.compiled) : 0.0);
  set(Source::framework, with(Source::framework, of_kind + of_settings));
  set(Source::layout, with(Source::layout, own));
  return error;
}

void report_errors(const ErrorModel& model, const Evidence& evidence, StepReport& report) {
  const auto error = contributions(model, evidence, report);
  double sum = 0.0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    report.error[i] = static_cast<float>(error[i]);
    sum += square(error[i]);
  }
  report.rel_error = static_cast<float>(std::sqrt(sum));
  report.rel_error_p90 = static_cast<float>(model.p90 * std::sqrt(sum));
  report.untried = evidence.untried;
  report.out_of_range = static_cast<std::int8_t>(beyond(evidence, shares_of(evidence.graded)));
}

}  // namespace echo::simulate
