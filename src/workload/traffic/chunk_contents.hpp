// Contents of a model chunk.
#pragma once

#include <cstdint>

#include "training/layout/rank_parameters.hpp"

namespace echo::workload {

struct ChunkContents {
  std::int32_t layers = 0, first_layer = 0;  // how many, and the index of the first in the model
  bool first = false, last = false;          // holds the embedding, the head
  training::RankParameters parameters;       // before sharding
  training::RankParameters trained;          // of these
  training::RankParameters in_8_bit;         // of the trained ones, those sent in 8 bits
};

enum class Gather : bool { no, yes };
enum class Reduce : bool { no, yes };

}  // namespace echo::workload
