// Common parts of grouped sends and receives: protocol and channels of one peer.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "collective/communicator.hpp"

namespace echo::collective {

// Channels that one peer may use: on NVLink two per link (a switch gives all links to any pair), on a network
// one per 14 GB/s of a GPU's share; a power of two. Source: NVIDIA/nccl graph/paths.cc, ncclTopoGetNchannels.
[[nodiscard]] inline std::int32_t peer_channels(const Communicator& c) {
  const double links = c.nvlink / (c.arch == Arch::blackwell ? 50.0 : 25.0);
  const double inside = c.inside == Level::nvlink ? 2.0 * links : 2.0;
  const double wanted = c.multi_node() ? std::ceil(c.network / c.per_node / 14.0) : inside;
  const auto whole = static_cast<std::uint32_t>(std::max(1.0, wanted));
  const auto most =
      static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(std::max(c.p2p_channels, 1))));
  return std::clamp(static_cast<std::int32_t>(std::bit_ceil(whole)), 1, most);
}

// The same when every rank is a peer: channels are divided among them. Source: enqueue.cc,
// scheduleP2pTasksToPlan.
[[nodiscard]] inline std::int32_t channels_each(const Communicator& c, std::int32_t peers) {
  const auto all =
      static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(std::max(c.p2p_channels, 1))));
  return std::max(1, std::min(peer_channels(c), all / std::max(peers, 1)));
}

// us until the first chunk has arrived: a chunk (512 KiB on NVLink, 128 KiB on a network) or one channel's
// part at 20 GB/s, a channel's copy rate.
[[nodiscard]] inline double fill_time(const Communicator& c, double bytes_per_peer, std::int32_t channels) {
  const double chunk = c.multi_node() ? 131072.0 : 524288.0;
  return std::min(chunk, bytes_per_peer / channels) / 20000.0;
}

// From 2.23 to 2.28 the protocol is chosen before the channels, and LL uses all channels that a peer may use.
[[nodiscard]] inline bool chooses_protocol_first(const Communicator& c) {
  return c.tables->first_version >= 22300 && c.tables->first_version < 22900;
}

// LL carries messages of at most 16 KiB; from 2.23 to 2.28 that much per channel a peer may use, although
// such a short message uses fewer. Source: enqueue.cc, addP2pToPlan.
[[nodiscard]] inline bool short_message(double bytes_per_peer, const Communicator& c) {
  return bytes_per_peer <= 16384.0 * (chooses_protocol_first(c) ? peer_channels(c) : 1);
}

// Channels that a message fills, of those its peer may use: parts of at least 64 KiB, 8 KiB for that LL;
// fractional, so that rates are continuous. Source: enqueue.cc, addP2pToPlan.
[[nodiscard]] inline double channels_filled(double bytes_per_peer, std::int32_t most, ops::Protocol p,
                                            const Communicator& c) {
  const bool fine = p == ops::Protocol::ll && chooses_protocol_first(c);
  const double least = !fine ? 65536.0 : c.multi_node() ? 32768.0 : 8192.0;
  return std::clamp(bytes_per_peer / least, 1.0, static_cast<double>(most));
}

}  // namespace echo::collective
