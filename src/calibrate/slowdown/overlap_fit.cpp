// The load of a collective is known where a profile has its size and duration. Beside load q a kernel that
// streams takes 1 + l q times as long; a product C + l b q, with C from its rounds and b its elasticity to
// memory's speed.
//
// A unit's estimate is the weighted median of (factor - C) / q, weights q: the least sum of absolute errors,
// because waits of a short kernel and clocks of 1 us make a tail. Its error is that of a median, and the bias
// of a phase, 0.1 of a factor (the data's own README: kernels alone and beside sit in different phases, with
// medians from 0.9 to 1.05 where nothing can slow them). A unit whose load could not raise a factor above
// that bias says nothing and is left out, as one of two rows. Units are pooled with random effects: another
// run of another program differs from these by `spread`.
#include "calibrate/slowdown/overlap_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "slowdown/contention.hpp"

namespace echo::calibrate {

namespace {

using slowdown::ProfileRow;

constexpr double phase_bias = 0.1;  // of a factor
constexpr double least_load = 0.02;
constexpr double least_beside = 0.95;
constexpr std::size_t fewest_rows = 3;  // the deviation of two says little of how far they scatter

struct Sample {
  double ratio = 0.0, load = 0.0;
};
using Samples = std::map<std::string, std::vector<Sample>>;

std::string unit_of(const ProfileRow& row) {
  return row.group + " " + row.collective_name + " on " + std::to_string(row.collective.channels);
}

double load_of(const ProfileRow& row) {
  ops::KernelPrice waiting{.by_memory = 1.0};
  return stretch_of({.latency_under_load = 1.0}, waiting, row.collective, row.machine).latency - 1.0;
}

double from_sms(const ProfileRow& row) {
  ops::CollectiveEstimate still = row.collective;
  still.memory_rate = 0.0;
  return contend({.latency_under_load = 0.0}, row.kernel, still, row.machine).kernel;
}

// How many times as long the kernel ran while communication was beside it; 0: the row cannot tell.
double factor_of(const ProfileRow& row) {
  const double slowed = 1.0 / row.slowdown - (1.0 - row.beside);
  return slowed > 0.0 ? row.beside / slowed : 0.0;
}

bool resides(const ProfileRow& row) { return !row.multiplies && row.kernel.blocks > 0.0; }

double weighted_median(std::vector<Sample> samples) {
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.ratio < b.ratio; });
  double total = 0.0, passed = 0.0;
  for (const Sample& sample : samples) total += sample.load;
  for (const Sample& sample : samples)
    if ((passed += sample.load) >= total / 2.0) return sample.ratio;
  return samples.back().ratio;
}

// The estimate of one unit; its ratios are (factor - known part) / load.
UnitEstimate estimate_of(const std::string& name, const std::vector<Sample>& samples) {
  UnitEstimate out{.name = name, .rows = static_cast<int>(samples.size()), .value = weighted_median(samples)};
  double squares = 0.0;
  std::vector<Sample> off;
  for (const Sample& sample : samples) {
    squares += sample.load * sample.load;
    off.push_back({std::abs(sample.ratio - out.value) * sample.load, 1.0});
  }
  // 1.4826 turns the median deviation into a normal's standard deviation, 1.2533 its mean's error into the
  // median's.
  const double noise = 1.4826 * 1.2533 * weighted_median(off) / std::sqrt(squares);
  out.error = std::hypot(noise, phase_bias / std::sqrt(squares / static_cast<double>(samples.size())));
  return out;
}

std::vector<UnitEstimate> estimates_of(const Samples& units) {
  std::vector<UnitEstimate> out;
  for (const auto& [name, samples] : units) {
    if (samples.size() < fewest_rows) continue;
    double squares = 0.0;
    for (const Sample& sample : samples) squares += sample.load * sample.load;
    if (std::sqrt(squares / static_cast<double>(samples.size())) >= least_load)
      out.push_back(estimate_of(name, samples));
  }
  return out;
}

}  // namespace

PooledConstant pooled(std::span<const UnitEstimate> units) {
  if (units.empty()) return {};
  double w = 0.0, w2 = 0.0, wx = 0.0;
  for (const UnitEstimate& unit : units) {
    const double weight = 1.0 / (unit.error * unit.error);
    w += weight, w2 += weight * weight, wx += weight * unit.value;
  }
  double q = 0.0;
  for (const UnitEstimate& unit : units)
    q += (unit.value - wx / w) * (unit.value - wx / w) / (unit.error * unit.error);
  const double freedom = static_cast<double>(units.size()) - 1.0, scale = w - w2 / w;
  const double between = scale > 0.0 ? std::max(0.0, (q - freedom) / scale) : 0.0;
  w = wx = 0.0;
  for (const UnitEstimate& unit : units) {
    const double weight = 1.0 / (unit.error * unit.error + between);
    w += weight, wx += weight * unit.value;
  }
  return {.value = std::max(0.0, wx / w),
          .error = 1.0 / std::sqrt(w),
          .spread = std::sqrt(between),
          .units = static_cast<int>(units.size())};
}

OverlapFit fit_overlaps(std::span<const ProfileRow> rows) {
  Samples streams, products, residents;
  const auto each = [&](const std::function<void(const ProfileRow&, double)>& use) {
    for (const ProfileRow& row : rows) {
      if (!row.why_not.empty() || !row.recommended || row.beside < least_beside) continue;
      if (const double factor = factor_of(row); factor > 0.0) use(row, factor);
    }
  };
  each([&](const ProfileRow& row, double factor) {
    const double load = load_of(row);
    if (load <= 0.0 || resides(row)) return;
    (row.multiplies ? products : streams)[unit_of(row)].push_back({(factor - from_sms(row)) / load, load});
  });
  OverlapFit fit;
  fit.streams = estimates_of(streams), fit.latency_under_load = pooled(fit.streams);
  fit.products = estimates_of(products);
  if (fit.latency_under_load.value > 0.0)
    for (UnitEstimate& unit : fit.products)
      unit.value /= fit.latency_under_load.value, unit.error /= fit.latency_under_load.value;
  fit.product_by_memory = pooled(fit.products);
  fit.product_by_memory.value = std::min(1.0, fit.product_by_memory.value);
  // Two rounds, of which an even share of the work needs S / r: factor = (1 - w) S / r + 2 w + l q.
  each([&](const ProfileRow& row, double factor) {
    if (!resides(row) || row.collective.channels <= 0) return;
    const double sms = row.machine.sm_count, even = sms / std::max(1.0, sms - row.collective.channels);
    if (even >= 2.0) return;
    const double rest = factor - fit.latency_under_load.value * load_of(row) - even;
    residents[unit_of(row)].push_back({rest / (2.0 - even), 2.0 - even});
  });
  fit.residents = estimates_of(residents), fit.resident_wave_loss = pooled(fit.residents);
  fit.resident_wave_loss.value = std::min(1.0, fit.resident_wave_loss.value);
  return fit;
}

double factor_with(const OverlapFit& fit, const ProfileRow& row) {
  ops::KernelPrice kernel = row.kernel;
  if (row.multiplies) kernel.by_memory = fit.product_by_memory.value;
  if (resides(row)) kernel.wave_loss = fit.resident_wave_loss.value;
  return contend({.latency_under_load = fit.latency_under_load.value}, kernel, row.collective, row.machine)
      .kernel;
}

}  // namespace echo::calibrate
