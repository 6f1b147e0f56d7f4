#include "collective/wire.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"

namespace echo::collective {
namespace {

double pick(ops::Protocol p, double ll, double ll128, double simple) {
  return p == ops::Protocol::ll ? ll : p == ops::Protocol::ll128 ? ll128 : simple;
}

// The highest rate of one CTA, GB/s. Simple and LL128: the largest share that NCCL's own graphs ask of one
// (half the speed of a network channel: 24 on Ampere, 48 on Hopper, 96 on Blackwell); only settings that
// reduce the channels reach it. LL: an even share of the rate that all CTAs of a node reach (300, 450, 900
// GB/s over 24, 24, 32): short messages leave most channels idle, and each of the remaining ones moves no
// more than that.
constexpr double cta_rate[4] = {12.5, 12.5, 24.0, 48.0};
constexpr double cta_link[4] = {12.5, 12.5, 18.75, 28.1};

}  // namespace

double base_factor(const NetworkConstants& k, ops::Protocol p) {
  return pick(p, k.base_ll, k.base_ll128, k.base_simple);
}
double intra_factor(const NetworkConstants& k, ops::Protocol p) {
  return pick(p, k.intra_hop_ll, k.intra_hop_ll128, k.intra_hop_simple);
}
double inter_factor(const NetworkConstants& k, ops::Protocol p) {
  return pick(p, k.inter_hop_ll, k.inter_hop_ll128, k.inter_hop_simple);
}
double nvlink_share(const NetworkConstants& k, ops::Protocol p) {
  return pick(p, k.nvlink_rate_ll, k.nvlink_rate_ll128, k.nvlink_rate_simple);
}

double table_intra_hop(const Communicator& c, NcclAlgorithm m, ops::Protocol p) {
  const double hop = c.tables->hop[at(c.inside)][row_of(m)][index_of(p)];
  return p == ops::Protocol::ll && c.multi_node() ? hop * c.tables->ll_hop_multi_node : hop;
}

double table_inter_hop(const Communicator& c, NcclAlgorithm m, ops::Protocol p) {
  // With one rank per node nothing hides the network: NCCL then uses the tree's figure.
  const bool exposed = c.tables->tree_hop_when_single && c.ranks == c.nodes;
  const std::size_t row = row_of(exposed ? NcclAlgorithm::tree : m);
  return c.tables->hop[at(Level::network)][row][index_of(p)];
}

double intra_hop(const Communicator& c, NcclAlgorithm m, ops::Protocol p, const NetworkConstants& k) {
  return intra_factor(k, p) * nccl_tables(physical_tables).hop[at(c.inside)][row_of(m)][index_of(p)];
}

double inter_hop(const Communicator& c, NcclAlgorithm m, ops::Protocol p, const NetworkConstants& k) {
  const double table = nccl_tables(physical_tables).hop[at(Level::network)][row_of(m)][index_of(p)];
  return inter_factor(k, p) * table + k.network_delay + c.hop_latency;
}

Rate nvlink_rate(const Communicator& c, ops::Protocol p, double busy, const NetworkConstants& k) {
  const std::size_t arch = at(c.arch);
  const double cap =
      p == ops::Protocol::ll ? busy * cta_link[arch] * k.nvlink_rate_ll : c.channels * cta_rate[arch];
  return slower({.value = c.nvlink * nvlink_share(k, p), .scale_up = true}, {.value = cap});
}

Rate network_rate(const Communicator& c, ops::Protocol p, const NetworkConstants& k) {
  return {.value = c.network * k.network_rate * share_of_line(p), .scale_out = true};
}

double posting(const NetworkConstants& k, ops::Protocol p, std::int32_t channels, double hops) {
  return k.network_post * channels * (p == ops::Protocol::ll ? hops : 0.5);
}

PartedTime joined(double base, PartedTime latency, PartedTime wire, double overlap) {
  const PartedTime large = longer(latency, wire), small = latency.us < wire.us ? latency : wire;
  if (large.us <= 0.0) return as_latency(base);
  // With x = (small / large)^k the norm is large (1 + x)^(1/k); its derivatives are 1 and x over (1 +
  // x)^(1-1/k).
  const double x = std::pow(small.us / large.us, overlap), norm = std::pow(1.0 + x, 1.0 / overlap);
  const double by_large = norm / (1.0 + x);
  const double by_small = small.us > 0.0 ? by_large * x * large.us / small.us : 0.0;
  PartedTime out = as_latency(base) + by_large * large + by_small * small;
  out.us = base + large.us * norm;
  return out;
}

double busy_channels(const Call& call, const Communicator& c, ops::Protocol p, bool ring) {
  const double per_thread = p == ops::Protocol::simple       ? 64.0
                            : p == ops::Protocol::ll && ring ? 8.0 * c.ranks
                                                             : 8.0;
  const double threads = p == ops::Protocol::ll128 ? 640.0 : 512.0;
  return std::clamp(static_cast<double>(call.bytes) / (threads * per_thread), 1.0,
                    static_cast<double>(c.channels));
}

std::int32_t channels_for(const Call& call, const Communicator& c, ops::Protocol p, bool ring) {
  return static_cast<std::int32_t>(busy_channels(call, c, p, ring));
}

bool is_gather(ops::CollectiveKind kind) {
  return kind == ops::CollectiveKind::all_gather || kind == ops::CollectiveKind::reduce_scatter;
}

bool ll128_allowed(const Communicator& c) {
  if (c.inside != Level::nvlink || c.compute_capability < 70) return false;
  return c.arch != Arch::blackwell || c.tables->ll128_on_blackwell;
}

}  // namespace echo::collective
