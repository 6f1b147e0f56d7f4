// What the two NVLink SHARP methods share.
#pragma once

#include "collective/communicator.hpp"

namespace echo::collective {

// Hopper and later, an NVSwitch (more than two GPUs on NVLink), and a version that knows it.
[[nodiscard]] inline bool has_nvls(const Communicator& c) {
  return c.tables->nvls != NvlsRule::none && c.compute_capability >= 90 && c.inside == Level::nvlink &&
         c.per_node > 2;
}

// NCCL's measured share of the link rate, 2.28 on. Source: NVIDIA/nccl graph/tuning.cc, nvlsEfficiency.
[[nodiscard]] inline double nvls_efficiency(const Communicator& c) {
  return c.arch == Arch::blackwell ? 0.74 : 0.85;
}

// Bytes of one NVLS chunk: 128 KiB, less for messages that would not fill the channels. Source: enqueue.cc.
[[nodiscard]] inline double nvls_chunk(std::int64_t bytes, const Communicator& c) {
  const double concurrent = static_cast<double>(c.nvls_channels) * c.nvls.channels;
  const double message = static_cast<double>(bytes);
  double chunk = 131072.0;
  if (chunk > 65536.0 && message < 64.0 * concurrent * chunk) chunk = 65536.0;
  if (chunk > 32768.0 && message < 8.0 * concurrent * chunk) chunk = 32768.0;
  if (chunk > 16384.0 && message < 2.0 * concurrent * chunk) chunk = 16384.0;
  return chunk;
}

// The same between nodes, where the tree forwards whole chunks: at most 64 KiB from four nodes on.
[[nodiscard]] inline double nvls_tree_chunk(std::int64_t bytes, const Communicator& c) {
  const double concurrent = static_cast<double>(c.nvls_channels) * c.nvls.channels;
  const double message = static_cast<double>(bytes);
  double chunk = c.nodes >= 4 ? 65536.0 : 131072.0;
  if (chunk > 65536.0 && message < 4.0 * concurrent * chunk) chunk = 65536.0;
  if (chunk > 32768.0 && message < concurrent * chunk) chunk = 32768.0;
  return chunk;
}

}  // namespace echo::collective
