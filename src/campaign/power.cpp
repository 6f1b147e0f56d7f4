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
// Times of kernels, and of collectives alone, are those of the busiest stage; what a kernel loses to a
// collective beside it counts as memory. Neglected: stages less busy than that one, what a hidden collective
// adds to a kernel that leaves power unused, temperature, and differences between GPUs of one kind. A node
// adds its host and its fans, which are taken as constant.
#include "campaign/power.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>

#include "base/at.hpp"

namespace echo::campaign {

static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// The share of the step that these take, exposed.
static double share_of(const simulate::StepReport& report, std::initializer_list<TimeCategory> categories) {
  SimTime sum{};
  for (const TimeCategory category : categories) sum += report.exposed[at(category)];
  return to_seconds(sum) / to_seconds(report.step);
}

double gpu_power(const simulate::StepReport& report, const machine::GpuPower& power) {
  if (report.step <= SimTime::zero() || power.cap <= 0.0) return unknown;
  using enum TimeCategory;
  const auto step = static_cast<double>(report.step.count());
  const double arithmetic = report.kernels.arithmetic_ps / step,
               memory = report.kernels.memory_ps / step + share_of(report, {slowdown}),
               links = share_of(report, {tp_comm, cp_comm, ep_comm, pp_comm, dp_comm, zero_comm});
  const double mean = power.idle + arithmetic * (power.cap - power.idle) +
                      memory * (power.memory - power.idle) + links * (power.link - power.idle);
  return std::min(mean, power.cap);
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
