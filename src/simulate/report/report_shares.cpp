#include "simulate/report/report_shares.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/named_table.hpp"
#include "kernels/constants.hpp"
#include "training/fine_tuning.hpp"

namespace echo::simulate {

namespace {

double share(SimTime part, SimTime whole) {
  return whole > SimTime::zero() ? static_cast<double>(part.count()) / static_cast<double>(whole.count())
                                 : 0.0;
}

bool is_communication(std::size_t part) {
  return part >= static_cast<std::size_t>(TimeCategory::tp_comm) &&
         part <= static_cast<std::size_t>(TimeCategory::zero_comm);
}

ops::Grade evidence_of(const std::array<SimTime, 4>& graded) {
  SimTime sum{};
  for (const SimTime t : graded) sum += t;
  for (std::size_t grade = graded.size(); grade-- > 0;)
    if (share(graded[grade], sum) >= 0.1) return static_cast<ops::Grade>(grade);
  return ops::Grade::modelled;
}

}  // namespace

void report_path(const PathShare& path, StepReport& report) {
  report.path = path.part;
  constexpr std::size_t fixed = at(Bottleneck::fixed);
  report.bottleneck[fixed] = 1.0;
  for (std::size_t i = 0; i < fixed; ++i) {
    report.bottleneck[i] = path.bottleneck.ps[i] / static_cast<double>(report.step.count());
    report.bottleneck[fixed] -= report.bottleneck[i];
  }
}

void report_fractions(const std::array<SimTime, 4>& graded, StepReport& report) {
  SimTime communication{}, exposed_communication{}, compute{};
  for (std::size_t i = 0; i < time_category_count; ++i) {
    if (!is_communication(i)) continue;
    communication += report.total[i];
    exposed_communication += report.exposed[i];
  }
  for (const SimTime t : graded) compute += t;
  report.bubble_fraction = share(report.exposed[at(TimeCategory::bubble)], report.step);
  report.exposed_comm_fraction = share(exposed_communication, report.step);
  report.overlap_fraction = communication > SimTime::zero()
                                ? std::clamp(1.0 - share(exposed_communication, communication), 0.0, 1.0)
                                : 0.0;
  report.measured_share = share(graded[at(ops::Grade::measured)], compute);
  report.evidence = evidence_of(graded);
}

Evidence evidence_behind(const std::array<SimTime, 4>& graded, std::span<const ops::CollectiveQuery> queries,
                         const training::TrainingConfig& config, const Catalog& catalog,
                         const Calibration& calibration) {
  const machine::ClusterSpec& cluster = catalog.cluster(config.cluster);
  const std::int32_t network = find_named(calibration.networks, cluster.network);
  ECHO_EXPECT(network >= 0);
  const std::int32_t measured = calibration.networks[at(network)].most_nodes;
  std::int32_t nodes = 1;
  for (const ops::CollectiveQuery& query : queries) nodes = std::max(nodes, query.group.nodes);
  // Nobody has logs of a network, or kernels of a GPU, that a what-if made up.
  const bool is_measured = measured >= std::min(nodes, 2) && cluster.what_if != machine::WhatIf::other_speed;
  const machine::GpuSpec& gpu = catalog.gpu(config);
  const double made_up =
      gpu.what_if == machine::WhatIf::other_speed ? calibration.errors.extrapolated_kernels : 0.0;
  return {.graded = graded,
          .gpu_error = std::hypot(gpu.kernels_error, made_up),
          .rate_error = kernels::sustained_error(
              calibration.kernels[at(find_named(calibration.kernels, gpu.kernels))], config.precision),
          .network_measured = is_measured,
          .octaves_beyond =
              is_measured && nodes > measured ? std::log2(static_cast<double>(nodes) / measured) : 0.0,
          .host_measured = catalog.framework(config).host_measured,
          .mixes_experts = catalog.model(config.model).has_experts(),
          .compiles = config.recipe.kernels == ops::KernelStyle::compiled,
          .tunes = training::is_fine_tuning(config)};
}

}  // namespace echo::simulate
