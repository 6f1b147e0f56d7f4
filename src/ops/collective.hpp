// The question and the answer about one communication.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "base/id.hpp"
#include "base/units.hpp"
#include "machine/group.hpp"

namespace echo::ops {

enum class CollectiveKind : std::int8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  all_to_all,
  send_recv,
  host_copy,   // payload between one GPU and its host's memory, one way
  host_update  // payload read and written in the host's memory by its processors, for one GPU
};
inline constexpr std::int32_t collective_kind_count = 9;
inline constexpr std::array<std::string_view, collective_kind_count> collective_kind_names{
    "all_reduce", "all_gather", "reduce_scatter", "broadcast",  "reduce",
    "all_to_all", "send_recv",  "host_copy",      "host_update"};

enum class Protocol : std::int8_t { ll, ll128, simple };
inline constexpr std::array<std::string_view, 3> protocol_names{"LL", "LL128", "Simple"};

using AlgorithmId = Id<struct AlgorithmTag>;        // index into the algorithm plug-in table
using CommSettingsId = Id<struct CommSettingsTag>;  // index into the catalog's CommSettings; none = defaults

// Limits and overrides of a communicator (NCCL environment names in comments). -1 / none = NCCL decides.
struct CommSettings {
  std::int32_t nccl_version = 0;   // 0 = the cluster's
  AlgorithmId algorithm;           // NCCL_ALGO
  std::int32_t protocol = -1;      // NCCL_PROTO, a Protocol
  std::int32_t min_channels = -1;  // NCCL_MIN_NCHANNELS
  std::int32_t max_channels = -1;  // NCCL_MAX_NCHANNELS, ncclConfig maxCTAs
  friend constexpr auto operator<=>(const CommSettings&, const CommSettings&) = default;
};

// `payload` is the nccl-tests size: all-reduce, broadcast, reduce: the buffer; all-gather and reduce-scatter:
// the larger buffer (ranks * shard); all-to-all: bytes each rank sends; send_recv: the message.
struct CollectiveQuery {
  CollectiveKind kind{};
  Bytes payload;
  machine::GroupSpan group;
  CommSettingsId settings;
  friend constexpr auto operator<=>(const CollectiveQuery&, const CollectiveQuery&) = default;
};

struct CollectiveEstimate {
  SimTime time{};
  AlgorithmId algorithm;
  Protocol protocol = Protocol::simple;
  std::int32_t channels = 0;  // CTAs it occupies while it runs
  double memory_rate = 0.0;   // HBM bytes per second it draws on one GPU while running alone
  // Shares of `time` that are inverse to the two bandwidths, and that grow with hops and launches: minus its
  // elasticities, algorithm, protocol and channels held. The rest is one SM's copy rate.
  double by_scale_up = 0.0, by_scale_out = 0.0, by_latency = 0.0;
  friend bool operator==(const CollectiveEstimate&, const CollectiveEstimate&) = default;
};

}  // namespace echo::ops
