// Query and price of one communication.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "base/at.hpp"
#include "base/units.hpp"
#include "machine/group.hpp"
#include "machine/memory_tier.hpp"
#include "ops/generic_settings.hpp"

namespace echo::ops {

enum class CollectiveKind : std::int8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  all_to_all,
  send_recv,
  host_copy,   // payload between one GPU and its host's memory or a tier behind it, one way
  host_update  // payload read and written by the host's processors, for one GPU
};
inline constexpr std::int32_t collective_kind_count = 9;
inline constexpr std::array<std::string_view, collective_kind_count> collective_kind_names{
    "all_reduce", "all_gather", "reduce_scatter", "broadcast",  "reduce",
    "all_to_all", "send_recv",  "host_copy",      "host_update"};

enum class Protocol : std::int8_t { ll, ll128, simple };
inline constexpr std::array<std::string_view, 3> protocol_names{"LL", "LL128", "Simple"};

// Every way in which NCCL, RCCL or a kernel of a framework does a collective; plug-ins of
// collective/algorithms (textbook ones: GenericAlgorithm). In the order in which they are looked at: a tie
// keeps the first. Result files hold the numbers from `automatic` to `last_nccl_algorithm`, so new ones come
// behind that.
enum class NcclAlgorithm : std::int8_t {
  // Kernels that frameworks call before they ask the library.
  two_shot = -5,
  deepep,
  hybridep,
  one_shot,
  all_pairs,
  // The algorithms to which a communicator may be restricted (NCCL_ALGO), in the order of NCCL's own search.
  automatic,  // of an estimate: none
  tree,
  ring,
  collnet_direct,
  collnet_chain,
  nvls,
  nvls_tree,
  pat,
  // The algorithm of exchanges between pairs.
  pairwise,
  send_recv
};
inline constexpr NcclAlgorithm first_algorithm = NcclAlgorithm::two_shot;
inline constexpr NcclAlgorithm last_nccl_algorithm = NcclAlgorithm::pat;
inline constexpr auto algorithm_names = std::to_array<std::string_view>(
    {"two_shot", "deepep", "hybridep", "one_shot", "all_pairs",                              //
     "auto", "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat",  //
     "pairwise", "send_recv"});
[[nodiscard]] constexpr std::string_view name_of(NcclAlgorithm algorithm) {
  return algorithm_names[at(static_cast<std::int32_t>(algorithm) -
                            static_cast<std::int32_t>(first_algorithm))];
}
// Names of the algorithms to which a communicator may be restricted, by number.
inline constexpr auto nccl_algorithm_names = [] {
  std::array<std::string_view, static_cast<std::size_t>(last_nccl_algorithm) + 1> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = name_of(static_cast<NcclAlgorithm>(i));
  return names;
}();
static_assert(name_of(NcclAlgorithm::automatic) == "auto" &&
              name_of(NcclAlgorithm::send_recv) == "send_recv");

enum class NcclProtocol : std::int8_t { automatic, ll, ll128, simple };
inline constexpr std::array<std::string_view, 4> nccl_protocol_names{"auto", "LL", "LL128", "Simple"};

// Library whose rules choose among its methods: NVIDIA's NCCL or AMD's RCCL. `cluster`: as in the cluster's
// file.
enum class CommLibrary : std::int8_t { cluster, nccl, rccl };
inline constexpr std::array<std::string_view, 3> comm_library_names{"cluster", "nccl", "rccl"};

// Kernels that frameworks try before the library, as bits.
enum class CommKernel : std::int32_t { custom_all_reduce = 1, deepep = 2, hybridep = 4 };
inline constexpr std::array<std::string_view, 3> comm_kernel_names{"custom_all_reduce", "deepep", "hybridep"};
[[nodiscard]] constexpr bool has(std::int32_t kernels, CommKernel one) {
  return (kernels & static_cast<std::int32_t>(one)) != 0;
}
[[nodiscard]] constexpr std::int32_t without(std::int32_t kernels, CommKernel one) {
  return kernels & ~static_cast<std::int32_t>(one);
}

// Limits and overrides of a communicator, named after NCCL's environment variables. 0 and automatic: NCCL
// decides.
struct CommSettings {
  std::int32_t nccl_version = 0;                       // 0 = the cluster's
  NcclAlgorithm algorithm = NcclAlgorithm::automatic;  // NCCL_ALGO
  NcclProtocol protocol = NcclProtocol::automatic;     // NCCL_PROTO
  std::int32_t min_channels = 0;                       // NCCL_MIN_NCHANNELS, ncclConfig minCTAs
  std::int32_t max_channels = 0;                       // NCCL_MAX_NCHANNELS, ncclConfig maxCTAs
  std::int32_t max_p2p_channels = 0;                   // NCCL_MAX_P2P_NCHANNELS
  CommLibrary library = CommLibrary::nccl;             // never `cluster`: resolved
  std::int32_t kernels = 0;                            // bits of CommKernel
  bool sharp = false;                                  // NCCL_COLLNET_ENABLE: the switches reduce
  friend constexpr auto operator<=>(const CommSettings&, const CommSettings&) = default;
};

// `payload` is the nccl-tests size: all-reduce, broadcast, reduce: the buffer; all-gather and reduce-scatter:
// the larger buffer (ranks * shard); all-to-all: bytes each rank sends; send_recv: the message.
// `relay`: what ranks pass on inside their node meanwhile, chunk by chunk, where a kernel that forwards
// (DeepEP, HybridEP) does an all-to-all between nodes; the two take as long as the longer one. No bytes:
// nothing.
struct Relay {
  Bytes payload;
  machine::GroupSpan group;
  friend constexpr auto operator<=>(const Relay&, const Relay&) = default;
};
// What a host_copy or host_update reads from and writes to a tier behind the host's memory; host: nothing.
// `gpus`: of the job, which may share the tier.
struct TierTraffic {
  machine::MemoryTier tier = machine::MemoryTier::host;
  Bytes read, written;
  std::int32_t gpus = 0;
  friend constexpr auto operator<=>(const TierTraffic&, const TierTraffic&) = default;
};
// `set_aside`: SMs that it may hold at most, as its caller sets them aside; below 0: what the library takes.
struct CollectiveQuery {
  CollectiveKind kind{};
  Bytes payload;
  machine::GroupSpan group;
  Relay relay{};
  TierTraffic tier{};
  std::int32_t set_aside = -1;
  friend constexpr auto operator<=>(const CollectiveQuery&, const CollectiveQuery&) = default;
};

struct CollectiveEstimate {
  SimTime time{};
  NcclAlgorithm algorithm = NcclAlgorithm::automatic;
  Protocol protocol = Protocol::simple;
  std::int32_t channels = 0;   // CTAs it occupies while it runs
  GenericAlgorithm generic{};  // the textbook algorithm used; best: NCCL's own
  double memory_rate = 0.0;    // HBM bytes per second it draws on one GPU while running alone
  // Shares of `time` inversely proportional to the two bandwidths, and growing with hops and launches: minus
  // its elasticities at a fixed algorithm, protocol and channel count. The rest is one SM's copy rate.
  double by_scale_up = 0.0, by_scale_out = 0.0, by_latency = 0.0;
  friend bool operator==(const CollectiveEstimate&, const CollectiveEstimate&) = default;
};

}  // namespace echo::ops
