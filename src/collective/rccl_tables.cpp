// RCCL is NCCL's code with AMD's numbers: measured tables for each kind of node in place of the estimate's
// refinements. bandwidth = links of a GPU * share[nodes][method][protocol] * correction[method][size],
// latency from a table of its own. The links of a GPU in a full mesh of eight: 7 * 48 GB/s, three quarters
// of the data sheet's 64. Source: ROCm/rccl src/graph/tuning.cc (tuning_model_5, which the models of eight
// MI300X name), graph/topo.h (GFX94X_XGMI_WIDTH 48), graph/rome_models.cc (28 rings over eight, each run
// twice; option tuning=5), init.cc (32 channels over 2 GPUs, 24 over 4), read at 0cbce2a (2024-10). MI325X
// and MI355X are treated as MI300X. Neglected: LL128, off by default there; MSCCL++; the pivot all-to-all.
#include "collective/rccl_tables.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/at.hpp"
#include "collective/wire.hpp"

namespace echo::collective {
namespace {

constexpr std::int32_t sizes = 27;
using BySize = std::array<double, sizes>;  // 64 B, 128 B ...; the last from 4 GiB on

// [LL, LL128, Simple]
constexpr PerProtocol base{12, 12, 17};
constexpr std::array<std::array<PerProtocol, 2>, 3> hops{// [Level][tree, ring]
                                                         {{{{0.9, 0, 2.3}, {0.8, 0, 2.1}}},
                                                          {{{2.2, 2.2, 5.7}, {2.2, 2.2, 5.7}}},
                                                          {{{10.5, 0, 25}, {9.5, 0, 320}}}}};
constexpr std::array<std::array<PerProtocol, 2>, 2> shares{
    // [more than two nodes][tree, ring]
    {{{{0.06, 0, 0.11}, {0.08, 0, 1.0}}}, {{{0.06, 0, 0.59}, {0.08, 0, 1.0}}}}};
constexpr BySize tree_ll{.1, .1, .1, .1, .1, .1, 1,  1,  1,  1,  1,  .6, 1, .9,
                         1,  1,  .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1};
constexpr BySize tree_simple{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1,
                             .1, .7, 1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  .8};
constexpr BySize ring_ll{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, 1,  .2, 1,
                         .4, .4, .1, .2, .2, .1, .1, .1, .1, .1, .1, .1, .1};
constexpr BySize ring_simple{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1,
                             .1, .1, .1, .1, .1, .1, .1, .1, .1, .8, 1,  1,  1};
constexpr double counted_share = 0.75;      // of the data sheet's rate of a link
constexpr double rooted_ll_on_mesh = 1.65;  // broadcast and reduce inside a node

double correction(const Call& call, const Communicator& c, NcclAlgorithm method, ops::Protocol p) {
  if (method == NcclAlgorithm::ring && !c.multi_node()) return 1.0;
  const auto log_size =
      static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(call.bytes >> 6))) - 1;
  const auto at = static_cast<std::size_t>(std::clamp(log_size, 0, sizes - 1));
  const bool ll = p == ops::Protocol::ll;
  if (method == NcclAlgorithm::ring) return (ll ? ring_ll : ring_simple)[at];
  return (ll ? tree_ll : tree_simple)[at];
}

}  // namespace

bool rccl_allows(const Communicator& c, NcclAlgorithm method, ops::Protocol p) {
  if (p == ops::Protocol::ll128) return false;
  return method == NcclAlgorithm::ring || p == ops::Protocol::ll || c.multi_node();
}

std::int32_t rccl_channels(std::int32_t per_node, bool multi_node) {
  if (multi_node) return 32;
  if (per_node == 2) return 32;
  return per_node <= 4 ? 24 : 56;
}

double rccl_time(const Call& call, const Communicator& c, NcclAlgorithm method, ops::Protocol p) {
  const std::size_t m = method == NcclAlgorithm::tree ? 0 : 1, protocol = index_of(p);
  const double nodes = c.nodes, ranks = c.ranks;
  const bool reduces_all = call.kind == ops::CollectiveKind::all_reduce, gather = is_gather(call.kind);
  const double steps = reduces_all ? 2.0 * (ranks - 1) : gather ? ranks - 1 : ranks;
  double bus = c.nvlink * counted_share * shares[c.nodes <= 2 ? 0 : 1][m][protocol];
  if (!reduces_all && !gather && p == ops::Protocol::ll && !c.multi_node()) bus *= rooted_ll_on_mesh;
  const double bandwidth =
      (method == NcclAlgorithm::ring ? bus * ranks / steps : 0.5 * bus) * correction(call, c, method, p);
  double latency = base[protocol];
  double intra = hops[at(c.inside)][m][protocol];
  const double inter = hops[2][m][protocol];
  if (method == NcclAlgorithm::tree) {
    latency += 2.0 * ((c.per_node - 1) * intra + c.tree_depth() * inter);
  } else if (reduces_all || gather) {
    const double crossings = !c.multi_node() ? 0.0 : reduces_all ? 2.0 * nodes : nodes - 1;
    if (c.multi_node()) intra = std::max(intra, p == ops::Protocol::simple ? 6.0 : 2.0);  // AMD's processors
    latency += (steps - crossings) * intra + crossings * inter;
  } else {
    const double hop =
        c.multi_node() ? (p == ops::Protocol::simple && !c.same_channels ? hops[2][0][2] : inter) : intra;
    latency += c.same_channels ? hop : ranks * hop;
  }
  return latency + static_cast<double>(call.bytes) / (1000.0 * bandwidth);
}

}  // namespace echo::collective
