// NCCL's tuning tables per family of versions. Microseconds and GB/s (1e9 B/s), as in its source.
#pragma once

#include <array>
#include <cstdint>

#include "ops/collective.hpp"

namespace echo::collective {

enum class Arch : std::int8_t { volta, ampere, hopper, blackwell };
enum class Level : std::int8_t { nvlink, pci, network };

// Rows of the tables: the algorithms of NCCL's search.
using ops::NcclAlgorithm;
inline constexpr std::size_t nccl_algorithm_count = ops::nccl_algorithm_names.size() - 1;
[[nodiscard]] constexpr std::size_t row_of(NcclAlgorithm algorithm) {
  return static_cast<std::size_t>(algorithm) - 1;
}

using PerProtocol = std::array<double, 3>;  // LL, LL128, Simple
using PerSpan = std::array<double, 3>;      // one node, two nodes, more
using PerArch = std::array<PerSpan, 4>;

// NCCL's estimate of NVLink SHARP: none, as in 2.18, a constant 5/6, or a measured efficiency.
enum class NvlsRule : std::int8_t { none, first, flat, efficiency };

struct NcclTables {
  std::int32_t first_version;                                        // major * 10000 + minor * 100
  std::array<PerProtocol, nccl_algorithm_count> base;                // [row_of()]
  std::array<std::array<PerProtocol, nccl_algorithm_count>, 3> hop;  // [Level][row_of()]
  PerArch ll_max;  // LL ceiling; multi-node rows are Intel (volta), AMD (ampere)
  PerArch ring_ll128, tree_ll128, tree, nvls_tree;  // ceilings per channel
  NvlsRule nvls = NvlsRule::none;
  bool nvls_gathers = false;          // all-gather and reduce-scatter may use NVLS on one node
  double ring_ll_share = 0.5;         // of the Simple rate, all-reduce or several nodes
  double ring_ll_share_gather = 0.5;  // otherwise
  double ampere_bus_cap = 1e9;        // compute capability 8.0 only
  double ll_hop_multi_node = 1.0;     // NVLink LL hop when the group spans nodes
  double ring_ll128_single = 0.92;    // LL128 share when each node holds one rank
  bool counts_extra_steps = false;    // 2N network steps in an all-reduce ring, not 2(N-1)
  bool tree_hop_when_single = false;  // one rank per node: the tree's network hop everywhere
  bool network_overhead = true;       // posting a network operation also delays NVLink steps
  bool plateau_by_size = false;       // ring plateau from ranks/16 * 64 KiB on, x1.9; else by channel share
  bool ll128_on_blackwell = true;
  double pat_share = 0.0;             // of the tree graph's rate; 0 = no PAT yet
  double collnet_arity = 0.0;         // us per further local rank in CollNet direct; 0 = not modelled
  double plain_tree_share = 1.0;      // of the rate, if each node holds one rank: no chain to balance
  bool nvls_tree_correction = false;  // the tree's size correction also for NVLSTree, x86 Blackwell
};

// The family of an NCCL version. `version` as printed by NCCL: 22105, or 2804 before 2.9.
[[nodiscard]] const NcclTables& nccl_tables(std::int32_t version);

// NCCL's measured correction of the tree's bandwidth by message size; 1 outside 64 B .. 512 MiB.
[[nodiscard]] double tree_correction(std::int32_t protocol, std::int64_t bytes, std::int32_t sizes);

}  // namespace echo::collective
