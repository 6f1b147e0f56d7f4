#include "campaign/whole_training.hpp"

#include <limits>

#include "base/at.hpp"
#include "campaign/power.hpp"

namespace echo::campaign {

static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
static constexpr double seconds_per_hour = 3600.0, joules_per_kwh = 3.6e6;

// Of the site, computers and the rest.
static double site_kwh(const PlannedTraining& in) {
  const double pue = in.terms.economics.pue;
  return pue > 0.0 ? energy(in) / joules_per_kwh * pue : unknown;
}

double train_time(const PlannedTraining& in) {
  const bool is_timed = in.report.step > SimTime::zero();
  const double rate = in.report.tokens_per_second;
  return is_timed && in.terms.target_tokens > 0.0 && rate > 0.0 ? in.terms.target_tokens / rate : unknown;
}

double gpu_hours(const PlannedTraining& in) {
  return train_time(in) / seconds_per_hour * training::gpus_of(in.config.degrees);
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
