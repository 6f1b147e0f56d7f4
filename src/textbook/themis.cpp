// Chunk by chunk, dimensions are taken by how long they have been used so far, the least used first: the
// first of an order gets most of a chunk, as each passes on 1/n of what it gets. A reduce-scatter of b bytes
// uses a dimension of n ranks for (n-1)/n b / link. What the least used dimension lacks to the most used one
// is a number of bytes,
//   lacks = (most - least) link n/(n-1)
// and where it is less than a sixteenth of a chunk (equal sizes), or less than a chunk (sizes that level
// loads), the chunk takes the dimensions as they are; else, with sizes that level loads, the chunk is as
// large as what is lacking. Source: Rashidi, Won, Srinivasan, Sridharan, Krishna, "Themis: a network
// bandwidth-aware collective scheduling policy for distributed training of DL models", ISCA 2022, algorithm
// 1; system/scheduling/OfflineGreedy.cc of ASTRA-sim 518bd51 (offlineGreedy and offlineGreedyFlex), whose
// loads use the bandwidth of a link too. Neglected: latencies, as there. An all-gather is the same backwards
// in time; there its loads are counted from the other end, with the same result up to ties.
#include "textbook/themis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::textbook {

std::vector<OrderedChunk> themis_chunks(std::int64_t bytes, std::int64_t count, ChunkSizes sizes,
                                        std::span<const Dimension> dimensions) {
  ECHO_EXPECT(bytes >= 1 && count >= 1 && !dimensions.empty());
  const std::int64_t usual = std::max<std::int64_t>(1, bytes / count);
  std::vector<double> load(dimensions.size(), 0.0);  // seconds
  std::vector<std::int32_t> plain(dimensions.size());
  std::iota(plain.begin(), plain.end(), 0);
  std::vector<OrderedChunk> chunks;
  for (std::int64_t left = bytes; left > 0;) {
    OrderedChunk chunk{.bytes = usual, .order = plain};
    std::ranges::stable_sort(chunk.order, {}, [&](std::int32_t d) { return load[at(d)]; });
    const Dimension& least = dimensions[at(chunk.order.front())];
    const double lacks = (load[at(chunk.order.back())] - load[at(chunk.order.front())]) *
                         least.cable().value * least.size / (least.size - 1.0);
    const double enough = static_cast<double>(usual) / (sizes == ChunkSizes::equal ? 16.0 : 1.0);
    if (lacks < enough)
      chunk.order = plain;
    else if (sizes == ChunkSizes::level)
      chunk.bytes = std::llround(std::min(lacks, static_cast<double>(left)));
    chunk.bytes = std::min(chunk.bytes, left);
    left -= chunk.bytes;
    auto size = static_cast<double>(chunk.bytes);
    for (const std::int32_t d : chunk.order) {
      const Dimension& dimension = dimensions[at(d)];
      load[at(d)] += size * (dimension.size - 1.0) / dimension.size / dimension.cable().value;
      size /= dimension.size;
    }
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

}  // namespace echo::textbook
