#include "campaign/goodput.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/contract.hpp"
#include "campaign/checkpoint_interval.hpp"
#include "campaign/finish_time.hpp"

namespace echo::campaign {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double no_progress = 1e-6;  // a training that takes a million times its steps does not end

double failure_rate(const Reliability& r, const Job& job) {
  if (r.gpu_mtbf > 0.0) return static_cast<double>(job.gpus) / r.gpu_mtbf;
  if (r.node_mtbf > 0.0) return static_cast<double>(job.nodes) / r.node_mtbf;
  return 1.0 / r.job_mtbf;
}

// Until a checkpoint is on storage: the slower of the storage and the nodes.
double write_time(const Reliability& r, const Job& job) {
  if (r.write_time >= 0.0) return r.write_time;
  double bandwidth = infinite;
  if (r.write_bandwidth > 0.0) bandwidth = r.write_bandwidth;
  if (r.node_write_bandwidth > 0.0)
    bandwidth = std::min(bandwidth, r.node_write_bandwidth * static_cast<double>(job.nodes));
  return std::isfinite(bandwidth) ? job.checkpoint_bytes / bandwidth : unknown;
}

// Every GPU copies an equal part: ranks that hold the same states share the work.
double copy_time(const Reliability& r, const Job& job) {
  if (r.stall >= 0.0) return r.stall;
  return job.host_link > 0.0 ? job.checkpoint_bytes / static_cast<double>(job.gpus) / job.host_link : unknown;
}

}  // namespace

FailureProcess failure_process(const Reliability& r, const Job& job) {
  ECHO_EXPECT(r.is_given());
  const bool is_async = r.mode == CheckpointMode::async;
  const double reading = r.read_bandwidth > 0.0 ? job.checkpoint_bytes / r.read_bandwidth : 0.0;
  return {.rate = failure_rate(r, job),
          .stall = is_async ? copy_time(r, job) : write_time(r, job),
          .durable = is_async ? write_time(r, job) : 0.0,
          .downtime = r.detection + r.restart + reading,
          .repair = std::max(0.0, r.repair),
          .spares = std::max<std::int64_t>(0, r.spares)};
}

Goodput goodput(const Reliability& r, const Job& job) {
  const FailureProcess process = failure_process(r, job);
  const double known = process.stall + process.durable + process.downtime + job.step;
  if (!std::isfinite(known) || job.step <= 0.0) return {unknown, unknown, unknown, unknown, unknown};
  const bool has_length = job.whole_work > 0.0;
  const double whole = has_length ? job.whole_work : infinite;
  const double wanted = r.every > 0.0 ? r.every : std::max(best_interval(process), job.step);
  Goodput out;
  out.interval = possible_interval(process, wanted, whole);
  const Cumulants segment = segment_time(process, out.interval);
  out.goodput = out.interval / segment.mean;
  const bool advances = out.goodput > no_progress;
  if (!advances) out.goodput = 0.0;
  out.train_time = out.train_time_p50 = out.train_time_p90 = has_length ? infinite : unknown;
  if (!has_length || !advances) return out;
  const double segments = job.whole_work / out.interval;
  const double least = segments * (out.interval + process.stall);
  const FinishTime finish{.time = segments * segment,
                          .least = least,
                          .chance_least = chance_of_none(process, least),
                          .step_spread = spread_of_p90(job.step_p90)};
  out.train_time = finish.time.mean;
  out.train_time_p50 = finish_quantile(finish, 0.5);
  out.train_time_p90 = finish_quantile(finish, 0.9);
  return out;
}

}  // namespace echo::campaign
