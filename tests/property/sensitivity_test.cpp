// What the critical path says a better machine would gain, against simulating that machine: 1 % more and 1 %
// less of each resource, both sides, because a path may switch. Where the choice of some collective switched
// too, the two are not about the same thing and the case is left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

#include "simulate/prices/price_work.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using support::catalog_with_roomy_gpus;
using support::presets;
using training::Status;

struct World {
  Catalog catalog;
  Calibration calibration;
};

struct Knob {
  const char* name;
  Bottleneck bottleneck;
  double sign;  // of d ln(step) / d ln(X)
  void (*scale)(World&, double);
};

void scale_time(SimTime& time, double factor) { time = scaled(time, factor); }

const Knob knobs[] = {
    {"flops", Bottleneck::arithmetic, -1.0,
     [](World& w, double f) {
       for (auto& gpu : w.catalog.gpus)
         for (auto& peak : gpu.peak) peak = peak * f;
     }},
    {"hbm", Bottleneck::memory, -1.0,
     [](World& w, double f) {
       for (auto& gpu : w.catalog.gpus) gpu.memory_bandwidth = gpu.memory_bandwidth * f;
     }},
    {"scale_up", Bottleneck::scale_up, -1.0,
     [](World& w, double f) {
       for (auto& gpu : w.catalog.gpus) gpu.nvlink = gpu.nvlink * f;
       for (auto& cluster : w.catalog.clusters) cluster.scale_up.bandwidth = cluster.scale_up.bandwidth * f;
     }},
    {"scale_out", Bottleneck::scale_out, -1.0,
     [](World& w, double f) {
       for (auto& cluster : w.catalog.clusters) cluster.scale_out.bandwidth = cluster.scale_out.bandwidth * f;
     }},
    {"latency", Bottleneck::latency, 1.0,
     [](World& w, double f) {
       for (auto& cluster : w.catalog.clusters)
         scale_time(cluster.scale_up.latency, f), scale_time(cluster.scale_out.latency, f);
       using K = collective::NetworkConstants;
       for (auto& k : w.calibration.networks)
         for (double K::*constant :
              {&K::base_ll, &K::base_ll128, &K::base_simple, &K::intra_hop_ll, &K::intra_hop_ll128,
               &K::intra_hop_simple, &K::inter_hop_ll, &K::inter_hop_ll128, &K::inter_hop_simple,
               &K::network_delay, &K::network_post, &K::nvls_base, &K::nvls_ramp, &K::p2p_base, &K::p2p_peer,
               &K::p2p_simple})
           k.*constant *= f;
     }},
    {"host", Bottleneck::host, 1.0,
     [](World& w, double f) {
       for (auto& x : w.catalog.frameworks)
         for (SimTime* time :
              {&x.kernel_gap, &x.host_per_kernel, &x.host_per_expert, &x.host_per_peer, &x.host_per_step})
           scale_time(*time, f);
     }},
};

bool same_choices(const Workspace& a, const Workspace& b) {
  return std::equal(a.step.prices.collectives.begin(), a.step.prices.collectives.end(),
                    b.step.prices.collectives.begin(), b.step.prices.collectives.end(),
                    [](const ops::CollectiveEstimate& x, const ops::CollectiveEstimate& y) {
                      return x.algorithm == y.algorithm && x.protocol == y.protocol &&
                             x.channels == y.channels;
                    });
}

// Every second config leaves the choice to NCCL; the others force one, where it serves the call.
training::TrainingConfig config_of(std::uint64_t seed) {
  training::TrainingConfig c = support::random_config(seed);
  c.recipe.cuda_graphs = false;  // their launch and gap are constants of the program, not of a framework
  constexpr std::pair<ops::NcclAlgorithm, ops::NcclProtocol> forced[] = {
      {ops::NcclAlgorithm::ring, ops::NcclProtocol::simple},
      {ops::NcclAlgorithm::tree, ops::NcclProtocol::ll128},
      {ops::NcclAlgorithm::nvls, ops::NcclProtocol::simple},
      {ops::NcclAlgorithm::ring, ops::NcclProtocol::ll}};
  if (seed % 2 == 1) {
    std::tie(c.recipe.nccl_algo, c.recipe.nccl_proto) = forced[seed / 2 % 4];
    c.recipe.nccl_min_nchannels = c.recipe.nccl_max_nchannels = 8;
  }
  return c;
}

enum class Overlap { free, slows, slows_and_shares };  // kernels and collectives; collectives too

World world_of(Overlap overlap) {
  World world{catalog_with_roomy_gpus(), presets().calibration};
  auto& contention = std::get<slowdown::Contention>(world.calibration.slowdown);
  contention.latency_under_load = 3.6;  // whatever the catalog has: so the wait for memory is tested
  if (overlap == Overlap::free) world.calibration.slowdown = slowdown::NoSlowdown{};
  if (overlap != Overlap::slows_and_shares) world.calibration.contention = Contention::off;
  return world;
}

// Errors of one knob over random configs: how far the column lies outside the two one-sided differences, and
// from their mean.
struct Errors {
  std::vector<double> outside, from_mean;
  int switched = 0;

  static double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
  }
  void print(const char* name) const {
    std::printf(
        "%-9s %4zu cases, %2d switched; outside: p50 %.1e p99 %.1e max %.1e; from mean: p50 %.1e p99 %.1e\n",
        name, outside.size(), switched, quantile(outside, 0.5), quantile(outside, 0.99),
        quantile(outside, 1.0), quantile(from_mean, 0.5), quantile(from_mean, 0.99));
  }
};

Errors errors_of(const Knob& knob, Overlap overlap, std::uint64_t seeds) {
  const World base = world_of(overlap);
  World more = base, less = base;
  knob.scale(more, 1.01), knob.scale(less, 0.99);
  Workspace ws, ws_more, ws_less;
  Errors errors;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const training::TrainingConfig c = config_of(seed);
    const StepReport r = simulate(c, base.catalog, base.calibration, ws);
    if (r.status != Status::ok) continue;
    const StepReport up = simulate(c, more.catalog, more.calibration, ws_more);
    const StepReport down = simulate(c, less.catalog, less.calibration, ws_less);
    if (!same_choices(ws, ws_more) || !same_choices(ws, ws_less)) {
      ++errors.switched;
      continue;
    }
    const auto elasticity = [&](const StepReport& other, double factor) {
      return knob.sign * std::log(to_seconds(other.step) / to_seconds(r.step)) / std::log(factor);
    };
    const double a = elasticity(up, 1.01), b = elasticity(down, 0.99);
    const double told = r.bottleneck[static_cast<std::size_t>(knob.bottleneck)];
    errors.outside.push_back(std::max({0.0, std::min(a, b) - told, told - std::max(a, b)}));
    errors.from_mean.push_back(std::abs(told - (a + b) / 2));
  }
  return errors;
}

class Sensitivity : public ::testing::TestWithParam<Knob> {};

// Exact. The differences hold all choices but the tiles of matrix products, which one case in hundreds
// changes within 1 %.
TEST_P(Sensitivity, LiesBetweenTheOneSidedDifferencesOfTheSimulator) {
  const Errors errors = errors_of(GetParam(), Overlap::free, 400);
  errors.print(GetParam().name);
  ASSERT_GT(errors.outside.size(), 100U);
  EXPECT_LT(Errors::quantile(errors.outside, 0.99), 1e-6);
  EXPECT_LT(Errors::quantile(errors.outside, 1.0), 1e-3);
}

// Of overlap factors only the wait for memory under load is followed. The other parts are held, though they
// follow from the prices: a faster link draws more HBM bandwidth.
TEST_P(Sensitivity, NeglectsOnlyHowOverlapFactorsMove) {
  const Errors errors = errors_of(GetParam(), Overlap::slows, 400);
  errors.print(GetParam().name);
  ASSERT_GT(errors.outside.size(), 100U);
  EXPECT_LT(Errors::quantile(errors.outside, 0.5), 1e-3);
  EXPECT_LT(Errors::quantile(errors.outside, 0.99), 2e-2);
}

// And so are the rates that two collectives keep on one link, though these follow from its bandwidth too:
// what a transfer through the NICs leaves of NVLink grows faster than NVLink.
TEST_P(Sensitivity, NeglectsLittleMoreWhereCollectivesShareLinks) {
  const Errors errors = errors_of(GetParam(), Overlap::slows_and_shares, 400);
  errors.print(GetParam().name);
  ASSERT_GT(errors.outside.size(), 100U);
  EXPECT_LT(Errors::quantile(errors.outside, 0.5), 1e-3);
  EXPECT_LT(Errors::quantile(errors.outside, 0.95), 1e-2);
  EXPECT_LT(Errors::quantile(errors.outside, 0.99), 5e-2);
}

INSTANTIATE_TEST_SUITE_P(Resources, Sensitivity, ::testing::ValuesIn(knobs),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace echo::simulate
