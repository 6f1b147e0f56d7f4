// Production runs. A published benchmark is a best case: good nodes, cool hours, synthetic input, no
// checkpoints, the better of several attempts. What a long run loses beside that is added to the finished
// report, cause by cause, so that every row shows it and a benchmark's row does not change.
//
//   slowest GPU   arithmetic x (1 - bubble) x (E max of N - E max of M): GPUs differ by a log-normal pace of
//   sigma
//                 `gpu_spread` (see draw_steps.cpp), all wait for the slowest of N, and the constants come
//                 from benchmarks that waited for the slowest of M = `contained_gpus` themselves
//   slow nodes    step x `slow_node_loss` x (1 - (1 - `slow_nodes`)^nodes): the chance that the job has one
//   late host, temperature, checkpoints     step x their loss
//
// To first order a pace F lengthens the step by (F - 1) times the arithmetic on its critical path, as in
// draw_steps.cpp; that all N ranks wait for one is exact where gradients are summed over all of them. One GPU
// is on one stage: what the other stages do alone while the pipeline fills and drains does not wait for it.
// With [simulate] skew, the drawn steps replace the first line in the percentiles: they are shifted by what
// benchmarks contain and by the other parts.
//
// E of the largest of n standard normal draws: the quantile at (n - 0.375) / (n + 0.25), Blom 1958,
// Statistical Estimates and Transformed Beta-Variables.
//
// The error: each part times the relative error of its constants, and `job_spread` for what differs between
// jobs. Neglected: sequences of unequal length, congestion by other jobs, restarts and lost work (they are no
// part of a step).
#include "simulate/report/production.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::simulate {

namespace {

double square(double x) { return x * x; }

// The x below which a standard normal draw falls with chance p, 0.5 <= p < 1, by bisection.
double normal_quantile(double p) {
  double low = 0.0, high = 40.0;
  for (int i = 0; i < 64; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(middle * std::numbers::sqrt2 / 2.0) > 1.0 - p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double chance_of_slow_node(const ProductionModel& model, std::int64_t nodes) {
  return 1.0 - std::pow(1.0 - model.slow_nodes.value, static_cast<double>(nodes));
}

double relative(const Loss& loss) { return loss.value > 0.0 ? loss.error / loss.value : 0.0; }

TimeCategory category_of(ProductionPart part) {
  switch (part) {
    case ProductionPart::gpu_spread:
    case ProductionPart::slow_nodes:
    case ProductionPart::temperature:
      return TimeCategory::idle;
    case ProductionPart::host:
      return TimeCategory::other;
    case ProductionPart::checkpoint:
      return TimeCategory::checkpoint;
  }
  return TimeCategory::other;
}

SimTime rounded(double share, SimTime step) {
  return SimTime(std::llround(share * static_cast<double>(step.count())));
}

// Shares of the step per bottleneck, with the parts: waiting for slower arithmetic is arithmetic.
void lengthen_path(const ProductionTime& time, double shrink, StepReport& report) {
  const auto of_step = [&report](SimTime part) {
    return static_cast<double>(part.count()) / static_cast<double>(report.step.count());
  };
  constexpr std::size_t fixed = at(Bottleneck::fixed);
  for (double& one : report.bottleneck) one *= shrink;
  for (const ProductionPart part : {ProductionPart::gpu_spread, ProductionPart::slow_nodes})
    report.bottleneck[at(Bottleneck::arithmetic)] += of_step(time.part[at(part)]);
  report.bottleneck[at(Bottleneck::host)] += of_step(time.part[at(ProductionPart::host)]);
  report.bottleneck[fixed] = 1.0;
  for (std::size_t i = 0; i < fixed; ++i) report.bottleneck[fixed] -= report.bottleneck[i];
}

// Time, as a share of the step, that is longer by (F - 1) of itself where one GPU has the pace F.
double waiting_arithmetic(const StepReport& report) {
  return std::max(0.0, report.bottleneck[at(Bottleneck::arithmetic)]) * (1.0 - report.bubble_fraction);
}

// The time that drawn steps contain of the slowest GPU of a benchmark.
SimTime contained_time(const ProductionModel& model, const StepReport& report) {
  return rounded(waiting_arithmetic(report) * slowest_excess(model, model.contained_gpus), report.step);
}

void widen_errors(double production, double shrink, double p90, StepReport& report) {
  double sum = 0.0;
  for (float& one : report.error) one = static_cast<float>(shrink * static_cast<double>(one));
  report.error[at(ErrorSource::production)] = static_cast<float>(production);
  for (const float one : report.error) sum += square(static_cast<double>(one));
  report.rel_error = static_cast<float>(std::sqrt(sum));
  report.rel_error_p90 = static_cast<float>(p90 * std::sqrt(sum));
}

}  // namespace

SimTime ProductionTime::total() const {
  SimTime sum{};
  for (const SimTime one : part) sum += one;
  return sum;
}

JobSize job_size(const training::TrainingConfig& config, const machine::ClusterSpec& cluster) {
  const std::int64_t gpus = training::gpus_of(config.degrees), each = std::max(1, cluster.gpus_per_node);
  return {.gpus = gpus, .nodes = (gpus + each - 1) / each};
}

double expected_largest(double n) {
  ECHO_EXPECT(n >= 1.0);
  return normal_quantile((n - 0.375) / (n + 0.25));
}

double slowest_excess(const ProductionModel& model, double gpus) {
  return std::expm1(model.gpu_spread.value * expected_largest(gpus));
}

ProductionTime production_time(const ProductionModel& model, const JobSize& job, const StepReport& report) {
  const double beyond =
      slowest_excess(model, static_cast<double>(job.gpus)) - slowest_excess(model, model.contained_gpus);
  ProductionTime out;
  double variance = square(model.job_spread);
  const auto add = [&](ProductionPart part, double share, double error) {
    out.part[at(part)] = rounded(share, report.step);
    variance += square(share * error);
  };
  add(ProductionPart::gpu_spread, waiting_arithmetic(report) * std::max(0.0, beyond),
      relative(model.gpu_spread));
  add(ProductionPart::slow_nodes, chance_of_slow_node(model, job.nodes) * model.slow_node_loss.value,
      std::hypot(relative(model.slow_nodes), relative(model.slow_node_loss)));
  add(ProductionPart::host, model.host_loss.value, relative(model.host_loss));
  add(ProductionPart::temperature, model.temperature_loss.value, relative(model.temperature_loss));
  add(ProductionPart::checkpoint, model.checkpoint_loss.value, relative(model.checkpoint_loss));
  out.error = std::sqrt(variance);
  return out;
}

void add_production(const ProductionModel& model, const JobSize& job, double p90, std::span<SimTime> drawn,
                    StepReport& report) {
  ECHO_EXPECT(report.step > SimTime::zero());
  const ProductionTime time = production_time(model, job, report);
  const SimTime added = time.total(), benchmark = report.step;
  if (!drawn.empty()) {
    const SimTime others = added - time.part[at(ProductionPart::gpu_spread)];
    const SimTime contained = contained_time(model, report);
    for (SimTime& one : drawn) one = std::max(benchmark, one - contained) + others;  // order stays
  }
  report.step += added, report.step_no_slowdown += added, report.step_no_contention += added;
  for (std::size_t i = 0; i < time.part.size(); ++i)
    for (auto* const parts : {&report.exposed, &report.total, &report.path})
      (*parts)[at(category_of(static_cast<ProductionPart>(i)))] += time.part[i];
  const double shrink = static_cast<double>(benchmark.count()) / static_cast<double>(report.step.count());
  lengthen_path(time, shrink, report);
  for (double* const share :
       {&report.mfu, &report.tokens_per_second, &report.bubble_fraction, &report.exposed_comm_fraction})
    *share *= shrink;
  widen_errors(time.error, shrink, p90, report);
}

}  // namespace echo::simulate
