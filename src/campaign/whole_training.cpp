#include "campaign/whole_training.hpp"

#include <limits>

#include "base/at.hpp"

namespace echo::campaign {

static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
static constexpr double seconds_per_hour = 3600.0;

double train_time(const PlannedTraining& in) {
  const bool is_timed = in.report.step > SimTime::zero();
  const double rate = in.report.tokens_per_second;
  return is_timed && in.terms.target_tokens > 0.0 && rate > 0.0 ? in.terms.target_tokens / rate : unknown;
}

double gpu_hours(const PlannedTraining& in) {
  return train_time(in) / seconds_per_hour * training::gpus_of(in.config.degrees);
}

double cost(const PlannedTraining& in) {
  const GpuHourPrice* const price = find_price(in.terms.economics, in.catalog.cluster(in.config.cluster).name,
                                               in.catalog.gpu(in.config).name);
  return price == nullptr ? unknown : gpu_hours(in) * price->price;
}

double tokens_per_cost(const PlannedTraining& in) {
  const double whole = cost(in);
  return whole > 0.0 ? in.terms.target_tokens / whole : unknown;
}

}  // namespace echo::campaign
