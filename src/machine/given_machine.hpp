// A machine given by its dimensions and by what runs collectives on them, as ASTRA-sim's network and system
// files say it. Read from the keys `dimensions` and `[collectives]` of a cluster.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/units.hpp"
#include "machine/collective_program.hpp"
#include "machine/given_machine_words.hpp"

namespace echo::machine {

struct AlgorithmChoice {
  DimensionAlgorithm algorithm = DimensionAlgorithm::fastest;
  std::int32_t window = 0;  // of direct: messages that a rank has under way; 0 = to all others
  friend bool operator==(const AlgorithmChoice&, const AlgorithmChoice&) = default;
};

struct GivenDimension {
  DimensionKind kind = DimensionKind::switched;
  std::int32_t size = 1;
  BytesPerSecond link;                       // one cable or port, one direction
  SimTime link_latency{};                    // of one cable or port; two of them make a way through a switch
  std::array<AlgorithmChoice, 4> algorithm;  // [ChosenCollective]
  friend bool operator==(const GivenDimension&, const GivenDimension&) = default;
};

struct GivenMachine {
  std::vector<GivenDimension> dimensions;  // from the GPU outwards; none: the cluster is not given so
  std::int32_t chunks = 0;                 // of a collective; 0 = the best power of two up to 64
  std::int32_t active_chunks = 1;          // that a dimension serves at the same time
  ChunkOrder order = ChunkOrder::ascending;
  LinkSharing sharing = LinkSharing::unaware;
  bool lifo = false;                // of collectives that wait for a dimension, the last comes first
  bool whole_all_reduce = false;    // the whole buffer in every dimension, not its piece of those before
  SimTime endpoint_delay{};         // of a rank, before the first message and behind each
  BytesPerSecond reduction_memory;  // that reductions read and write at, three bytes for each received; 0 =
                                    // they take no time
  std::vector<CollectiveProgram> programs;  // in place of an algorithm, for groups of their size

  [[nodiscard]] bool is_given() const { return !dimensions.empty(); }
  [[nodiscard]] std::int64_t gpus() const {
    std::int64_t product = 1;
    for (const GivenDimension& d : dimensions) product *= d.size;
    return product;
  }
  friend bool operator==(const GivenMachine&, const GivenMachine&) = default;
};

}  // namespace echo::machine
