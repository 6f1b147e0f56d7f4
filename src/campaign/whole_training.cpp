#include "campaign/whole_training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "campaign/checkpoint_size.hpp"
#include "campaign/goodput.hpp"
#include "campaign/power.hpp"

namespace echo::campaign {

static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
static constexpr double seconds_per_hour = 3600.0, joules_per_kwh = 3.6e6;

// The energy of the site: computers and the rest.
static double site_kwh(const PlannedTraining& in) {
  const double pue = in.terms.economics.pue;
  return pue > 0.0 ? energy(in) / joules_per_kwh * pue : unknown;
}

namespace {

double time_of_steps(const PlannedTraining& in) {
  const bool is_timed = in.report.step > SimTime::zero();
  const double rate = in.report.tokens_per_second;
  return is_timed && in.terms.target_tokens > 0.0 && rate > 0.0 ? in.terms.target_tokens / rate : unknown;
}

// A production step contains checkpoints; here they are a part of the failures' model.
double share_without_checkpoints(const simulate::StepReport& report) {
  return 1.0 - to_seconds(report.exposed[at(TimeCategory::checkpoint)]) / to_seconds(report.step);
}

Job job_of(const PlannedTraining& in) {
  const machine::ClusterSpec& cluster = in.catalog.cluster(in.config.cluster);
  const std::int64_t gpus = training::gpus_of(in.config.degrees), each = std::max(1, cluster.gpus_per_node);
  const double own = share_without_checkpoints(in.report), whole = time_of_steps(in) * own;
  return {.gpus = gpus,
          .nodes = (gpus + each - 1) / each,
          .step = to_seconds(in.report.step) * own,
          .step_p90 = static_cast<double>(in.report.rel_error_p90),
          .whole_work = std::isnan(whole) ? 0.0 : whole,
          .checkpoint_bytes =
              checkpoint_bytes(in.config, in.catalog.model(in.config.model), in.catalog.framework(in.config)),
          .host_link = in.catalog.gpu(in.config).host_link.value};
}

Goodput with_failures(const PlannedTraining& in) {
  const Reliability& reliability = in.terms.reliability;
  if (!reliability.is_given() || in.report.step <= SimTime::zero())
    return {unknown, unknown, unknown, unknown, unknown};
  return goodput(reliability, job_of(in));
}

}  // namespace

double train_time(const PlannedTraining& in) {
  return in.terms.reliability.is_given() ? with_failures(in).train_time : time_of_steps(in);
}

double goodput(const PlannedTraining& in) { return with_failures(in).goodput; }
double checkpoint_interval(const PlannedTraining& in) { return with_failures(in).interval; }
double train_time_p50(const PlannedTraining& in) { return with_failures(in).train_time_p50; }
double train_time_p90(const PlannedTraining& in) { return with_failures(in).train_time_p90; }

double gpu_hours(const PlannedTraining& in) {
  const std::int64_t spares = std::max<std::int64_t>(0, in.terms.reliability.spares);
  std::int64_t held = training::gpus_of(in.config.degrees);
  if (spares > 0) held += spares * in.catalog.cluster(in.config.cluster).gpus_per_node;
  return train_time(in) / seconds_per_hour * static_cast<double>(held);
}

double energy_of_step(const PlannedTraining& in) {
  return job_power(in.config, in.report, in.catalog) * to_seconds(in.report.step);
}

double energy(const PlannedTraining& in) {
  return job_power(in.config, in.report, in.catalog) * train_time(in);
}

double carbon(const PlannedTraining& in) {
  const double per_kwh = in.terms.economics.carbon_kg_per_kwh;
  return per_kwh >= 0.0 ? site_kwh(in) * per_kwh : unknown;
}

double cost(const PlannedTraining& in) {
  const Economics& economics = in.terms.economics;
  const GpuHourPrice* const price =
      find_price(economics, in.catalog.cluster(in.config.cluster).name, in.catalog.gpu(in.config).name);
  if (price == nullptr) return unknown;
  const double rent = gpu_hours(in) * price->price;
  return economics.electricity_per_kwh >= 0.0 ? rent + site_kwh(in) * economics.electricity_per_kwh : rent;
}

double tokens_per_cost(const PlannedTraining& in) {
  const double whole = cost(in);
  return whole > 0.0 ? in.terms.target_tokens / whole : unknown;
}

}  // namespace echo::campaign
