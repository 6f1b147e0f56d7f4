// Power of a step.
// Problem: what a step takes from the grid lies between idling and the power limit, and published figures
// mostly assume the limit. Idea: a GPU is in one of four states at any time, and the timeline knows how long:
//
//   P = idle + sum over states s of t_s / step * (P_s - idle)
//
//   arithmetic   a kernel bound by FLOP/s: at the limit, to which the GPU lowers its clocks for large matrix
//                products
//   memory       a kernel bound by HBM, or one that starts, drains or copies
//   link         a collective and nothing else
//   idle         bubbles, launch gaps, waiting for the host or for others
//
// Times of kernels, of collectives alone and of waiting are those of the busiest stage, which sum to the
// step; the share of kernels' time that FLOP/s bound is that of the critical path. Neglected: stages less
// busy than that one, what a hidden collective adds to a kernel that leaves power unused, temperature, and
// differences between GPUs of one kind. A node adds its host and its fans, which are taken as constant.
#include "campaign/power.hpp"

#include <initializer_list>
#include <limits>

#include "base/at.hpp"

namespace echo::campaign {

static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Of the step.
static double share_of(const simulate::StepReport& report, std::initializer_list<TimeCategory> categories) {
  SimTime sum{};
  for (const TimeCategory category : categories) sum += report.exposed[at(category)];
  return to_seconds(sum) / to_seconds(report.step);
}

double gpu_power(const simulate::StepReport& report, const machine::GpuPower& power) {
  if (report.step <= SimTime::zero() || power.cap <= 0.0) return unknown;
  using enum TimeCategory;
  const double kernels = share_of(report, {forward, backward, recompute, optimizer, slowdown});
  const double links = share_of(report, {tp_comm, cp_comm, ep_comm, pp_comm, dp_comm, zero_comm});
  const auto bound_by = [&](Bottleneck bottleneck) { return report.bottleneck[at(bottleneck)]; };
  const double arithmetic = bound_by(Bottleneck::arithmetic),
               memory = bound_by(Bottleneck::memory) + bound_by(Bottleneck::fixed),
               all = arithmetic + memory + bound_by(Bottleneck::host);
  const double above_idle =
      all > 0.0 ? (arithmetic * (power.cap - power.idle) + memory * (power.memory - power.idle)) / all : 0.0;
  return power.idle + kernels * above_idle + links * (power.link - power.idle);
}

double job_power(const training::TrainingConfig& config, const simulate::StepReport& report,
                 const simulate::Catalog& catalog) {
  const machine::ClusterSpec& cluster = catalog.cluster(config.cluster);
  if (cluster.power.supply_efficiency <= 0.0) return unknown;
  const std::int64_t gpus = training::gpus_of(config.degrees);
  const std::int64_t nodes = (gpus + cluster.gpus_per_node - 1) / cluster.gpus_per_node;
  const double inside = static_cast<double>(gpus) * gpu_power(report, catalog.gpu(config).power) +
                        static_cast<double>(nodes) * (cluster.power.host + cluster.power.fans);
  return inside / cluster.power.supply_efficiency;
}

}  // namespace echo::campaign
