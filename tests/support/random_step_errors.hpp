// Steps with shares, evidence and errors drawn at random.
#pragma once

#include <cmath>
#include <numbers>

#include "base/counter_rng.hpp"
#include "simulate/report/error_bands.hpp"

namespace echo::support {

// A step of 1 s whose drivers sum to it, with some slowdown and hidden communication.
inline simulate::StepReport random_report(std::uint64_t seed, std::uint64_t key) {
  simulate::StepReport report;
  report.status = training::Status::ok;
  report.step = from_seconds(1.0);
  double sum = 0.0;
  for (std::size_t i = 0; i < report.bottleneck.size(); ++i)
    sum += report.bottleneck[i] = std::pow(draw_unit(seed, key, 100 + i), 2);
  for (double& one : report.bottleneck) one /= sum;
  report.step_no_slowdown = from_seconds(1.0 - 0.1 * draw_unit(seed, key, 120));
  report.total[static_cast<std::size_t>(TimeCategory::dp_comm)] =
      from_seconds(0.4 * draw_unit(seed, key, 121));
  return report;
}

inline simulate::Evidence random_evidence(std::uint64_t seed, std::uint64_t key) {
  simulate::Evidence evidence;
  for (std::size_t i = 0; i < evidence.graded.size(); ++i)
    evidence.graded[i] = from_seconds(0.1 + draw_unit(seed, key, 130 + i));
  evidence.gpu_error = draw_unit(seed, key, 140) < 0.5 ? 0.0 : 0.1;
  evidence.network_measured = draw_unit(seed, key, 141) < 0.5;
  evidence.octaves_beyond =
      evidence.network_measured ? std::max(0.0, 6.0 * draw_unit(seed, key, 142) - 3.0) : 0.0;
  evidence.host_measured = draw_unit(seed, key, 143) < 0.5;
  return evidence;
}

}  // namespace echo::support
