// A site is a machine room, its fabric and its hosts. Its effects on a step are in four kinds of presets:
// its clocks in the kernel constants of the GPU kind, its links in the network constants, its hosts in the
// framework's times, HBM in the GPU. Products of training steps scale by the speed that they lose compared
// with a micro-benchmark (`sustained`), so that kernels measured in micro-benchmarks keep their price.
// NCCL's choices are made with its own tables and stay. Not included: fusion of operators, recomputation,
// imbalance of experts, the overlap of communication: those belong to the software, and a sweep can set
// them.
#include "config/catalog/fitted/site_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/contract.hpp"
#include "base/named_table.hpp"

namespace echo::config {

namespace {

using collective::NetworkConstants;
using training::FrameworkSpec;

constexpr std::array<SiteQuantityFacts, 7> facts{{
    {"products", "kernels", "speed of products and attention in a step", 0.06,
     "one GPU and one config, by vendor: +-6 % among published steps"},
    {"memory", "gpus", "bandwidth of the GPU's memory", 0.04,
     "a data sheet's rate; memory-bound kernels are priced to some 4 %"},
    {"scale-up", "networks", "share of the scale-up links' rate", 0.05,
     "NVLink rates of nccl-tests logs are fitted to 3 %, clusters differ by 1 to 5 %"},
    {"scale-out", "networks", "share of the NICs' rate", 0.25,
     "nccl-tests of two tenants with one kind of node differ by 46 %"},
    {"latency", "networks", "latency of collectives", 0.2,
     "nccl-tests below 64 MiB: 15 % between clusters of one kind, fitted to 20 %"},
    {"host", "frameworks", "host time of a kernel", 0.4, "assumed by order of magnitude in most presets"},
    {"fixed", "frameworks", "host time of a step", 0.7, "assumed by order of magnitude in most presets"},
}};

constexpr std::array<double NetworkConstants::*, 5> scale_up_rates{
    &NetworkConstants::nvlink_rate_ll, &NetworkConstants::nvlink_rate_ll128,
    &NetworkConstants::nvlink_rate_simple, &NetworkConstants::nvls_rate, &NetworkConstants::p2p_rate};
constexpr std::array<double NetworkConstants::*, 2> scale_out_rates{&NetworkConstants::network_rate,
                                                                    &NetworkConstants::p2p_network_rate};
constexpr std::array<double NetworkConstants::*, 16> latencies{
    &NetworkConstants::base_ll,       &NetworkConstants::base_ll128,      &NetworkConstants::base_simple,
    &NetworkConstants::intra_hop_ll,  &NetworkConstants::intra_hop_ll128, &NetworkConstants::intra_hop_simple,
    &NetworkConstants::inter_hop_ll,  &NetworkConstants::inter_hop_ll128, &NetworkConstants::inter_hop_simple,
    &NetworkConstants::network_delay, &NetworkConstants::network_post,    &NetworkConstants::network_step,
    &NetworkConstants::nvls_base,     &NetworkConstants::p2p_base,        &NetworkConstants::p2p_peer,
    &NetworkConstants::p2p_simple};
constexpr std::array<SimTime FrameworkSpec::*, 3> host_times{
    &FrameworkSpec::host_per_kernel, &FrameworkSpec::host_per_expert, &FrameworkSpec::host_per_peer};

template <class Table>
auto& named(Table& table, const std::string& name) {
  const std::int32_t at = find_named(table, name);
  ECHO_EXPECT(at >= 0);
  return table[static_cast<std::size_t>(at)];
}

SimTime scaled(SimTime time, double factor) {
  return SimTime(std::llround(static_cast<double>(time.count()) * factor));
}

// A library has a separate value only if its file sets one.
void set(kernels::KernelConstants& k, double kernels::KernelConstants::*member, double value) {
  for (kernels::KernelConstants& library : k.libraries)
    if (library.*member == k.*member) library.*member = value;
  k.*member = value;
}

void speed_up(kernels::KernelConstants& k, double factor) {
  using K = kernels::KernelConstants;
  for (double K::*const lost : {&K::gemm_sustained, &K::gemm_sustained_8, &K::attention_sustained})
    set(k, lost, (1.0 + k.*lost) / factor - 1.0);
  if (k.gemm_sustained_4 >= 0.0)
    set(k, &K::gemm_sustained_4, std::max(0.0, (1.0 + k.gemm_sustained_4) / factor - 1.0));
  set(k, &K::attention_backward_rate, k.attention_backward_rate * factor);
}

template <std::size_t n>
void scale(NetworkConstants& k, const std::array<double NetworkConstants::*, n>& members, double factor,
           double most) {
  for (double NetworkConstants::*const member : members)
    k.*member = factor > 1.0 ? std::max(k.*member, std::min(most, k.*member * factor)) : k.*member * factor;
}

std::string share_text(double share) { return fmt::format("{:.3f}", share); }

}  // namespace

const SiteQuantityFacts& facts_of(SiteQuantity quantity) {
  return facts.at(static_cast<std::size_t>(quantity));
}

std::vector<SiteConstant> site_constants_of(const MeasuredSteps& steps) {
  std::set<std::string> networks, frameworks, gpus;
  std::map<std::string, double> kernels;  // by name, the error of a relative's constants
  for (const MeasuredStep& step : steps.rows) {
    if (!step.config) continue;
    const machine::GpuSpec& gpu = steps.catalog.gpu(*step.config);
    gpus.insert(gpu.name);
    double& error = kernels[gpu.kernels];
    error = std::max(error, gpu.kernels_error);
    networks.insert(steps.catalog.cluster(step.config->cluster).network);
    frameworks.insert(steps.catalog.framework(*step.config).name);
  }
  std::vector<SiteConstant> out;
  const auto add = [&out](SiteQuantity quantity, const std::string& preset, double more = 0.0) {
    out.push_back({quantity, preset, std::hypot(facts_of(quantity).prior_sigma, more)});
  };
  for (const auto& [name, error] : kernels) add(SiteQuantity::products, name, error);
  for (const std::string& name : gpus) add(SiteQuantity::memory, name);
  for (const auto quantity : {SiteQuantity::scale_up, SiteQuantity::scale_out, SiteQuantity::latency})
    for (const std::string& name : networks) add(quantity, name);
  for (const auto quantity : {SiteQuantity::host, SiteQuantity::fixed})
    for (const std::string& name : frameworks) add(quantity, name);
  return out;
}

void apply(const SiteConstant& constant, double factor, simulate::Catalog& catalog,
           simulate::Calibration& calibration) {
  ECHO_EXPECT(factor > 0.0);
  switch (constant.quantity) {
    case SiteQuantity::products:
      return speed_up(named(calibration.kernels, constant.preset), factor);
    case SiteQuantity::memory: {
      BytesPerSecond& rate = named(catalog.gpus, constant.preset).memory_bandwidth;
      rate = BytesPerSecond(rate.value * factor);
      return;
    }
    case SiteQuantity::scale_up:
      return scale(named(calibration.networks, constant.preset), scale_up_rates, factor, 1.0);
    case SiteQuantity::scale_out:
      return scale(named(calibration.networks, constant.preset), scale_out_rates, factor, 1.0);
    case SiteQuantity::latency:
      return scale(named(calibration.networks, constant.preset), latencies, factor, HUGE_VAL);
    case SiteQuantity::host:
      return catalog.change_framework(constant.preset, [&](FrameworkSpec& framework) {
        framework.host_measured = true;
        for (SimTime FrameworkSpec::*const time : host_times)
          framework.*time = scaled(framework.*time, factor);
      });
    case SiteQuantity::fixed:
      return catalog.change_framework(constant.preset, [&](FrameworkSpec& framework) {
        framework.host_per_step = scaled(framework.host_per_step, factor);
      });
  }
}

std::string shown(const SiteConstant& constant, const simulate::Catalog& catalog,
                  const simulate::Calibration& calibration) {
  const auto network = [&]() -> const NetworkConstants& {
    return named(calibration.networks, constant.preset);
  };
  const auto framework = [&]() -> const FrameworkSpec& { return named(catalog.frameworks, constant.preset); };
  switch (constant.quantity) {
    case SiteQuantity::products:
      return share_text(1.0 / (1.0 + named(calibration.kernels, constant.preset).gemm_sustained)) +
             " of a micro-benchmark";
    case SiteQuantity::memory:
      return fmt::format("{:.0f} GB/s", named(catalog.gpus, constant.preset).memory_bandwidth.value / 1e9);
    case SiteQuantity::scale_up:
      return share_text(network().nvlink_rate_simple) + " of the rate";
    case SiteQuantity::scale_out:
      return share_text(network().network_rate) + " of the rate";
    case SiteQuantity::latency:
      return share_text(network().base_simple) + " of NCCL's table";
    case SiteQuantity::host:
      return fmt::format("{:.3g} us", 1e6 * to_seconds(framework().host_per_kernel));
    case SiteQuantity::fixed:
      return fmt::format("{:.3g} ms", 1e3 * to_seconds(framework().host_per_step));
  }
  return "";
}

}  // namespace echo::config
