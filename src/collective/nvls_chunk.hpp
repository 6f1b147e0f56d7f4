// Common parts of the two NVLink SHARP methods.
#pragma once

#include <algorithm>
#include <cstdint>

#include "collective/communicator.hpp"
#include "collective/constants.hpp"
#include "collective/parted_time.hpp"

namespace echo::collective {

// Hopper and later, an NVSwitch (more than two GPUs on NVLink), and a version that supports it.
[[nodiscard]] inline bool has_nvls(const Communicator& c) {
  return c.library == ops::CommLibrary::nccl && c.tables->nvls != NvlsRule::none &&
         c.compute_capability >= 90 && c.inside == Level::nvlink && c.per_node > 2;
}

// NCCL's measured share of the link rate, from 2.28. Source: NVIDIA/nccl graph/tuning.cc, nvlsEfficiency.
[[nodiscard]] inline double nvls_efficiency(const Communicator& c) {
  return c.arch == Arch::blackwell ? 0.74 : 0.85;
}

// A chunk that NCCL halves for messages below `limit`; here it grows over the octave below, so that times
// grow with sizes: the sizes at the limits keep their chunk.
[[nodiscard]] inline double shorter_chunk(double chunk, double half, double message, double limit) {
  if (chunk <= half || message >= limit) return chunk;
  return std::clamp(half * 2.0 * message / limit, half, chunk);
}

// Bytes of one NVLS chunk: 128 KiB, less for messages that would not fill the channels. Source: enqueue.cc.
[[nodiscard]] inline double nvls_chunk(std::int64_t bytes, const Communicator& c) {
  const double concurrent = static_cast<double>(c.nvls_channels) * c.nvls.channels;
  const double message = static_cast<double>(bytes);
  double chunk = shorter_chunk(131072.0, 65536.0, message, 64.0 * concurrent * 131072.0);
  chunk = shorter_chunk(chunk, 32768.0, message, 8.0 * concurrent * 65536.0);
  return shorter_chunk(chunk, 16384.0, message, 2.0 * concurrent * 32768.0);
}

// The same between nodes, where the tree forwards whole chunks: at most 64 KiB for four nodes or more.
[[nodiscard]] inline double nvls_tree_chunk(std::int64_t bytes, const Communicator& c) {
  const double concurrent = static_cast<double>(c.nvls_channels) * c.nvls.channels;
  const double message = static_cast<double>(bytes);
  double chunk = c.nodes >= 4 ? 65536.0 : 131072.0;
  chunk = shorter_chunk(chunk, 65536.0, message, 4.0 * concurrent * 131072.0);
  return shorter_chunk(chunk, 32768.0, message, concurrent * 65536.0);
}

// HBM bytes of a GPU per byte of the message for the network: its part is written, read by the NIC, written
// by the NIC, and read.
[[nodiscard]] inline double nvls_network_bytes(const Communicator& c) { return 4.0 / c.nvls.channels; }

// Time of one direction of a GPU's links for the whole message. Each chunk costs a channel a fixed hand-over;
// a GPU's own share is not sent, and is smaller the more nodes there are. Source: tuning.cc (efficiency,
// shares).
[[nodiscard]] inline PartedTime nvls_wire(double bytes, double chunk, const Communicator& c,
                                          const NetworkConstants& k) {
  const double heads = c.nvls.channels, ranks = c.ranks;
  const double share = (heads - 1.0) / heads * ranks / (ranks - 1.0);
  const Rate rate{.value = 1000.0 * c.nvlink * nvls_efficiency(c) * k.nvls_rate * share, .scale_up = true};
  return bytes / rate + as_fixed(k.nvls_step * bytes / (chunk * heads * c.nvls_channels));
}

}  // namespace echo::collective
